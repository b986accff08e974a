import { hash } from 'node:crypto';
import type { ObjectRow, SnapshotRow } from '../core/cluster/object-row.js';
import { defined } from '../core/collections/defined.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/json-value.js';
import { JsonSyntaxError, parseJson, stringifyJson } from '../core/json/lossless-json.js';
import { isKeptKind, kindInfo, kindOf } from '../core/kubernetes/kinds.js';
import type { FieldError } from '../core/kubernetes/field-error.js';
import type { ConfigMap } from '../core/kubernetes/objects/config-map.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';
import { versionText } from '../core/kubernetes/version-text.js';
import { elementKind, inferType, memberAt, textAt, type TypeMeta } from './infer-kind.js';
import { IngestError, type IngestErrorPlace } from './ingest-error.js';
import type { IngestLimits } from './ingest-limits.js';
import type { ObjectName } from './ingest-report.js';
import { ItemProjector, type ProjectedItem, versionOf } from './item-projector.js';
import { HASH_BYTES } from './known-hashes.js';
import { decodeStoredObject } from './object-decoder.js';
import { parseYaml } from './parse-yaml.js';
import type { ListContext, Piece, UnreadPiece } from './piece.js';
import type { ReportBuilder } from './report-builder.js';
import { textOf } from './text-of.js';
import { findUnstorableText, maybeUnstorable } from './unstorable-text.js';

/** The maximum depth of nested lists that are not read as a stream; kubectl writes none. */
const MAX_NESTED_LISTS = 8;
const TYPE_UNKNOWN =
  'Required value: the object has no apiVersion and kind, and neither its list nor a metadata.selfLink provides them';

/** In place of the piece that a parsed value was: it has no place in a text. */
const PARSED: UnreadPiece = {
  type: 'object',
  format: 'json',
  bytes: new Uint8Array(),
  list: undefined,
  offset: 0,
  line: 1,
  column: 1,
};

/** An item whose list has not stated its kind yet. */
interface WaitingItem {
  readonly value: JsonObject;
  readonly item: number;
}

/**
 * Turns the pieces of a stream into rows: parses each piece, determines its type, decodes, prunes and validates it, and writes
 * the result in canonical form. Reports the outcome of each object.
 */
export class ItemReader {
  private waiting: WaitingItem[] = [];
  private waitingBytes = 0;
  private lists = 0;
  private unread = 0;

  /** @param projector reads ordinary items without parsing them. A splitter can share it, to read an item as soon as it finds one */
  constructor(
    private readonly report: ReportBuilder,
    private readonly limits: IngestLimits,
    private readonly keepInvalid: boolean,
    readonly projector = new ItemProjector(limits),
  ) {}

  /** Whether the stream contained any object or list. */
  get sawAnything(): boolean {
    return this.lists > 0 || this.report.items > 0;
  }

  /** @throws IngestError for a piece that does not parse, with its place in the stream */
  *read(piece: Piece): Generator<SnapshotRow, void> {
    if (piece.type === 'list') return yield* this.endList(piece.list, piece.format);
    if (piece.type === 'read') return yield* this.keepRead(piece.read, piece);
    if (piece.format === 'json') {
      // Items that span chunks, and objects outside lists.
      this.projector.load(piece.bytes);
      const read = this.projector.project(0, piece.list?.envelope, true);
      if (read !== undefined && read.end === piece.bytes.length) return yield* this.keepRead(read, piece);
    }
    const text = textOf(piece.bytes);
    const item = this.report.items;
    const value = this.parse(text, piece);
    if (value === null && piece.format === 'yaml' && piece.type === 'object') return;
    if (maybeUnstorable(text, piece.format)) {
      const trouble = findUnstorableText(value);
      if (trouble.length > 0) {
        this.countItem(piece);
        this.leaveOut(item, givenName(value, piece.list?.envelope), trouble, 'FieldValueInvalid');
        return;
      }
    }
    yield* this.readValue(value, piece, text.length);
  }

  /** Reads an object, list or watch event that is parsed already, and that can be stored. */
  readParsed(value: JsonValue): Generator<ObjectRow, void> {
    return this.readValue(value, PARSED, 0);
  }

  private *keepRead(read: ProjectedItem, place: IngestErrorPlace): Generator<SnapshotRow, void> {
    this.report.drop(read.object.kind, read.droppedFields, 0, []);
    this.report.keep(read.object, this.countItem(place));
    if (this.wantsRows) yield read.row;
  }

  /** Parses the text around a list's items. Duplicate keys are rejected, because this text decides how the items are read. */
  readonly readJsonEnvelope = (bytes: Uint8Array, place: IngestErrorPlace): JsonObject =>
    this.parseJsonText(textOf(bytes), place, 'reject') as JsonObject;

  readonly readYamlEnvelope = (bytes: Uint8Array, place: IngestErrorPlace): JsonObject => {
    const value = parseYaml(textOf(bytes), { limits: this.limits, place, duplicateKeys: 'reject' });
    if (isJsonObject(value)) return value;
    throw new IngestError('not-an-object', 'a YAML document with items is not a mapping', place);
  };

  private parse(text: string, piece: UnreadPiece): JsonValue {
    const { offset, line, column } = piece;
    const place = { offset, line, column, item: this.report.items };
    return piece.format === 'json'
      ? this.parseJsonText(text, place, 'last')
      : parseYaml(text, { limits: this.limits, place, duplicateKeys: 'last' });
  }

  private parseJsonText(text: string, place: IngestErrorPlace, duplicateKeys: 'last' | 'reject'): JsonValue {
    try {
      return parseJson(text, { maxDepth: this.limits.maxDepth, duplicateKeys });
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      const line = (place.line ?? 1) + error.line - 1;
      const column = error.line === 1 ? (place.column ?? 1) + error.column - 1 : error.column;
      throw new IngestError(
        'malformed-json',
        error.reason,
        { ...place, offset: undefined, line, column },
        { cause: error },
      );
    }
  }

  private *readValue(value: JsonValue, piece: UnreadPiece, bytes: number): Generator<ObjectRow, void> {
    // Unpack nested lists and watch events here, from last to first, so that the order is preserved.
    const stack: { value: JsonValue; list: JsonObject | undefined; level: number }[] = [
      { value, list: piece.list?.envelope, level: 0 },
    ];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { list, level } = next;
      const object = this.unwrap(next.value, piece);
      if (object === undefined) continue;
      const inner = isJsonObject(object) ? object : list;
      const elements = Array.isArray(object) ? object : listItems(object);
      if (elements !== undefined) {
        if (level >= MAX_NESTED_LISTS) throw this.misplaced('too-deep', 'lists are nested too deeply', piece);
        this.lists++;
        if (isJsonObject(object)) this.checkList(object, level === 0 ? piece.format : 'json', piece);
        stack.push(...elements.map((element) => ({ value: element, list: inner, level: level + 1 })).reverse());
        continue;
      }
      if (!isJsonObject(object)) throw this.misplaced('not-an-object', 'a value is not an object', piece);
      const item = this.countItem(piece);
      const type = inferType(object, list);
      this.refuseStatus(object, type, piece);
      if (type !== undefined) yield* this.keep(object, type, item, piece);
      else if (piece.list !== undefined && list === piece.list.envelope) this.wait(object, item, bytes, piece);
      else this.refuseUntyped(object, item, undefined);
    }
  }

  /** The object of a watch event; undefined if the event has none. */
  private unwrap(value: JsonValue, piece: UnreadPiece): JsonValue | undefined {
    if (!isJsonObject(value) || memberAt(value, 'kind') !== undefined) return value;
    const type = textAt(value, 'type');
    const object = memberAt(value, 'object');
    if (type === undefined || !isJsonObject(object)) return value;
    if (type === 'ADDED' || type === 'MODIFIED') return object;
    if (type === 'BOOKMARK') return undefined;
    // The server ends a watch with a Status.
    if (type === 'ERROR') return object;
    if (type === 'DELETED') {
      const given = givenName(object, undefined);
      const namespaced = isKeptKind(given.kind) && kindInfo(given.kind).namespaced;
      const name = namespaced && given.namespace === '' ? { ...given, namespace: 'default' } : given;
      if (!this.report.hasSeen(name)) return undefined;
      const message = 'Forbidden: a watch event deletes an object that came earlier in the stream; send a list instead';
      this.report.refuse(this.countItem(piece), name, [{ pointer: '', field: '', message }], 'FieldValueForbidden');
      return undefined;
    }
    throw this.misplaced('not-an-object', 'a watch event is neither ADDED, MODIFIED, DELETED nor BOOKMARK', piece);
  }

  private *endList(list: ListContext, format: 'json' | 'yaml'): Generator<ObjectRow, void> {
    this.lists++;
    this.checkList(list.envelope, format, list.place);
    const { waiting } = this;
    this.waiting = [];
    this.waitingBytes = 0;
    for (const { value, item } of waiting) {
      const type = inferType(value, list.envelope);
      if (type === undefined) this.refuseUntyped(value, item, list.envelope);
      else yield* this.keep(value, type, item, list.place);
    }
  }

  /** Stores an item whose list's `kind` may follow the items, as `jq -S` sorts it. */
  private wait(value: JsonObject, item: number, bytes: number, piece: UnreadPiece): void {
    this.waitingBytes += bytes;
    if (this.waitingBytes > 4 * this.limits.maxItemBytes) {
      const message =
        'the items have no kind, and the kind of their list does not come before them; move it to the front';
      throw this.misplaced('item-too-large', message, piece);
    }
    this.waiting.push({ value, item });
  }

  private *keep(value: JsonObject, type: TypeMeta, item: number, place: IngestErrorPlace): Generator<ObjectRow, void> {
    const decoded = decodeStoredObject(value, type);
    if (decoded.outcome === 'ignored') {
      this.report.ignore(decoded.apiVersion, decoded.kind);
      if (this.report.ignoredCount <= this.limits.maxIgnored) return;
      const message = `the stream contains more than ${this.limits.maxIgnored} objects of kinds that are not used`;
      throw this.misplaced('too-many-items', message, place);
    }
    const {
      kind = type.kind,
      namespace = '',
      name = '',
    } = decoded.outcome === 'object' ? nameOf(decoded.object) : decoded;
    let object: KubernetesObject | undefined;
    if (decoded.outcome === 'object') {
      this.report.drop(kind, decoded.droppedFields, decoded.unknownFieldCount, decoded.unknown);
      object = decoded.object;
    } else if (decoded.outcome === 'excessive') {
      this.report.forbid();
      this.report.refuse(item, { kind, namespace, name }, decoded.errors);
      return;
    } else if (decoded.salvage === undefined) {
      this.leaveOut(item, { kind, namespace, name }, decoded.errors);
    } else {
      this.report.refuse(item, { kind, namespace, name }, decoded.errors);
      if (this.keepInvalid) object = decoded.salvage;
      else this.checkUnread(place);
    }
    if (object === undefined) return;
    const { maxKeptBytes } = this.limits;
    const row = rowOf(object, resourceVersionOf(value), maxKeptBytes);
    if (row.content.length > maxKeptBytes || Buffer.byteLength(row.content) > maxKeptBytes) {
      this.report.forbid();
      this.report.refuse(item, { kind, namespace, name }, [tooLarge(maxKeptBytes)]);
      return;
    }
    this.report.keep(object, item);
    if (this.wantsRows) yield row;
  }

  /** Reports an object that cannot be stored, and marks its kind as incomplete. */
  private leaveOut(item: number, object: ObjectName, errors: readonly Omit<FieldError, 'type'>[], type?: string): void {
    this.report.refuse(item, object, errors, type);
    this.report.leaveOut(object.kind);
    this.checkUnread({});
  }

  /** A snapshot with an invalid object is rejected at the end, so no further rows are needed. */
  private get wantsRows(): boolean {
    return this.keepInvalid || this.report.invalidCount === 0;
  }

  /**
   * A complete list shows that its kind has no other objects. An incomplete list is rejected, because objects missing from it
   * would count as deleted.
   */
  private checkList(list: JsonObject, format: 'json' | 'yaml', { offset, line, column }: IngestErrorPlace): void {
    const place = { offset, line, column };
    const kind = elementKind(list);
    const metadata = memberAt(list, 'metadata');
    const more = isJsonObject(metadata) ? memberAt(metadata, 'continue') : undefined;
    const remaining = isJsonObject(metadata) ? memberAt(metadata, 'remainingItemCount') : undefined;
    if ((more !== undefined && more !== null && more !== '') || (isNumber(remaining) && Number(remaining) > 0)) {
      const left = isNumber(remaining) ? `, and ${String(remaining)} more objects are missing` : '';
      const message = `the ${textAt(list, 'kind')?.slice(0, 100) ?? 'list'} is one page of several${left}. Send the complete list: kubectl get reads all pages`;
      throw new IngestError('incomplete-list', message, place);
    }
    // kubectl writes a list's kind after its items.
    if (format === 'yaml' && textAt(list, 'kind')?.endsWith('List') !== true) {
      throw new IngestError('truncated', 'the YAML list has no kind after its items: its writer ended early', place);
    }
    const info = kind === undefined ? undefined : kindOf(textAt(list, 'apiVersion') ?? '', kind);
    if (info === undefined) return;
    this.report.occurs(info.kind);
    this.report.position(info.kind, resourceVersionOf(list));
  }

  private refuseStatus(
    object: JsonObject,
    type: TypeMeta | undefined,
    { offset, line, column }: IngestErrorPlace,
  ): void {
    if (textAt(object, 'kind') !== 'Status' || (type !== undefined && type.apiVersion !== 'v1')) return;
    const words = [textAt(object, 'reason'), memberAt(object, 'code')]
      .filter((word) => isNumber(word) || (typeof word === 'string' && /^[A-Za-z]{1,60}$/.test(word)))
      .map(String);
    const why = words.length === 0 ? '' : ` (${words.join(', ')})`;
    const message = `the body contains a Status of the API server${why} instead of objects`;
    throw new IngestError('status', message, { offset, line, column, item: this.report.items - 1 });
  }

  private refuseUntyped(value: JsonObject, item: number, list: JsonObject | undefined): void {
    const missing = textAt(value, 'kind') === undefined ? 'kind' : 'apiVersion';
    const error = { pointer: `/${missing}`, field: missing, message: TYPE_UNKNOWN };
    this.leaveOut(item, givenName(value, list), [error], 'FieldValueRequired');
  }

  private countItem(place: IngestErrorPlace): number {
    const item = this.report.items++;
    if (item < this.limits.maxItems) return item;
    throw this.misplaced('too-many-items', `the stream contains more than ${this.limits.maxItems} objects`, place);
  }

  /** Limits invalid objects: they cost more than valid ones, and a user does not read that many errors. */
  private checkUnread(place: IngestErrorPlace): void {
    if (++this.unread <= this.limits.maxUnread) return;
    const [first] = this.report.invalidItems;
    const message = `more than ${this.limits.maxUnread} objects are invalid`;
    const what =
      first === undefined ? '' : `; the first: ${first.field === '' ? '' : `${first.field}: `}${first.message}`;
    throw this.misplaced('too-many-unread', message + what, place);
  }

  private misplaced(
    code: 'too-deep' | 'not-an-object' | 'item-too-large' | 'too-many-items' | 'too-many-unread',
    message: string,
    { offset, line, column }: IngestErrorPlace,
  ): IngestError {
    return new IngestError(code, message, { offset, line, column, item: this.report.items });
  }
}

/** The items of a list; undefined for other values. */
function listItems(value: JsonValue): JsonValue[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const items = memberAt(value, 'items');
  if (Array.isArray(items)) return items;
  // A Go client writes an empty list as null.
  return items === null && textAt(value, 'kind')?.endsWith('List') === true ? [] : undefined;
}

/** The kind and name that an object states, before validation. */
function givenName(value: JsonValue, list: JsonObject | undefined): ObjectName {
  if (!isJsonObject(value)) return { kind: '', namespace: '', name: '' };
  const metadata = memberAt(value, 'metadata');
  const text = (key: string): string => (isJsonObject(metadata) ? textAt(metadata, key) : undefined) ?? '';
  const type = inferType(value, list);
  const kept = type && kindOf(type.apiVersion, type.kind);
  const wellFormed = (name: string): string => name.replaceAll(/\p{Surrogate}|\0/gu, '\ufffd').slice(0, 300);
  return {
    kind: wellFormed(kept?.kind ?? type?.kind ?? textAt(value, 'kind') ?? ''),
    namespace: wellFormed(text('namespace')),
    name: wellFormed(text('name')),
  };
}

const nameOf = ({ kind, metadata }: KubernetesObject): ObjectName => ({
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

const isNumber = (value: JsonValue | undefined): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

const tooLarge = (bytes: number): FieldError => ({
  type: 'FieldValueTooLong',
  pointer: '',
  field: '',
  message: `Too long: the stored part of the object may be at most ${bytes} bytes`,
});

/** The `metadata.resourceVersion` of an object or a list; null where it is absent or no text. */
function resourceVersionOf(value: JsonObject): string | null {
  const metadata = memberAt(value, 'metadata');
  return versionOf(isJsonObject(metadata) ? textAt(metadata, 'resourceVersion') : undefined);
}

/** @param maxBytes what is withheld is left out if it is longer */
function rowOf(object: KubernetesObject, resourceVersion: string | null, maxBytes: number): ObjectRow {
  const [stored, whole] = object.kind === 'ConfigMap' ? parted(object as ConfigMap) : [object, undefined];
  const content = stringifyJson(stored, { sortKeys: true });
  const withheld = whole === undefined ? undefined : stringifyJson(whole, { sortKeys: true });
  const isKept = withheld !== undefined && Buffer.byteLength(withheld) <= maxBytes;
  return {
    kind: object.kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    uid: object.metadata.uid ?? null,
    resourceVersion,
    hash: hash('sha256', versionText(object.kind, content), 'buffer').subarray(0, HASH_BYTES),
    content,
    ...(isKept && { withheld }),
  };
}

/** A ConfigMap without its data, and with it. */
function parted({ data = {}, binaryData, ...rest }: ConfigMap): [KubernetesObject, ConfigMap] {
  return [rest, { ...rest, data, ...defined({ binaryData }) }];
}
