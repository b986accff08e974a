import { finish } from '../collections/finish.js';
import { parseJson } from '../json/lossless-json.js';
import { countAlike, DEFAULT_RULES, type KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import { KINDS, type KeptKind } from '../kubernetes/kinds.js';
import type { Int64, KubernetesObject, Labels, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodAffinityTerm, PodSpec, PodStatus } from '../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import type { PodResourceVector } from '../resources/request-vector.js';
import type { HostPort } from './host-ports.js';
import { InternedTables } from './interned-tables.js';
import { NodeColumns, type NodeChanges } from './node-columns.js';
import type { NodeTable } from './node-table.js';
import { PodColumns, type PodEdit } from './pod-columns.js';
import type { PodTable, Workload } from './pod-table.js';
import type { Setting, SettingKind } from './setting.js';
import { ShardedMap } from './sharded-map.js';
import {
  ImageReader,
  imageParts,
  ObjectLines,
  type ImagePart,
  type KeyedObject,
  type ObjectsOfKind,
} from './state-image.js';
import { objectOf, UnreadKind, type KeptObject, type UnreadObjects } from './unread-object.js';
import { BrokenImage, type PackedText } from './unread-text.js';
import { outermostController } from './workload.js';

/**
 * The changes between two states: first deletions, then upserts, which replace objects with the same kind, namespace and name.
 */
export interface ClusterChanges {
  readonly upserts?: Iterable<KubernetesObject>;
  readonly deletes?: Iterable<{ readonly kind: string; readonly namespace?: string; readonly name: string }>;
  /** Kinds that count as loaded afterwards, in addition to the earlier ones. */
  readonly loadedKinds?: Iterable<KeptKind>;
}

const NONE: readonly KubernetesObject[] = [];
/** What an object takes in memory, nodes and pods excepted. */
const BYTES_OF_OBJECT = 1200;
/** Pods that are looked up for the first time without a pause: for fewer, that is left until one is. */
const MOST_UNINDEXED = 8_192;
/** The objects of a kind in their order, and those of a namespace: states share them that share the objects. */
const sortedLists = new WeakMap<ShardedMap<KeptObject>, readonly KubernetesObject[]>();
const ofNamespaces = new WeakMap<ShardedMap<KeptObject>, Map<string, readonly KubernetesObject[]>>();

/**
 * The immutable state of one cluster at one revision, in columns of interned values.
 *
 * Equal taint sets, toleration sets, label sets, pod specs and requests share an ID, so that a question about the whole
 * cluster is evaluated once per distinct value, and the rows only look up the result.
 */
export class ClusterState {
  readonly pods: PodTable;

  private constructor(
    private readonly tables: InternedTables,
    private readonly nodeColumns: NodeColumns,
    private readonly podColumns: PodColumns,
    private readonly others: ReadonlyMap<string, ShardedMap<KeptObject>>,
    readonly loadedKinds: ReadonlySet<KeptKind>,
  ) {
    this.pods = new StatePods(podColumns, nodeColumns, (kind, namespace, name) => this.stored(kind, namespace, name));
  }

  static build(
    objects: Iterable<KubernetesObject>,
    loadedKinds: Iterable<KeptKind>,
    rules: KubernetesRules = DEFAULT_RULES,
  ): ClusterState {
    return ClusterState.empty(loadedKinds, rules).apply({ upserts: objects });
  }

  static empty(loadedKinds: Iterable<KeptKind>, rules: KubernetesRules = DEFAULT_RULES): ClusterState {
    const tables = InternedTables.empty(rules);
    const pods = PodColumns.empty(tables);
    return new ClusterState(tables, NodeColumns.empty(tables, pods), pods, new Map(), new Set(loadedKinds));
  }

  /** The rules of the cluster's version of Kubernetes. A state that was made of this one has the same. */
  get rules(): KubernetesRules {
    return this.tables.rules;
  }

  get nodes(): NodeTable {
    return this.nodeColumns;
  }

  /**
   * Distinct ordered lists of taints (without `timeAdded`), by taint set ID. It may contain lists that no node has any longer.
   */
  get taintSets(): readonly (readonly Taint[])[] {
    return this.tables.taintSets.values;
  }

  /** Distinct ordered lists of tolerations, by toleration set ID. It may contain lists that no pod has any longer. */
  get tolerationSets(): readonly (readonly Toleration[])[] {
    return this.tables.tolerationSets.values;
  }

  /** The approximate heap size of the state in bytes, including parts that it shares with other states. */
  get approximateBytes(): number {
    let others = 0;
    for (const map of this.others.values()) others += map.bytes(BYTES_OF_OBJECT);
    return this.tables.approximateBytes + this.nodeColumns.approximateBytes + this.podColumns.approximateBytes + others;
  }

  /** All objects of a kind, sorted by namespace and name. For Pod this assembles every pod: prefer `pods`. */
  objects(kind: KeptKind): readonly KubernetesObject[] {
    if (kind === 'Node') return this.nodeColumns.all();
    if (kind === 'Pod') return Array.from({ length: this.pods.count }, (_, i) => this.pods.pod(i)).sort(byKey);
    return this.listed(kind);
  }

  /** How many objects of a kind there are; none of them is read. */
  count(kind: KeptKind): number {
    if (kind === 'Node') return this.nodeColumns.count;
    if (kind === 'Pod') return this.pods.count;
    return this.others.get(kind)?.size ?? 0;
  }

  /** All objects of a namespaced kind other than Pod in a namespace, by name. Only these are read. */
  objectsIn(kind: Exclude<KeptKind, 'Node' | 'Pod'>, namespace: string): readonly KubernetesObject[] {
    const map = this.others.get(kind);
    if (map === undefined) return NONE;
    let known = ofNamespaces.get(map);
    if (known === undefined) ofNamespaces.set(map, (known = new Map<string, readonly KubernetesObject[]>()));
    let list = known.get(namespace);
    if (list === undefined) {
      list = Array.from(map.within(`${namespace}/`), ([, object]) => objectOf(object)).sort(byKey);
      known.set(namespace, list);
    }
    return list;
  }

  /** The setting of the cluster with a kind and name. */
  setting(kind: SettingKind, name: string): Setting | undefined {
    return this.stored(kind, '', name) as Setting | undefined;
  }

  /** All settings of a kind, by name. */
  settings(kind: SettingKind): readonly Setting[] {
    return this.listed(kind) as readonly Setting[];
  }

  private listed(kind: KeptKind | SettingKind): readonly KubernetesObject[] {
    const map = this.others.get(kind);
    if (map === undefined) return NONE;
    let list = sortedLists.get(map);
    if (list === undefined) sortedLists.set(map, (list = Array.from(map.values(), objectOf).sort(byKey)));
    return list;
  }

  /** The stored object, or undefined. The namespace is ignored for kinds without one. */
  find(kind: KeptKind | SettingKind, namespace: string | undefined, name: string): KubernetesObject | undefined {
    return this.stored(kind, namespace ?? '', name);
  }

  /**
   * A state with the changes applied, which shares unchanged parts with this one. The cost depends on the changes, not on the
   * cluster.
   */
  apply(changes: ClusterChanges): ClusterState {
    return finish(this.stepApply(changes));
  }

  /** As `apply`, with a pause after each object and each node. */
  *stepApply(changes: ClusterChanges): Generator<undefined, ClusterState> {
    const edit = this.edit();
    for (const { kind, namespace, name } of changes.deletes ?? []) {
      edit.delete(kind, namespace ?? '', name);
      yield;
    }
    for (const object of changes.upserts ?? []) {
      edit.upsert(object);
      yield;
    }
    return yield* this.stepAfter(edit, changes.loadedKinds);
  }

  /** Starts an edit; `after` returns the resulting state. */
  edit(): ClusterEdit {
    return new ClusterEdit(this.podColumns, this.others);
  }

  /** The state that results from an edit of this one. */
  after(edit: ClusterEdit, loadedKinds: Iterable<KeptKind> = []): ClusterState {
    return finish(this.stepAfter(edit, loadedKinds));
  }

  /** As `after`, with a pause after each node. */
  *stepAfter(edit: ClusterEdit, loadedKinds: Iterable<KeptKind> = []): Generator<undefined, ClusterState> {
    const { pods, others, nodes } = yield* edit.stepFinish();
    return new ClusterState(
      this.tables,
      yield* this.nodeColumns.stepApply(nodes, pods),
      pods,
      others,
      new Set([...this.loadedKinds, ...loadedKinds]),
    );
  }

  /**
   * What differs from another state, by what the two share: cheap if one was made from the other by a few changes. Parts that
   * were built separately count as different, even if they are equal.
   */
  changedParts(former: ClusterState): ChangedParts {
    const kinds = new Set<string>();
    for (const kind of new Set([...this.others.keys(), ...former.others.keys()])) {
      if (this.others.get(kind) !== former.others.get(kind)) kinds.add(kind);
    }
    const loaded = [...this.loadedKinds, ...former.loadedKinds];
    return {
      nodes: changedNodes(this.nodeColumns, former.nodeColumns),
      pods: this.podColumns !== former.podColumns,
      kinds,
      loadedKinds: loaded.some((kind) => this.loadedKinds.has(kind) !== former.loadedKinds.has(kind)),
    };
  }

  /**
   * The same state, for temporary changes: values that they intern are released with the states based on it, and never stored
   * in the tables of this one. The cost does not depend on the size of the cluster.
   */
  fork(rules = this.rules): ClusterState {
    const tables = this.tables.fork(rules);
    const pods = this.podColumns.over(tables);
    return new ClusterState(tables, this.nodeColumns.over(tables, pods), pods, this.others, this.loadedKinds);
  }

  /**
   * The same state with other sums of requests on some nodes: for each node, the amounts by resource (`NodeTable.requested`).
   * For questions about pods that come and go too quickly to be added to a state. The pods themselves are unchanged, and a
   * later change of a node's pods counts them again.
   */
  withRequested(rows: ReadonlyMap<number, ReadonlyMap<string, Int64>>): ClusterState {
    const { tables, podColumns, others, loadedKinds } = this;
    return new ClusterState(tables, this.nodeColumns.withRequested(rows), podColumns, others, loadedKinds);
  }

  /**
   * The same state, rebuilt without shared parts and without unused interned values. Worth its cost after many successive
   * changes.
   */
  compacted(): ClusterState {
    return this.rebuilt(this.rules);
  }

  /**
   * The same state under other rules. As expensive as building it anew if the amounts that pods hold depend on the difference.
   */
  under(rules: KubernetesRules): ClusterState {
    if (rules === this.rules) return this;
    return countAlike(rules, this.rules) ? this.fork(rules) : this.rebuilt(rules);
  }

  /** As `under`, with a pause after each object. */
  *stepUnder(rules: KubernetesRules): Generator<undefined, ClusterState> {
    return countAlike(rules, this.rules) ? this.under(rules) : yield* this.stepRebuilt(rules);
  }

  /** Makes what pods are looked up by and compared with, with pauses; otherwise it is made at once when it is first needed. */
  *stepIndex(): Generator<undefined, void> {
    yield* this.podColumns.stepIndex();
    yield* this.tables.stepList();
  }

  /** The number of all objects. */
  get size(): number {
    let others = 0;
    for (const map of this.others.values()) others += map.size;
    return this.nodes.count + this.pods.count + others;
  }

  /** The state in parts from which `ClusterStateBuilder.restore` makes it again, under any rules; with pauses in between. */
  image(): Generator<ImagePart | undefined, void> {
    return imageParts(this.podColumns, this.objectsByKind());
  }

  private rebuilt(rules: KubernetesRules): ClusterState {
    return finish(this.stepRebuilt(rules));
  }

  /** What pods share is read once, as from an image. */
  private *stepRebuilt(rules: KubernetesRules): Generator<undefined, ClusterState> {
    const builder = new ClusterStateBuilder(this.loadedKinds, rules);
    for (const keyed of this.exceptPods()) {
      builder.keep(...keyed);
      yield;
    }
    for (const part of imageParts(this.podColumns, [])) {
      if (part !== undefined) yield* builder.restore(part);
      yield;
    }
    return yield* builder.stepFinish();
  }

  private *objectsByKind(): Generator<readonly [string, ObjectsOfKind]> {
    yield ['Node', this.nodeColumns.all().map((node) => [node.metadata.name, node] as const)];
    for (const [kind, map] of this.others) {
      yield [kind, map.unread instanceof UnreadKind ? map.unread : map.entries()];
    }
  }

  private *exceptPods(): Generator<KeyedObject> {
    for (const node of this.nodeColumns.all()) yield ['Node', node.metadata.name, node];
    for (const [kind, map] of this.others) for (const [key, object] of map.entries()) yield [kind, key, object];
  }

  private stored(kind: string, namespace: string, name: string): KubernetesObject | undefined {
    if (kind === 'Node') {
      const index = this.nodes.indexOf(name);
      return index < 0 ? undefined : this.nodes.node(index);
    }
    if (kind === 'Pod') {
      const index = this.pods.indexOf(namespace, name);
      return index < 0 ? undefined : this.pods.pod(index);
    }
    const kept = this.others.get(kind)?.get(objectKey(kind, namespace, name));
    return kept && objectOf(kept);
  }
}

/** How two states differ: see `ClusterState.changedParts`. */
export interface ChangedParts {
  /** The indexes of the nodes that differ, which are the same in both; `others` if the states have different nodes. */
  readonly nodes: readonly number[] | 'others';
  readonly pods: boolean;
  /** Kinds other than Node and Pod, and kinds of settings. */
  readonly kinds: ReadonlySet<string>;
  readonly loadedKinds: boolean;
}

function changedNodes(nodes: NodeColumns, former: NodeColumns): readonly number[] | 'others' {
  if (nodes === former) return [];
  if (nodes.count !== former.count) return 'others';
  const changed: number[] = [];
  for (let node = 0; node < nodes.count; node++) {
    const [now, before] = [nodes.node(node), former.node(node)];
    if (now === before) continue;
    if (now.metadata.name !== before.metadata.name) return 'others';
    changed.push(node);
  }
  return changed;
}

/** Collects objects one by one, so that a stream of rows is never in memory as a whole. */
export class ClusterStateBuilder {
  private readonly start: ClusterState;
  private readonly changes: ClusterEdit;
  private readonly reader: ImageReader;
  /** By kind, the objects that are left unread. */
  private readonly lines = new Map<string, ObjectLines>();

  constructor(loadedKinds: Iterable<KeptKind>, rules?: KubernetesRules) {
    this.start = ClusterState.empty(loadedKinds, rules);
    this.changes = this.start.edit();
    this.reader = this.changes.imageReader();
  }

  /** Adds the objects of the next part of an image, with pauses in between. @throws {BrokenImage} */
  restore(part: ImagePart): Generator<undefined, void> {
    return this.reader.restore(part);
  }

  /** Of two objects with the same kind, namespace and name, the last one wins. */
  add(object: KubernetesObject): void {
    this.changes.upsert(object);
  }

  /**
   * Adds a stored object, which is left unread if it is neither a node nor a pod. No other may have its kind, namespace and name, and none
   * of these kinds may be added in another way.
   * @param json in one line
   */
  addStored(kind: string, namespace: string, name: string, json: string): void {
    if (kind === 'Node' || kind === 'Pod') {
      this.add(parseJson(json, { isTrusted: true }) as unknown as KubernetesObject);
      return;
    }
    let lines = this.lines.get(kind);
    if (lines === undefined) this.lines.set(kind, (lines = new ObjectLines(kind)));
    this.restoreAtOnce(lines.add(objectKey(kind, namespace, name), json));
  }

  private restoreAtOnce(part: ImagePart | undefined): void {
    if (part !== undefined) finish(this.restore(part));
  }

  /** Adds an object of another state as that keeps it. */
  keep(...keyed: KeyedObject): void {
    this.changes.keep(...keyed);
  }

  finish(): ClusterState {
    return finish(this.stepFinish());
  }

  /** As `finish`, with a pause after each node. */
  *stepFinish(): Generator<undefined, ClusterState> {
    for (const lines of this.lines.values()) this.restoreAtOnce(lines.rest());
    const state = yield* this.start.stepAfter(this.changes);
    if (state.pods.count > MOST_UNINDEXED) yield* state.stepIndex();
    return state;
  }
}

const NO_NODES: ReadonlySet<number> = new Set();

/** What an edit makes of the parts of a state. */
interface EditedColumns {
  readonly pods: PodColumns;
  readonly others: ReadonlyMap<string, ShardedMap<KeptObject>>;
  readonly nodes: NodeChanges;
}

/** Changes that are being collected for a new state. */
export class ClusterEdit {
  /** Made at the first change of a pod: it copies lists as long as the cluster. */
  private podEdit: PodEdit | undefined;
  private readonly nodeUpserts = new Map<string, Node>();
  private readonly nodeDeletes = new Set<string>();
  private readonly maps;
  private readonly editing = new Map<string, ReturnType<ShardedMap<KeptObject>['edit']>>();
  private readonly unread = new Map<string, UnreadKind>();

  constructor(
    private readonly pods: PodColumns,
    others: ReadonlyMap<string, ShardedMap<KeptObject>>,
  ) {
    this.maps = others;
  }

  upsert(object: KubernetesObject): void {
    if (object.kind === 'Pod') this.editOfPods().upsert(object as Pod);
    else if (object.kind === 'Node') this.nodeUpserts.set(object.metadata.name, object as Node);
    else {
      const { kind, metadata } = object;
      this.editOf(kind).set(objectKey(kind, metadata.namespace ?? '', metadata.name), object);
    }
  }

  /** Sets an object other than a pod. @param key as in the state that it comes from */
  keep(kind: string, key: string, kept: KeptObject): void {
    if (kind === 'Node') this.nodeUpserts.set(key, objectOf(kept) as Node);
    else this.editOf(kind).set(key, kept);
  }

  /** Deletes an object; ignored if the object does not exist. */
  delete(kind: string, namespace: string, name: string): void {
    if (kind === 'Pod') this.editOfPods().delete(namespace, name);
    else if (kind === 'Node') {
      this.nodeUpserts.delete(name);
      this.nodeDeletes.add(name);
    } else if (this.maps.has(kind) || this.editing.has(kind)) {
      this.editOf(kind).delete(objectKey(kind, namespace, name));
    }
  }

  /** Adds the objects of an image; of its pods, there may be none yet. */
  imageReader(): ImageReader {
    return new ImageReader(
      () => this.editOfPods(),
      (...keyed) => this.keep(...keyed),
      (kind, keys, objects) => this.keepUnread(kind, keys, objects),
    );
  }

  /** Leaves objects unread, of a kind of which there are no others yet. */
  private keepUnread(kind: string, keys: PackedText, objects: UnreadObjects): void {
    if (this.maps.has(kind) || this.editing.has(kind)) throw new BrokenImage();
    let unread = this.unread.get(kind);
    if (unread === undefined) this.unread.set(kind, (unread = new UnreadKind()));
    unread.add(keys, objects);
  }

  *stepFinish(): Generator<undefined, EditedColumns> {
    const touched = this.podEdit?.touchedNodes ?? NO_NODES;
    const others = new Map(this.maps);
    for (const [kind, unread] of this.unread) others.set(kind, ShardedMap.unread(unread));
    for (const [kind, edit] of this.editing) others.set(kind, edit.finish());
    return {
      pods: this.podEdit === undefined ? this.pods : yield* this.podEdit.stepFinish(),
      others,
      nodes: { upserts: this.nodeUpserts, deletes: this.nodeDeletes, touched },
    };
  }

  private editOfPods(): PodEdit {
    return (this.podEdit ??= this.pods.edit());
  }

  private editOf(kind: string): ReturnType<ShardedMap<KeptObject>['edit']> {
    let edit = this.editing.get(kind);
    if (edit === undefined) {
      const unread = this.unread.get(kind);
      const base = unread === undefined ? this.maps.get(kind) : ShardedMap.unread(unread);
      edit = (base ?? ShardedMap.empty<KeptObject>()).edit();
      this.editing.set(kind, edit);
      this.unread.delete(kind);
    }
    return edit;
  }
}

/** The pods of a state, with access to its nodes and workloads. */
class StatePods implements PodTable {
  /** By owner and namespace, combined in one number. */
  private readonly workloads = new Map<number, Workload | undefined>();
  private readonly specials = new Map<string, readonly number[]>();
  private nominations: readonly { readonly pod: number; readonly nodeIndex: number }[] | undefined;

  constructor(
    private readonly columns: PodColumns,
    private readonly nodes: NodeColumns,
    private readonly find: (kind: string, namespace: string, name: string) => KubernetesObject | undefined,
  ) {}

  get count(): number {
    return this.columns.count;
  }

  pod(index: number): Pod {
    return this.columns.pod(index);
  }

  name(index: number): string {
    return this.columns.name(index);
  }

  namespace(index: number): string {
    return this.columns.namespace(index);
  }

  key(index: number): string {
    return `${this.namespace(index)}/${this.name(index)}`;
  }

  indexOf(namespace: string, name: string): number {
    return this.columns.indexOf(namespace, name);
  }

  nodeIndex(index: number): number {
    const id = this.columns.id('node', index);
    return id === -1 ? -1 : this.nodes.indexOfNameId(id);
  }

  nodeName(index: number): string {
    return this.columns.nodeName(index);
  }

  phase(index: number): string {
    return this.columns.phase(index);
  }

  uid(index: number): string {
    return this.columns.uid(index);
  }

  deletionTimestamp(index: number): string {
    return this.columns.deletionTimestamp(index);
  }

  deletionGracePeriodSeconds(index: number): Int64 | undefined {
    return this.columns.deletionGracePeriodSeconds(index);
  }

  nominatedNodeName(index: number): string {
    return this.columns.nominatedNodeName(index);
  }

  active(index: number): boolean {
    return this.columns.active(index);
  }

  terminating(index: number): boolean {
    return this.columns.terminating(index);
  }

  ready(index: number): boolean {
    return this.columns.ready(index);
  }

  startedAt(index: number): number {
    return this.columns.startedAt(index);
  }

  labels(index: number): Labels {
    return this.columns.labels(index);
  }

  labelSetId(index: number): number {
    return this.columns.id('labels', index);
  }

  annotations(index: number): Readonly<Record<string, string>> {
    return this.columns.annotations(index);
  }

  ownerReferences(index: number): readonly OwnerReference[] {
    return this.columns.ownerReferences(index);
  }

  workload(index: number): Workload {
    const key = this.columns.id('owner', index) * MAX_NAMESPACES + this.columns.id('namespace', index);
    let workload = this.workloads.get(key);
    if (workload === undefined && !this.workloads.has(key)) {
      workload = outermostController(this.ownerReferences(index), this.namespace(index), this.find);
      this.workloads.set(key, workload);
    }
    return workload ?? { kind: 'Pod', namespace: this.namespace(index), name: this.name(index) };
  }

  tolerationSetId(index: number): number {
    return this.columns.tolerationSetId(index);
  }

  podsPerTolerationSet(): Int32Array {
    return this.columns.countTolerationSets();
  }

  specId(index: number): number {
    return this.columns.id('spec', index);
  }

  specOf(specId: number): PodSpec {
    return this.columns.specOf(specId);
  }

  statusId(index: number): number {
    return this.columns.id('status', index);
  }

  statusOf(statusId: number): PodStatus | undefined {
    return this.columns.statusOf(statusId);
  }

  priority(index: number): number {
    return this.columns.priority(index);
  }

  hostPorts(index: number): readonly HostPort[] {
    return this.columns.hostPorts(index);
  }

  requiredAntiAffinity(index: number): readonly PodAffinityTerm[] {
    return this.columns.tables.specs.at(this.specId(index)).requiredAntiAffinity;
  }

  requestId(index: number): number {
    return this.columns.id('request', index);
  }

  requests(index: number): PodResourceVector {
    return this.columns.requests(index);
  }

  nominated(): readonly { readonly pod: number; readonly nodeIndex: number }[] {
    this.nominations ??= this.columns
      .specials('nominated')
      .map((pod) => ({ pod, nodeIndex: this.nodes.indexOf(this.columns.nominatedNodeName(pod)) }))
      .filter(({ nodeIndex }) => nodeIndex >= 0);
    return this.nominations;
  }

  withHostPorts(): readonly number[] {
    return this.specialOnNodes('ports');
  }

  withRequiredAntiAffinity(): readonly number[] {
    return this.specialOnNodes('antiAffinity');
  }

  placedNamespaces(): readonly string[] {
    return this.columns.placedNamespaces();
  }

  forEachPlaced(
    namespaces: Iterable<string> | undefined,
    visit: (pod: number, node: number, labelSetId: number) => void,
  ): void {
    finish(this.stepEachPlaced(namespaces, visit));
  }

  stepEachPlaced(
    namespaces: Iterable<string> | undefined,
    visit: (pod: number, node: number, labelSetId: number) => void,
  ): Generator<undefined, void> {
    return this.columns.stepEachPlaced(namespaces, (pod, nodeNameId, labelSetId) => {
      const node = this.nodes.indexOfNameId(nodeNameId);
      if (node >= 0) visit(pod, node, labelSetId);
    });
  }

  private specialOnNodes(which: 'ports' | 'antiAffinity'): readonly number[] {
    let pods = this.specials.get(which);
    if (pods === undefined) {
      pods = this.columns.specials(which).filter((pod) => this.nodeIndex(pod) >= 0);
      this.specials.set(which, pods);
    }
    return pods;
  }
}

/** More names than a state can have, while the product with the number of owners is still a safe integer. */
const MAX_NAMESPACES = 2 ** 26;

const NAMESPACED: ReadonlyMap<string, boolean> = new Map(KINDS.map(({ kind, namespaced }) => [kind, namespaced]));

const objectKey = (kind: string, namespace: string, name: string): string =>
  NAMESPACED.get(kind) === false ? `/${name}` : `${namespace}/${name}`;

function byKey(a: KubernetesObject, b: KubernetesObject): number {
  const left = a.metadata.namespace ?? '';
  const right = b.metadata.namespace ?? '';
  if (left !== right) return left < right ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0;
}
