import { identifyParsed } from './identity.js';
import { BadAnswer, membersOf, stringIn, type Span } from './json-scan.js';
import { Parts } from './list-reader.js';
import type { ObjectEvent, WireObject } from './reflection.js';
import { readStatus, type ApiStatus } from './api-status.js';

/** One line of a watch. */
export type WatchLine =
  | { readonly type: ObjectEvent; readonly object: WireObject }
  /** `endsInitialEvents`: the state has come as ADDED events, in answer to sendInitialEvents. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean }
  | { readonly type: 'ERROR'; readonly status: ApiStatus };

const LINE_FEED = 0x0a;
const MOST_LINE_BYTES = 32 * 1024 * 1024;
const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Cuts a watch into its lines, however the chunks are cut. */
export class LineCutter {
  private readonly held = new Parts(MOST_LINE_BYTES, 'an event');

  /** The lines that end in this chunk. @throws {BadAnswer} */
  *push(chunk: Buffer): Generator<Buffer> {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      const tail = chunk.subarray(from, end);
      from = end + 1;
      if (this.held.length === 0) yield tail;
      else {
        this.held.add(tail);
        const line = this.held.join();
        this.held.clear();
        yield line;
      }
    }
    if (from < chunk.length) this.held.add(chunk.subarray(from));
  }

  /** Whether an event has begun that has not ended. */
  get isInside(): boolean {
    return this.held.length > 0;
  }
}

/**
 * Reads a line of a watch. It is parsed as a whole, so that a garbled one is never taken for an event.
 *
 * Source of the form: k8s.io/apimachinery v0.36.2, pkg/apis/meta/v1/watch.go, `WatchEvent`.
 *
 * @throws {BadAnswer}
 */
export function readWatchLine(line: Buffer, kind: string): WatchLine {
  let parsed: { readonly type?: unknown; readonly object?: unknown } | null;
  let decoded: string;
  try {
    decoded = text.decode(line);
    parsed = JSON.parse(decoded) as typeof parsed;
  } catch {
    throw new BadAnswer('an event of the watch is garbled');
  }
  const type = parsed?.type;
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
    const { start, end } = usualSpan(line, decoded, parsed!) ?? objectIn(line);
    return { type, object: identifyParsed(parsed!.object, line.subarray(start, end), kind) };
  }
  if (type === 'BOOKMARK') return bookmark(parsed!.object, kind);
  if (type === 'ERROR') return { type, status: readStatus(parsed!.object) };
  throw new BadAnswer(`an event of the watch has the type ${JSON.stringify(type)}`);
}

/** Where the object is in a line as API servers write it: after its type, and last. Nothing is searched for then. */
function usualSpan(line: Buffer, decoded: string, parsed: { readonly type?: unknown }): Span | undefined {
  const head = `{"type":"${String(parsed.type)}","object":`;
  const isUsual = decoded.startsWith(head) && decoded.endsWith('}}') && Object.keys(parsed).length === 2;
  return isUsual ? { start: head.length, end: line.length - 1 } : undefined;
}

function objectIn(line: Buffer): Span {
  let found: Span | undefined;
  for (const [name, value] of membersOf(line, { start: 0, end: line.length })) {
    if (name === 'object') found = value;
    else if (name === 'type') stringIn(line, value);
  }
  if (found === undefined) throw new BadAnswer('an event of the watch has no object');
  return found;
}

interface Bookmark {
  readonly kind?: unknown;
  readonly metadata?: {
    readonly resourceVersion?: unknown;
    readonly annotations?: Readonly<Record<string, unknown>>;
  };
}

function bookmark(object: unknown, kind: string): WatchLine {
  const { kind: said, metadata } = (object ?? {}) as Bookmark;
  const resourceVersion = metadata?.resourceVersion;
  if (said !== kind || typeof resourceVersion !== 'string' || resourceVersion === '') {
    throw new BadAnswer('a bookmark has another kind, or no resourceVersion');
  }
  const endsInitialEvents = metadata?.annotations?.['k8s.io/initial-events-end'] === 'true';
  return { type: 'BOOKMARK', resourceVersion, endsInitialEvents };
}
