import { NOTHING } from '../collections/nothing.js';
import { finish } from '../collections/finish.js';
import { sameValue } from '../json/same-value.js';
import type { Int64, Labels, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Pod, PodSpec, PodStatus } from '../kubernetes/objects/pod.js';
import type { PodResourceVector } from '../resources/request-vector.js';
import type { HostPort } from './host-ports.js';
import { internText, type InternTable } from './intern-table.js';
import type { InternedTables } from './interned-tables.js';
import {
  deletionTimestampOf,
  hasSharedMeta,
  hasSharedSpec,
  hasSharedStatus,
  joinPod,
  nameOf,
  ownTexts,
  pinOf,
  sharedMeta,
  sharedSpec,
  sharedStatus,
  startTimeOf,
  statusShape,
  uidOf,
} from './pod-parts.js';
import { podRequestOf, textOfRequest, type PodRequest } from './pod-request.js';
import { ShardedMap, type ShardedMapEdit } from './sharded-map.js';
import { SpecShape } from './spec-shape.js';
import { BrokenImage, type UnreadLines } from './unread-text.js';

/** The number of pods per chunk, which a change of one pod copies. */
export const CHUNK = 512;

const NO_PODS = new Int32Array(0);
const COLUMNS = ['namespace', 'node', 'spec', 'labels', 'owner', 'meta', 'status', 'request'] as const;
/** A part of a pod, which is an ID in a table; of its node -1 if it has none. */
export type Column = (typeof COLUMNS)[number];

type Special = 'ports' | 'antiAffinity' | 'nominated';

type Ids = Readonly<Record<Column, Int32Array>>;

/** What a pod's text takes in memory beside its characters, with its name. */
const BYTES_OF_TEXT = 80;

/** Up to CHUNK pods: a column of IDs for each interned part, and each pod's individual values as one JSON array. */
class PodChunk {
  private special: Readonly<Record<Special, number[]>> | undefined;
  private placed: ReadonlyMap<number, readonly number[]> | undefined;
  private started: Float64Array | undefined;
  private names: string[] | undefined;
  private length: number | undefined;

  private constructor(
    readonly ids: Ids,
    public count: number,
    /** The individual values of each pod. */
    private texts: string[] | undefined,
    /** Where they are while they are not read: the lines from one on. */
    private unread: { readonly lines: UnreadLines; readonly from: number } | undefined,
  ) {}

  static empty(): PodChunk {
    const chunk = new PodChunk(columnsOf(), 0, [], undefined);
    chunk.names = [];
    return chunk;
  }

  /** Pods whose individual values are lines, from one on; their IDs are still to be set. */
  static unread(lines: UnreadLines, from: number, count: number): PodChunk {
    return new PodChunk(columnsOf(), count, undefined, { lines, from });
  }

  copy(): PodChunk {
    const ids = columnsOf();
    for (const column of COLUMNS) ids[column].set(this.ids[column]);
    const copy = new PodChunk(ids, this.count, this.own().slice(), undefined);
    copy.names = this.names?.slice();
    return copy;
  }

  /** The individual values of a pod, as JSON. */
  ownText(offset: number): string {
    return (this.texts ?? this.own())[offset]!;
  }

  name(offset: number): string {
    return (this.names ??= this.own().map(nameOf))[offset]!;
  }

  /** Only in a copy that nobody else has. */
  put(offset: number, own: string, name: string): void {
    const texts = this.own();
    texts[offset] = own;
    if (this.names !== undefined) this.names[offset] = name;
    this.count = texts.length;
  }

  /** Only in a copy, as `put`. */
  dropLast(): void {
    this.count -= 1;
    this.own().length = this.count;
    if (this.names !== undefined) this.names.length = this.count;
  }

  /** The approximate bytes in memory. Of a copy that is still edited it is not asked. */
  get bytes(): number {
    const ids = COLUMNS.length * 4 * CHUNK;
    if (this.texts === undefined) return ids + (this.unread!.lines.bytes * this.count) / this.unread!.lines.count;
    this.length ??= this.texts.reduce((sum, text) => sum + text.length, 0);
    return ids + this.length + BYTES_OF_TEXT * this.count;
  }

  private own(): string[] {
    if (this.texts === undefined) {
      const { lines, from } = this.unread!;
      this.texts = lines.all().slice(from, from + this.count);
      this.unread = undefined;
    }
    return this.texts;
  }

  /** The offsets of active pods that can affect other pods; computed once, because a finished chunk never changes. */
  specials(tables: InternedTables): NonNullable<PodChunk['special']> {
    if (this.special !== undefined) return this.special;
    const special = { ports: [] as number[], antiAffinity: [] as number[], nominated: [] as number[] };
    const { spec, status, node } = this.ids;
    for (let i = 0; i < this.count; i++) {
      const { hasHostPorts, hasRequiredAntiAffinity } = tables.specs.at(spec[i]!);
      const { ended, nominatedNodeName } = tables.statuses.at(status[i]!);
      if (ended) continue;
      if (hasHostPorts) special.ports.push(i);
      if (hasRequiredAntiAffinity) special.antiAffinity.push(i);
      if (nominatedNodeName !== '' && node[i] === -1) special.nominated.push(i);
    }
    this.special = special;
    return special;
  }

  /** The start time of each pod in milliseconds since the epoch, or NaN; computed once, like the specials. */
  startTimes(tables: InternedTables): Float64Array {
    if (this.started !== undefined) return this.started;
    const started = new Float64Array(this.count).fill(Number.NaN);
    const { status } = this.ids;
    for (let i = 0; i < started.length; i++) {
      if (tables.statuses.at(status[i]!).status?.startTime === undefined) continue;
      started[i] = Date.parse(startTimeOf(this.ownText(i)) ?? '');
    }
    this.started = started;
    return started;
  }

  /** By namespace ID, the offsets of active pods with a node name; computed once, like the specials. */
  onNodes(tables: InternedTables): ReadonlyMap<number, readonly number[]> {
    if (this.placed !== undefined) return this.placed;
    const placed = new Map<number, number[]>();
    const { namespace, status, node } = this.ids;
    for (let i = 0; i < this.count; i++) {
      if (node[i] === -1 || tables.statuses.at(status[i]!).ended) continue;
      const offsets = placed.get(namespace[i]!);
      if (offsets === undefined) placed.set(namespace[i]!, [i]);
      else offsets.push(i);
    }
    this.placed = placed;
    return placed;
  }
}

function columnsOf(): Ids {
  // One allocation for all columns takes half the time.
  const all = new Int32Array(COLUMNS.length * CHUNK);
  const ids: Partial<Record<Column, Int32Array>> = {};
  for (const [index, column] of COLUMNS.entries()) ids[column] = all.subarray(index * CHUNK, (index + 1) * CHUNK);
  return ids as Record<Column, Int32Array>;
}

/** What an entry of the index takes in memory. */
const BYTES_OF_ENTRY = 120;

/** The number of each pod by its key; made when a pod is first looked up. */
class PodIndex {
  constructor(
    private readonly chunks: readonly PodChunk[],
    private map: ShardedMap<number> | undefined,
  ) {}

  get entries(): ShardedMap<number> {
    return this.map ?? finish(this.stepMake());
  }

  get bytes(): number {
    return BYTES_OF_ENTRY * (this.map?.size ?? 0);
  }

  /** Makes it if it is not made yet, with a pause after some pods. */
  *stepMake(): Generator<undefined, ShardedMap<number>> {
    if (this.map !== undefined) return this.map;
    const edit = ShardedMap.empty<number>().edit();
    for (const [number, chunk] of this.chunks.entries()) {
      for (let i = 0; i < chunk.count; i++) {
        edit.set(keyOf(chunk.ids.namespace[i]!, chunk.name(i)), number * CHUNK + i);
        if (i % 64 === 0) yield;
      }
    }
    return (this.map ??= edit.finish());
  }
}

/** Pods and chunks that are looked at before a pause: a few pods of each chunk are no work, and a pause takes as long as several of them. */
const PAUSE_AFTER = 64;

/** The pods of a state, without values that depend on other objects. Node names are IDs in `tables.strings`. */
export class PodColumns {
  private readonly found = new Map<Special, readonly number[]>();

  private constructor(
    readonly tables: InternedTables,
    private readonly chunks: readonly PodChunk[],
    readonly count: number,
    private readonly index: PodIndex,
    /** By node name ID; undefined if no pod has the node name. */
    private readonly podsByNode: readonly (Int32Array | undefined)[],
  ) {}

  static empty(tables: InternedTables): PodColumns {
    return new PodColumns(tables, [], 0, new PodIndex([], ShardedMap.empty()), []);
  }

  /** The same pods with forked tables. */
  over(tables: InternedTables): PodColumns {
    return new PodColumns(tables, this.chunks, this.count, this.index, this.podsByNode);
  }

  /** Starts an edit, which does not modify these columns and returns new ones. */
  edit(): PodEdit {
    return new PodEdit(
      this.tables,
      [...this.chunks],
      this.count,
      this.index,
      [...this.podsByNode],
      (chunks, count, index, podsByNode) => new PodColumns(this.tables, chunks, count, index, podsByNode),
    );
  }

  id(column: Column, pod: number): number {
    return this.chunkOf(pod).ids[column][pod % CHUNK]!;
  }

  name(pod: number): string {
    return this.chunkOf(pod).name(pod % CHUNK);
  }

  namespace(pod: number): string {
    return this.tables.strings.at(this.id('namespace', pod));
  }

  nodeName(pod: number): string {
    const id = this.id('node', pod);
    return id === -1 ? '' : this.tables.strings.at(id);
  }

  indexOf(namespace: string, name: string): number {
    const id = this.tables.strings.find(namespace);
    return id === undefined ? -1 : (this.index.entries.get(keyOf(id, name)) ?? -1);
  }

  /** Makes what pods are looked up by, with pauses; otherwise it is made at once when it is first needed. */
  *stepIndex(): Generator<undefined, void> {
    yield* this.index.stepMake();
  }

  podsNaming(nodeNameId: number): Int32Array {
    return this.podsByNode[nodeNameId] ?? NO_PODS;
  }

  pod(pod: number): Pod {
    const { tables } = this;
    return joinPod({
      meta: tables.metas.at(this.id('meta', pod)),
      labels: tables.labelSets.at(this.id('labels', pod)),
      ownerReferences: tables.owners.at(this.id('owner', pod)),
      spec: tables.specs.at(this.id('spec', pod)).spec,
      status: tables.statuses.at(this.id('status', pod)).status,
      own: JSON.parse(this.chunkOf(pod).ownText(pod % CHUNK)) as (string | null)[],
    });
  }

  labels(pod: number): Labels {
    return this.tables.labelSets.at(this.id('labels', pod)) ?? {};
  }

  annotations(pod: number): Readonly<Record<string, string>> {
    return this.tables.metas.at(this.id('meta', pod)).meta.annotations ?? {};
  }

  ownerReferences(pod: number): readonly OwnerReference[] {
    return this.tables.owners.at(this.id('owner', pod)) ?? [];
  }

  /** The individual values of a pod, as JSON (`ownTexts`). */
  ownText(pod: number): string {
    return this.chunkOf(pod).ownText(pod % CHUNK);
  }

  uid(pod: number): string {
    return uidOf(this.chunkOf(pod).ownText(pod % CHUNK)) ?? '';
  }

  deletionTimestamp(pod: number): string {
    return deletionTimestampOf(this.chunkOf(pod).ownText(pod % CHUNK)) ?? '';
  }

  startedAt(pod: number): number {
    return this.chunkOf(pod).startTimes(this.tables)[pod % CHUNK]!;
  }

  deletionGracePeriodSeconds(pod: number): Int64 | undefined {
    return this.tables.metas.at(this.id('meta', pod)).meta.deletionGracePeriodSeconds;
  }

  phase(pod: number): string {
    return this.tables.statuses.at(this.id('status', pod)).phase;
  }

  active(pod: number): boolean {
    return !this.tables.statuses.at(this.id('status', pod)).ended;
  }

  ready(pod: number): boolean {
    return this.tables.statuses.at(this.id('status', pod)).ready;
  }

  terminating(pod: number): boolean {
    return this.tables.metas.at(this.id('meta', pod)).terminating;
  }

  specOf(specId: number): PodSpec {
    return this.tables.specs.at(specId).spec;
  }

  statusOf(statusId: number): PodStatus | undefined {
    return this.tables.statuses.at(statusId).status;
  }

  tolerationSetId(pod: number): number {
    return this.tables.specs.at(this.id('spec', pod)).tolerationSetId;
  }

  priority(pod: number): number {
    return this.tables.specs.at(this.id('spec', pod)).priority;
  }

  hostPorts(pod: number): readonly HostPort[] {
    return this.tables.specs.at(this.id('spec', pod)).hostPorts;
  }

  request(pod: number): PodRequest {
    return this.tables.requests.at(this.id('request', pod));
  }

  requests(pod: number): PodResourceVector {
    return this.request(pod).vector;
  }

  nominatedNodeName(pod: number): string {
    return this.tables.statuses.at(this.id('status', pod)).nominatedNodeName;
  }

  /** The active pods that use host ports, that have required anti-affinity, or that are nominated to a node. Computed once. */
  specials(which: Special): readonly number[] {
    const known = this.found.get(which);
    if (known !== undefined) return known;
    const found: number[] = [];
    this.found.set(which, found);
    this.chunks.forEach((chunk, number) => {
      for (const offset of chunk.specials(this.tables)[which]) found.push(number * CHUNK + offset);
    });
    return found;
  }

  /** The namespaces of the active pods with a node name. */
  placedNamespaces(): readonly string[] {
    const ids = new Set<number>();
    for (const chunk of this.chunks) for (const id of chunk.onNodes(this.tables).keys()) ids.add(id);
    return Array.from(ids, (id) => this.tables.strings.at(id));
  }

  /** Visits the active pods with a node name, of some namespaces or of all, with the ID of the node's name; with pauses in between. */
  *stepEachPlaced(
    namespaces: Iterable<string> | undefined,
    visit: (pod: number, nodeNameId: number, labelSetId: number) => void,
  ): Generator<undefined, void> {
    const { tables } = this;
    const wanted = namespaces === undefined ? undefined : new Set<number>();
    for (const namespace of namespaces ?? []) {
      const id = tables.strings.find(namespace);
      if (id !== undefined) wanted!.add(id);
    }
    let work = 0;
    for (const [number, chunk] of this.chunks.entries()) {
      const placed = chunk.onNodes(tables);
      const { node, labels } = chunk.ids;
      work += 1;
      for (const id of wanted ?? placed.keys()) {
        const offsets = placed.get(id) ?? [];
        for (const offset of offsets) visit(number * CHUNK + offset, node[offset]!, labels[offset]!);
        work += offsets.length;
      }
      if (work < PAUSE_AFTER) continue;
      work = 0;
      yield;
    }
    yield;
  }

  /** Counts the pods by toleration set ID. */
  countTolerationSets(): Int32Array {
    const bySpec = new Int32Array(this.tables.specs.size);
    for (const chunk of this.chunks) {
      const ids = chunk.ids.spec;
      for (let i = 0; i < chunk.count; i++) bySpec[ids[i]!]! += 1;
    }
    const counts = new Int32Array(this.tables.tolerationSets.size);
    bySpec.forEach((pods, spec) => (counts[this.tables.specs.at(spec).tolerationSetId]! += pods));
    return counts;
  }

  get approximateBytes(): number {
    return this.chunks.reduce((sum, { bytes }) => sum + bytes, this.index.bytes);
  }

  private chunkOf(pod: number): PodChunk {
    const chunk = this.chunks[Math.floor(pod / CHUNK)];
    if (chunk === undefined || pod < 0 || pod >= this.count) throw new RangeError(`no pod ${pod}`);
    return chunk;
  }
}

interface SharedIds {
  readonly meta: number;
  readonly labels: number;
  readonly owner: number;
  readonly spec: number;
  readonly status: number;
  readonly request: number;
}

type MakeColumns = (
  chunks: readonly PodChunk[],
  count: number,
  index: PodIndex,
  podsByNode: readonly (Int32Array | undefined)[],
) => PodColumns;

/**
 * Changes that are being collected for new columns. Chunks are copied at their first change. Must not be used after `stepFinish`.
 */
export class PodEdit {
  private readonly owned = new Set<number>();
  /** Made when a pod is first looked up. */
  private indexEdit: ShardedMapEdit<number> | undefined;
  private readonly templates = new Map<string, SharedIds>();
  private readonly drafts = new Map<number, number[]>();
  /** The name IDs of the nodes whose pods changed. */
  readonly touchedNodes = new Set<number>();

  constructor(
    readonly tables: InternedTables,
    private readonly chunks: PodChunk[],
    private count: number,
    /** Undefined if pods have been added that it does not have. */
    private index: PodIndex | undefined,
    private readonly podsByNode: (Int32Array | undefined)[],
    private readonly make: MakeColumns,
  ) {}

  upsert(pod: Pod): void {
    const { tables } = this;
    const shared = this.sharedIds(pod);
    const namespace = tables.stringId(pod.metadata.namespace ?? '');
    const key = keyOf(namespace, pod.metadata.name);
    const index = this.keys();
    const known = index.get(key);
    const at = known ?? this.count;
    if (known === undefined) {
      this.count += 1;
      index.set(key, at);
    } else {
      this.leaveNode(at);
    }
    const nodeName = pod.spec.nodeName ?? '';
    const node = nodeName === '' ? -1 : tables.stringId(nodeName);
    // The array's text is one flat string and the name a slice of it, so neither keeps the row in memory from which it was
    // parsed.
    const own = JSON.stringify(ownTexts(pod, shared.pin));
    const name = own.startsWith(pod.metadata.name, 2) ? own.slice(2, 2 + pod.metadata.name.length) : pod.metadata.name;
    this.put(at, name, own, { ...shared, namespace, node });
  }

  /**
   * Adds pods by their parts. No other may have their names, and there is none yet, or as many as fill chunks.
   * @param own `ownTexts` of each as JSON
   * @param ids of each column, those of all pods
   */
  append(own: UnreadLines, ids: Readonly<Record<Column, Int32Array>>): void {
    if (this.count % CHUNK !== 0) throw new BrokenImage();
    this.index = this.indexEdit = undefined;
    for (let from = 0; from < own.count; from += CHUNK) {
      const count = Math.min(CHUNK, own.count - from);
      const chunk = PodChunk.unread(own, from, count);
      for (const column of COLUMNS) chunk.ids[column].set(ids[column].subarray(from, from + count));
      this.owned.add(this.chunks.length);
      this.chunks.push(chunk);
    }
    ids.node.forEach((node, offset) => {
      if (node !== -1) this.draft(node).push(this.count + offset);
    });
    this.count += own.count;
  }

  private put(at: number, name: string, own: string, values: Readonly<Record<Column, number>>): void {
    const chunk = this.own(at);
    const offset = at % CHUNK;
    chunk.put(offset, own, name);
    for (const column of COLUMNS) chunk.ids[column][offset] = values[column];
    if (values.node !== -1) this.draft(values.node).push(at);
  }

  delete(namespace: string, name: string): boolean {
    const namespaceId = this.tables.strings.find(namespace);
    const at = namespaceId === undefined ? undefined : this.keys().get(keyOf(namespaceId, name));
    if (namespaceId === undefined || at === undefined) return false;
    this.keys().delete(keyOf(namespaceId, name));
    this.leaveNode(at);
    const last = this.count - 1;
    if (at !== last) this.move(last, at);
    this.own(last).dropLast();
    if (last % CHUNK === 0) this.chunks.pop();
    this.count = last;
    return true;
  }

  /** With a pause after each node whose pods changed. */
  *stepFinish(): Generator<undefined, PodColumns> {
    for (const [node, pods] of this.drafts) {
      // Holes would make the array slow.
      while (this.podsByNode.length < node) this.podsByNode.push(undefined);
      this.podsByNode[node] = pods.length === 0 ? undefined : Int32Array.from(pods);
      yield;
    }
    const index =
      this.indexEdit === undefined
        ? (this.index ?? new PodIndex(this.chunks, undefined))
        : new PodIndex(this.chunks, this.indexEdit.finish());
    return this.make(this.chunks, this.count, index, this.podsByNode);
  }

  private move(from: number, to: number): void {
    const source = this.chunks[Math.floor(from / CHUNK)]!;
    const target = this.own(to);
    const offset = from % CHUNK;
    target.put(to % CHUNK, source.ownText(offset), source.name(offset));
    for (const column of COLUMNS) target.ids[column][to % CHUNK] = source.ids[column][offset]!;
    this.keys().set(keyOf(source.ids.namespace[offset]!, source.name(offset)), to);
    const node = source.ids.node[offset]!;
    if (node === -1) return;
    const pods = this.draft(node);
    pods[pods.indexOf(from)] = to;
  }

  private keys(): ShardedMapEdit<number> {
    if (this.indexEdit === undefined) {
      const { entries } = this.index ?? new PodIndex(this.chunks, undefined);
      this.indexEdit = entries.edit();
    }
    return this.indexEdit;
  }

  private leaveNode(pod: number): void {
    const node = this.chunks[Math.floor(pod / CHUNK)]!.ids.node[pod % CHUNK]!;
    if (node === -1) return;
    const pods = this.draft(node);
    pods.splice(pods.indexOf(pod), 1);
  }

  private draft(node: number): number[] {
    let draft = this.drafts.get(node);
    if (draft === undefined) {
      draft = Array.from(this.podsByNode[node] ?? NO_PODS);
      this.drafts.set(node, draft);
      this.touchedNodes.add(node);
    }
    return draft;
  }

  private own(pod: number): PodChunk {
    const number = Math.floor(pod / CHUNK);
    const chunk = this.chunks[number];
    if (chunk !== undefined && this.owned.has(number)) return chunk;
    const owned = chunk?.copy() ?? PodChunk.empty();
    this.chunks[number] = owned;
    this.owned.add(number);
    return owned;
  }

  /**
   * The IDs of a pod's shared parts. The pod is first compared with the last one from the same template, which is several
   * times as fast as serializing each part to look it up.
   */
  private sharedIds(pod: Pod): SharedIds & { readonly pin: string | undefined } {
    const { tables } = this;
    const { metadata, spec, status } = pod;
    const pin = pinOf(spec);
    const template = `${metadata.generateName ?? metadata.ownerReferences?.[0]?.name ?? ''} ${metadata.namespace ?? ''}`;
    const last = this.templates.get(template);
    const ids = {
      meta:
        last !== undefined && hasSharedMeta(tables.metas.at(last.meta), pod)
          ? last.meta
          : intern(tables.metas, sharedMeta(pod)),
      labels:
        last !== undefined && sameValue(tables.labelSets.at(last.labels), metadata.labels)
          ? last.labels
          : intern(tables.labelSets, metadata.labels),
      owner:
        last !== undefined && sameValue(tables.owners.at(last.owner), metadata.ownerReferences)
          ? last.owner
          : intern(tables.owners, metadata.ownerReferences),
      spec:
        last !== undefined && hasSharedSpec(tables.specs.at(last.spec).spec, spec, pin)
          ? last.spec
          : this.specId(sharedSpec(spec, pin)),
      status:
        last !== undefined && hasSharedStatus(tables.statuses.at(last.status).status, status)
          ? last.status
          : this.statusId(status),
    };
    const same = last !== undefined && last.spec === ids.spec && last.status === ids.status;
    const shared = { ...NOTHING, ...ids, request: same ? last.request : this.requestId(ids.spec, ids.status) };
    this.templates.set(template, shared);
    return { ...NOTHING, ...shared, pin };
  }

  private specId(spec: PodSpec): number {
    return this.specIdOf(internText(spec), () => spec);
  }

  private statusId(status: PodStatus | undefined): number {
    const shared = status === undefined ? undefined : sharedStatus(status);
    return this.statusIdOf(internText(shared), () => shared);
  }

  /** The ID of a status without its times. @param text its `internText` */
  statusIdOf(text: string, shared: () => PodStatus | undefined): number {
    return this.tables.statuses.idOf(text, () => statusShape(shared()));
  }

  /** The ID of a spec as pods share it. @param text its `internText` */
  specIdOf(text: string, shared: () => PodSpec): number {
    return this.tables.specs.idOf(text, () => {
      const spec = shared();
      return SpecShape.of(spec, this.tables.tolerationSetId(spec.tolerations), this.tables.rules);
    });
  }

  /** The ID of the amounts of pods with a spec and a status. */
  requestId(spec: number, status: number): number {
    const { tables } = this;
    const { status: reported, hasResources } = tables.statuses.at(status);
    const key = hasResources ? `${spec}/${status}` : spec;
    const known = tables.requestIdOf(key);
    if (known !== undefined) return known;
    const request = podRequestOf(
      {
        spec: tables.specs.at(spec).spec,
        ...(hasResources && reported !== undefined ? { status: reported } : {}),
      },
      tables.rules,
    );
    const id = tables.requests.idOf(textOfRequest(request), () => request);
    tables.rememberRequestId(key, id);
    return id;
  }
}

const keyOf = (namespaceId: number, name: string): string => `${namespaceId}/${name}`;

function intern<T>(table: InternTable<T>, value: T): number {
  return table.idOf(internText(value), () => value);
}
