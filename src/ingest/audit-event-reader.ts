import { isAscii } from 'node:buffer';
import { hash } from 'node:crypto';
import { readAuditEvent, type IgnoredEvent } from '../core/audit/audit-event.js';
import type { AuditEventRow } from '../core/audit/audit-event-row.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/json-value.js';
import { JsonSyntaxError, parseJson, stringifyJson } from '../core/json/lossless-json.js';
import type { AuditPiece } from './audit-event-splitter.js';
import type { AuditEventProblem, AuditEventsReport } from './audit-events-report.js';
import { First } from './first.js';
import { memberAt } from './infer-kind.js';
import { IngestError, type IngestErrorPlace } from './ingest-error.js';
import type { IngestLimits } from './ingest-limits.js';

const API_VERSION = 'audit.k8s.io/v1';

/**
 * Turns the pieces of a stream into rows of audit events about nodes. Parts of an event other than those in `AuditEvent`
 * (bodies, annotations, headers) are discarded here. An invalid event does not affect other events.
 */
export class AuditEventReader {
  private events = 0;
  private invalid = 0;
  private sawJson = false;
  private firstBroken: IngestError | undefined;
  private readonly ignored = new Map<IgnoredEvent, number>();
  private readonly problems: First<AuditEventProblem>;

  constructor(private readonly limits: IngestLimits) {
    this.problems = new First(limits.maxReported);
  }

  /** @throws IngestError `too-many-items` */
  *read(piece: AuditPiece): Generator<AuditEventRow, void> {
    if (piece.type === 'list') {
      this.sawJson = true;
    } else if (piece.type === 'broken') {
      this.refuse(piece.error, piece.line);
    } else {
      const value = this.parse(piece);
      if (value !== undefined) yield* this.readValue(value, piece.list, piece.line);
    }
  }

  /** Parses the text around the items of an EventList. */
  readonly readEnvelope = (bytes: Uint8Array, place: IngestErrorPlace): JsonObject => {
    try {
      return parseJson(textOf(bytes), { maxDepth: this.limits.maxDepth, duplicateKeys: 'reject' }) as JsonObject;
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      throw new IngestError('malformed-json', error.reason, { line: place.line, column: place.column });
    }
  };

  /** @throws IngestError `empty`; `malformed-json` if no piece of the stream was JSON */
  finish(bytesRead: number, bytesDecoded: number): AuditEventsReport {
    if (!this.sawJson) throw this.firstBroken ?? new IngestError('empty', 'the body contains no events');
    const { events, invalid, problems } = this;
    const ignored = [...this.ignored]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
    return { bytesRead, bytesDecoded, events, ignored, invalid, problems: problems.toJSON() };
  }

  private parse({ bytes, line }: AuditPiece & { type: 'text' }): JsonValue | undefined {
    try {
      const value = parseJson(textOf(bytes), { maxDepth: this.limits.maxDepth });
      this.sawJson = true;
      return value;
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      const at = { line: line + error.line - 1, column: error.column };
      this.refuse(new IngestError('malformed-json', error.reason, at), line);
      return undefined;
    }
  }

  private *readValue(value: JsonValue, list: JsonObject | undefined, line: number): Generator<AuditEventRow, void> {
    const items = list === undefined && isJsonObject(value) ? memberAt(value, 'items') : undefined;
    if (Array.isArray(items)) {
      for (const item of items) yield* this.readEvent(item, value as JsonObject, line);
    } else if (list === undefined && Array.isArray(value)) {
      for (const item of value) yield* this.readEvent(item, undefined, line);
    } else {
      yield* this.readEvent(value, list, line);
    }
  }

  private *readEvent(value: JsonValue, list: JsonObject | undefined, line: number): Generator<AuditEventRow, void> {
    const item = this.nextItem(line);
    const reading = readAuditEvent(value, { listed: list !== undefined && isEventList(list) });
    if (reading.outcome === 'event') {
      const { event } = reading;
      const content = stringifyJson(event, { sortKeys: true });
      yield { node: event.node, at: event.stageTimestamp, hash: hash('sha256', content, 'hex'), content };
    } else if (reading.outcome === 'ignored') {
      this.ignored.set(reading.reason, (this.ignored.get(reading.reason) ?? 0) + 1);
    } else {
      this.invalid++;
      for (const { pointer, message } of reading.faults) this.problems.add({ item, line, pointer, message });
    }
  }

  /** Reports a piece that is not valid JSON as an invalid event. */
  private refuse(error: IngestError, line: number): void {
    this.firstBroken ??= error;
    this.invalid++;
    const column = error.column === undefined ? '' : ` (line ${error.line ?? line}, column ${error.column})`;
    const message = `${error.message}${column}`;
    this.problems.add({ item: this.nextItem(line), line, pointer: '', message });
  }

  private nextItem(line: number): number {
    const item = this.events++;
    if (item < this.limits.maxItems) return item;
    throw new IngestError('too-many-items', `the stream contains more than ${this.limits.maxItems} events`, {
      line,
      item,
    });
  }
}

/** The items need not have a kind of their own, and a `kind` after the items is not known yet. */
function isEventList(list: JsonObject): boolean {
  const kind = memberAt(list, 'kind');
  return memberAt(list, 'apiVersion') === API_VERSION && (kind === undefined || kind === 'EventList');
}

/** Decodes bytes known to be UTF-8, with a fast path for ASCII. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
