import { isAscii } from 'node:buffer';
import { hash } from 'node:crypto';
import type { SnapshotRow } from '../core/cluster/object-row.js';
import { defined } from '../core/collections/defined.js';
import type { JsonObject, JsonValue } from '../core/json/json-value.js';
import { parseJson } from '../core/json/lossless-json.js';
import { type KeptKind, type KindInfo, kindOf } from '../core/kubernetes/kinds.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';
import { KIND_SCHEMAS } from '../core/kubernetes/schema/kind-schemas.js';
import { constant } from '../core/kubernetes/schema/scalars.js';
import type { Schema } from '../core/kubernetes/schema/schema.js';
import { readTaintOwnership } from '../core/kubernetes/schema/taint-ownership.js';
import { hasHeartbeats, versionText } from '../core/kubernetes/version-text.js';
import { validateStoredObject } from '../core/kubernetes/validation/stored-object.js';
import { elementKind, textAt } from './infer-kind.js';
import { ByteArena } from './byte-arena.js';
import type { IngestLimits } from './ingest-limits.js';
import { BEYOND, type ItemMemo } from './item-memo.js';
import { HASH_BYTES, type KnownHashes } from './known-hashes.js';
import { MAX_ENTRIES, WALKED_LISTS } from './list-limits.js';
import { COLON, COMMA, passed, skipBlanks, skipName, startsWith, UNSURE } from './json-bytes.js';
import { MemoBudget } from './source-memo.js';
import { SourceReader } from './source-reader.js';
import { type SourceNode, SourceSchemas, type Watched } from './source-schema.js';

/** An item that was read without parsing. */
export interface ProjectedItem {
  /** The members that a report needs; not the whole object. */
  readonly object: KubernetesObject;
  readonly row: SnapshotRow;
  readonly droppedFields: number;
  /** The index after the item, and the number of line feeds in it. */
  readonly end: number;
  readonly lineFeeds: number;
}

const NAME = 0;
const NAMESPACE = 1;
const UID = 2;
const LABELS = 3;
const NODE_NAME = 4;
const TOLERATIONS = 5;
const TAINTS = 6;
const STATUS = 7;
const KUBELET_VERSION = 8;
/** Tolerations of pod templates, which no rule validates. */
const TEMPLATE_TOLERATIONS = 9;
const RESOURCE_VERSION = 10;

const METADATA: Watched = {
  members: {
    name: { capture: NAME },
    namespace: { capture: NAMESPACE },
    uid: { capture: UID },
    labels: { capture: LABELS },
    resourceVersion: { capture: RESOURCE_VERSION },
  },
};
/** `managedFields` are dropped except for the owners of taints, as in `decodeObject`. */
const OWNERSHIP: Watched = {
  derive: {
    name: 'taintOwnership',
    valueOf: (source) => readTaintOwnership({ metadata: { managedFields: parseJson(source) } }),
  },
};
const WATCHED: Readonly<Record<'DeviceTaintRule' | 'Node' | 'Pod', Watched>> = {
  DeviceTaintRule: { members: { metadata: { members: { ...METADATA.members, managedFields: OWNERSHIP } } } },
  Node: {
    members: {
      metadata: { members: { ...METADATA.members, managedFields: OWNERSHIP } },
      spec: { members: { taints: { capture: TAINTS } } },
      status: { capture: STATUS, members: { nodeInfo: { members: { kubeletVersion: { capture: KUBELET_VERSION } } } } },
    },
  },
  Pod: {
    members: {
      metadata: METADATA,
      spec: { members: { nodeName: { capture: NODE_NAME }, tolerations: { capture: TOLERATIONS } } },
    },
  },
};
function watchedOf(kind: KeptKind): Watched {
  if (kind === 'DeviceTaintRule' || kind === 'Node' || kind === 'Pod') return WATCHED[kind];
  const [first, ...rest] = WALKED_LISTS[kind] ?? [];
  const members = { metadata: METADATA };
  if (first === undefined) return { members };
  const list = rest.reduceRight<Watched>((inner, name) => ({ members: { [name]: inner } }), {
    capture: TEMPLATE_TOLERATIONS,
  });
  return { members: { ...members, [first]: list } };
}

/** More than the schemas nest; the rest of the limit is for values of any shape. */
const SCHEMA_DEPTH = 50;
/** The number of texts known to be valid; enough for the workloads of a large cluster. */
const MAX_VALID = 20_000;
const MAX_TYPES = 100;
const VERSION = /^[!-~]{1,100}$/;

/** What a stream is compared with while it is read; its rows are `EncodedRow`s and `UnchangedRow`s. */
export interface Comparison {
  readonly known: KnownHashes;
  readonly memo?: ItemMemo;
}

interface Projection {
  readonly info: KindInfo;
  readonly root: SourceNode;
}

/**
 * The first members of an item and their meaning, for example `{"apiVersion":"v1","kind":"Pod",`; without types if another
 * member comes first.
 */
interface Head {
  readonly bytes: Buffer;
  readonly apiVersion?: string;
  readonly kind?: string;
}

/**
 * Turns the bytes of an ordinary item into a row without parsing it: checks and skips dropped parts, and copies the rest.
 * `project` returns undefined, without side effects, for any other item: one that is unusual (see SourceReader), has an error
 * or an unknown field, or is of a kind or version that is ignored or converted. The caller then parses it.
 *
 * Each stream needs its own instance, which caches parts of what it has read.
 */
export class ItemProjector {
  private readonly reader: SourceReader | undefined;
  private readonly budget = new MemoBudget();
  /** The contents of encoded rows. */
  private readonly contents = new ByteArena();
  private readonly projections = new Map<string, Projection | undefined>();
  private head: Head | undefined;
  private list: JsonObject | undefined;
  private listType: { kind: string; apiVersion: string } | undefined;
  private listTypeText = '';
  /** By capture number. */
  private readonly valid = new Map([LABELS, TOLERATIONS, TAINTS].map((capture) => [capture, new Set<string>()]));

  /** @param comparison absent: every row is whole */
  constructor(
    private readonly limits: IngestLimits,
    private readonly comparison?: Comparison,
  ) {
    const { maxDepth } = limits;
    if (maxDepth > SCHEMA_DEPTH) this.reader = new SourceReader(maxDepth - SCHEMA_DEPTH);
  }

  /** Copies the text that `project` reads from. */
  load(text: Uint8Array): void {
    this.comparison?.memo?.endText();
    this.reader?.load(text);
  }

  /**
   * The item whose opening brace is at `at`; undefined also if the text ends before the item does, or probably does.
   *
   * @param list the envelope of the list that contains the item
   * @param whole whether the text contains the whole item
   */
  project(at: number, list: JsonObject | undefined, whole: boolean): ProjectedItem | undefined {
    const { reader, comparison } = this;
    if (reader === undefined) return undefined;
    if (comparison?.memo !== undefined) {
      const found = comparison.memo.find(reader.bytes, at, reader.limit, this.typeIn(list), comparison.known);
      if (found === BEYOND && !whole) return undefined;
      if (found !== undefined && found !== BEYOND) return found;
    }
    const projection = this.projectionFor(reader.bytes, at, list);
    if (projection === undefined) return undefined;
    passed.lineFeeds = 0;
    const end = reader.readObject(projection.root, at);
    if (end === UNSURE || end - at > this.limits.maxItemBytes) return undefined;
    return this.finish(projection.info, reader, at, end, list);
  }

  private finish(
    info: KindInfo,
    reader: SourceReader,
    at: number,
    end: number,
    list: JsonObject | undefined,
  ): ProjectedItem | undefined {
    const { captured, droppedFields } = reader;
    const name = textIn(captured[NAME]);
    const namespace = textIn(captured[NAMESPACE]);
    // A missing namespace would mean `default`, and cluster-scoped kinds must have none.
    if (name === undefined || info.namespaced !== (namespace !== undefined && namespace !== '')) return undefined;
    if (!info.namespaced && namespace !== undefined) return undefined;
    if (reader.length > this.limits.maxKeptBytes) return undefined;
    if (LIMITED.some((capture) => mayHaveTooMany(captured[capture]))) return undefined;
    const object = this.witness(info.kind, name, namespace, captured);
    if (validateStoredObject(object).length > 0) return undefined;
    this.noteValid(captured);
    const canonical = reader.out.subarray(0, reader.length);
    const rowHash = Buffer.from(
      hash('sha256', versionOfText(info.kind, canonical), 'binary').slice(0, HASH_BYTES),
      'binary',
    );
    const resourceVersion = versionOf(textIn(captured[RESOURCE_VERSION]));
    const { lineFeeds } = passed;
    if (this.comparison !== undefined) {
      const { memo, known } = this.comparison;
      const listType = this.head?.kind === undefined ? this.typeIn(list) : '';
      memo?.add(reader.bytes, at, end, { object, hash: rowHash, resourceVersion, droppedFields, lineFeeds, listType });
      const unchanged = known.indexOf(rowHash, 0);
      if (unchanged >= 0) return { object, row: { unchanged, resourceVersion }, droppedFields, end, lineFeeds };
    }
    const row = {
      kind: info.kind,
      namespace: namespace ?? '',
      name,
      uid: textIn(captured[UID]) ?? null,
      resourceVersion,
      hash: rowHash,
      ...(this.comparison === undefined ? { content: decoded(canonical) } : { utf8: this.contents.copyOf(canonical) }),
    };
    return { object, row, droppedFields, end, lineFeeds };
  }

  /**
   * The part of the object that its rules (`validateStoredObject`) and the report read, without parts known to be valid. The
   * rules for quantities only reject negative ones, which the reader never accepts.
   */
  private witness(
    kind: string,
    name: string,
    namespace: string | undefined,
    captured: readonly (string | undefined)[],
  ): KubernetesObject {
    const unproven = (capture: number): Record<string, JsonValue> | JsonValue[] | undefined => {
      const text = captured[capture];
      if (text === undefined || this.valid.get(capture)!.has(text)) return undefined;
      return parseJson(text) as Record<string, JsonValue> | JsonValue[];
    };
    const labels = unproven(LABELS);
    const object: Record<string, unknown> = {
      kind,
      metadata: { name, ...defined({ namespace, labels }) },
    };
    if (kind === 'Pod') {
      const tolerations = unproven(TOLERATIONS);
      const nodeName = textIn(captured[NODE_NAME]);
      object['spec'] = {
        containers: [],
        ...defined({ nodeName, tolerations }),
      };
    } else if (kind === 'Node') {
      const taints = unproven(TAINTS);
      const status = captured[STATUS];
      const kubeletVersion = textIn(captured[KUBELET_VERSION]);
      if (taints !== undefined) object['spec'] = { taints };
      if (status !== undefined) {
        object['status'] = status === '{}' ? {} : { nodeInfo: kubeletVersion === undefined ? {} : { kubeletVersion } };
      }
    }
    return object as unknown as KubernetesObject;
  }

  private noteValid(captured: readonly (string | undefined)[]): void {
    for (const [capture, valid] of this.valid) {
      const text = captured[capture];
      if (text === undefined) continue;
      if (valid.size > MAX_VALID) valid.clear();
      valid.add(text);
    }
  }

  private projectionFor(bytes: Buffer, at: number, list: JsonObject | undefined): Projection | undefined {
    if (this.head === undefined || !startsWith(bytes, at, this.head.bytes)) this.head = readHead(bytes, at);
    const { head } = this;
    if (head === undefined) return undefined;
    if (head.kind !== undefined && head.apiVersion !== undefined) return this.projection(head.apiVersion, head.kind);
    this.enter(list);
    return this.listType && this.projection(this.listType.apiVersion, this.listType.kind);
  }

  /** Reads the type of a list's items. The envelope grows when its list ends, but its items come before that. */
  private enter(list: JsonObject | undefined): void {
    if (list === this.list) return;
    this.list = list;
    const kind = list && elementKind(list);
    const apiVersion = list && textAt(list, 'apiVersion');
    this.listType = kind === undefined || apiVersion === undefined ? undefined : { kind, apiVersion };
    this.listTypeText = this.listType === undefined ? '' : `${this.listType.apiVersion}\0${this.listType.kind}`;
  }

  /** The type that a list gives to its items, as one text; empty if it gives none. */
  private typeIn(list: JsonObject | undefined): string {
    this.enter(list);
    return this.listTypeText;
  }

  private projection(apiVersion: string, kind: string): Projection | undefined {
    const key = `${apiVersion}\0${kind}`;
    if (this.projections.has(key)) return this.projections.get(key);
    if (this.projections.size > MAX_TYPES) return undefined;
    const info = kindOf(apiVersion, kind);
    // Of a ConfigMap, the data is parted from the rest.
    const isOrdinary = info?.apiVersions[0] === apiVersion && info.kind !== 'ConfigMap';
    const projection = isOrdinary ? { info, root: this.compile(info) } : undefined;
    this.projections.set(key, projection);
    return projection;
  }

  private compile(info: KindInfo): SourceNode {
    const schemas = new SourceSchemas(this.budget);
    return schemas.compile(withApiVersion(KIND_SCHEMAS[info.kind], info.apiVersions[0]), true, watchedOf(info.kind));
  }
}

/** Returns undefined if only one of the two members is at the front, or anything is unusual. */
function readHead(bytes: Buffer, start: number): Head | undefined {
  const type: { apiVersion?: string; kind?: string } = {};
  let at = skipBlanks(bytes, start + 1);
  for (;;) {
    const nameEnd = skipName(bytes, at);
    if (nameEnd === UNSURE) return undefined;
    const name = bytes.toString('latin1', at + 1, nameEnd - 1);
    if (name !== 'apiVersion' && name !== 'kind') {
      return Object.keys(type).length === 0 ? { bytes: Buffer.from(bytes.subarray(start, nameEnd)) } : undefined;
    }
    at = skipBlanks(bytes, nameEnd);
    if (bytes[at] !== COLON) return undefined;
    at = skipBlanks(bytes, at + 1);
    const end = skipName(bytes, at);
    if (end === UNSURE) return undefined;
    type[name] = bytes.toString('latin1', at + 1, end - 1);
    at = skipBlanks(bytes, end);
    if (bytes[at] !== COMMA) return undefined;
    at++;
    const { apiVersion, kind } = type;
    if (apiVersion !== undefined && kind !== undefined) {
      return { bytes: Buffer.from(bytes.subarray(start, at)), apiVersion, kind };
    }
    at = skipBlanks(bytes, at);
  }
}

/** The schema of a kind, restricted to one API version. */
function withApiVersion(schema: Schema<unknown>, apiVersion: string): Schema<unknown> {
  const { shape } = schema;
  if (shape.type !== 'object') throw new TypeError('the schema of a kind is an object');
  const only = constant(apiVersion);
  const fields = new Map(shape.fields).set('apiVersion', { schema: only, keep: true });
  const always = shape.always.map(([name, zero]) => [name, name === 'apiVersion' ? only : zero] as const);
  return { ...schema, shape: { ...shape, fields, always } };
}

const decoded = (text: Buffer): string => (isAscii(text) ? text.toString('latin1') : text.toString('utf8'));

/** The part of canonical JSON that makes an object another version. */
const versionOfText = (kind: KeptKind, canonical: Buffer): Buffer | string =>
  hasHeartbeats(kind) ? versionText(kind, decoded(canonical)) : canonical;

const LIMITED = [TAINTS, TOLERATIONS, TEMPLATE_TOLERATIONS];

/** Whether a list in canonical JSON is long enough to exceed the maximum: an entry needs at least two brackets and a comma. */
const mayHaveTooMany = (list: string | undefined): boolean => list !== undefined && list.length > 3 * MAX_ENTRIES;

/** The resourceVersion of an object or a list; null if there is none, or it cannot be one: etcd's have at most 19 digits. */
export const versionOf = (text: string | undefined): string | null =>
  text !== undefined && VERSION.test(text) ? text : null;

/** The string value of a JSON string. */
function textIn(json: string | undefined): string | undefined {
  if (json === undefined) return undefined;
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}
