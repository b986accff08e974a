import { comparePodNames } from '../cluster/compare-pod-names.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Refusal } from '../admission/admission-chain.js';
import { compare } from '../json/compare.js';
import { releasedClaims } from '../devices/assumed-claims.js';
import { claimsThere } from '../devices/pod-claims.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { Selector } from '../kubernetes/label-selector.js';
import type { KubernetesObject, Labels } from '../kubernetes/objects/meta.js';
import type { ResourceClaim, ResourceSlice } from '../kubernetes/objects/dra.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { DraftQuotas } from './draft-quotas.js';
import { without } from '../collections/without.js';

/** The maximum number of objects that a scenario may change or add. */
export const MAX_OBJECTS = 20_000;

/** Thrown if a change would affect more than MAX_OBJECTS. */
export class TooManyObjects extends Error {}

/**
 * The maximum number of edits of nodes in all changes of a scenario, including the nodes' labels and taints, which are all
 * validated again; takes some seconds.
 */
export const MAX_EDITS = 2_000_000;

/** Thrown if the changes would make more than MAX_EDITS. */
export class TooManyEdits extends Error {}

/** Rows processed between two yields of a generator. */
const STRIDE = 2048;
/** Objects added to the new state between two yields. */
const FEW = 64;

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** A pod that its controller could not create again. */
export interface RefusedPod extends PodName {
  readonly nodeName: string;
  readonly refusal: Refusal;
}

interface OtherObject extends PodName {
  readonly kind: KeptKind;
  readonly object: KubernetesObject | null;
}

interface DoubtfulNodes {
  readonly names: readonly string[];
  /** Why their devices are not known. */
  readonly why: string;
  /** The change that adds them. */
  readonly at: FieldPath;
}

/** The number of objects that differ from the base state. */
export interface TouchedCounts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

/**
 * A state with changes on top: each change sees the results of those before it, and the new state is built once, from all of
 * them.
 */
export class ScenarioDraft {
  /** By name; null if the node is removed. */
  private readonly nodes = new Map<string, Node | null>();
  /** By `namespace/name`; null if the pod is removed. */
  private readonly pods = new Map<string, Pod | null>();
  /** The keys of pods in `pods` by their current node. */
  private readonly podsOn = new Map<string, Set<string>>();
  private readonly others = new Map<string, OtherObject>();
  /** Names of ResourceSlices by the node that they name; undefined until somebody asks. */
  private slices: Map<string, Set<string>> | undefined;
  /**
   * Kinds of which the scenario puts or removes objects; if such a kind was never loaded, the scenario's objects are taken as
   * complete.
   */
  private readonly supposed = new Set<KeptKind>();
  /** Added nodes of which it is not known which devices they have. */
  private readonly doubtful: DoubtfulNodes[] = [];
  /** Nodes whose ResourceSlices the scenario gives. */
  private readonly nodesOfPutSlices = new Set<string>();
  /** The state for admission with the changes so far; undefined after a further change. */
  private lookedUp: ClusterState | undefined;
  /** Pods that are gone because admission refused them when they were replaced. */
  readonly refused = new Map<string, RefusedPod>();
  /** Whether nodes or pods may be missing because they could not be added. */
  readonly incomplete = { nodes: false, pods: false };
  readonly quotas: DraftQuotas;
  /** Notes on what the counts do not show. */
  readonly notes: string[] = [];

  private edits = 0;

  constructor(readonly base: ClusterState) {
    this.quotas = new DraftQuotas(this);
  }

  get rules(): KubernetesRules {
    return this.base.rules;
  }

  /** Counts the edits that a change is about to make. @throws {TooManyEdits} */
  count(edits: number): void {
    this.edits += edits;
    if (this.edits > MAX_EDITS) throw new TooManyEdits();
  }

  node(name: string): Node | undefined {
    const own = this.nodes.get(name);
    if (own !== undefined) return own ?? undefined;
    const index = this.base.nodes.indexOf(name);
    return index < 0 ? undefined : this.base.nodes.node(index);
  }

  pod({ namespace, name }: PodName): Pod | undefined {
    const own = this.pods.get(`${namespace}/${name}`);
    if (own !== undefined) return own ?? undefined;
    const index = this.base.pods.indexOf(namespace, name);
    return index < 0 ? undefined : this.base.pods.pod(index);
  }

  /** The nodes that match a selector, or all nodes without one, by name. */
  *selectNodes(selector: Selector | undefined): Generator<undefined, readonly Node[]> {
    const found: Node[] = [];
    const fits = ({ metadata }: Node): boolean => selector?.matches(metadata.labels ?? {}) !== false;
    const { nodes } = this.base;
    for (let index = 0; index < nodes.count; index++) {
      if (index % STRIDE === STRIDE - 1) yield undefined;
      const node = nodes.node(index);
      if (!this.nodes.has(node.metadata.name) && fits(node)) found.push(node);
    }
    for (const node of this.nodes.values()) if (node !== null && fits(node)) found.push(node);
    return found.sort((a, b) => compare(a.metadata.name, b.metadata.name));
  }

  /** The pods of one namespace, or of all, that match a selector. */
  *selectPods(namespace: string | undefined, selector: Selector | undefined): Generator<undefined, readonly Pod[]> {
    const stored: number[] = [];
    const found: Pod[] = [];
    const { pods } = this.base;
    // Equal label sets share one object.
    const judged = new Map<Labels, boolean>();
    const fits = (labels: Labels): boolean => {
      if (selector === undefined) return true;
      let verdict = judged.get(labels);
      if (verdict === undefined) judged.set(labels, (verdict = selector.matches(labels)));
      return verdict;
    };
    for (let index = 0; index < pods.count; index++) {
      if (index % STRIDE === STRIDE - 1) yield undefined;
      if (namespace !== undefined && pods.namespace(index) !== namespace) continue;
      if (!fits(pods.labels(index)) || this.pods.has(pods.key(index))) continue;
      stored.push(index);
      if (stored.length > MAX_OBJECTS) throw new TooManyObjects();
    }
    for (const index of stored) {
      found.push(pods.pod(index));
      yield undefined;
    }
    for (const pod of this.pods.values()) {
      if (pod === null || (namespace !== undefined && pod.metadata.namespace !== namespace)) continue;
      if (fits(pod.metadata.labels ?? {})) found.push(pod);
    }
    return found;
  }

  /** The pods of a RuntimeClass. */
  *podsOfClass(runtimeClassName: string): Generator<undefined, readonly Pod[]> {
    const stored: number[] = [];
    const found: Pod[] = [];
    const { pods } = this.base;
    for (let index = 0; index < pods.count; index++) {
      if (index % STRIDE === STRIDE - 1) yield undefined;
      if (pods.specOf(pods.specId(index)).runtimeClassName !== runtimeClassName) continue;
      if (this.pods.has(pods.key(index))) continue;
      stored.push(index);
      if (stored.length > MAX_OBJECTS) throw new TooManyObjects();
    }
    for (const index of stored) {
      found.push(pods.pod(index));
      yield undefined;
    }
    for (const pod of this.pods.values()) if (pod?.spec.runtimeClassName === runtimeClassName) found.push(pod);
    return found;
  }

  /** The pods that are currently on a node: those of the state by namespace and name, then those of the scenario. */
  podsOfNode(name: string): readonly Pod[] {
    const { nodes, pods } = this.base;
    const index = nodes.indexOf(name);
    const stored = index < 0 ? [] : [...nodes.podsOf(index)].sort((a, b) => comparePodNames(pods, a, b));
    const untouched = stored.map((pod) => pods.pod(pod)).filter(({ metadata }) => !this.pods.has(keyOf(metadata)));
    const touched = [...(this.podsOn.get(name) ?? [])].flatMap((key) => this.pods.get(key) ?? []);
    return [...untouched, ...touched];
  }

  /** An object of another kind; `namespace` is empty for kinds without one. */
  find(kind: KeptKind, name: string, namespace = ''): KubernetesObject | undefined {
    const own = this.others.get(`${kind} ${namespace}/${name}`);
    return own === undefined ? this.base.find(kind, namespace, name) : (own.object ?? undefined);
  }

  /** All objects of another kind. */
  objects(kind: KeptKind): readonly KubernetesObject[] {
    if (!this.supposed.has(kind)) return this.base.objects(kind);
    const found = new Map(this.base.objects(kind).map((one) => [keyOf(one.metadata), one]));
    for (const { kind: own, namespace, name, object } of this.others.values()) {
      if (own !== kind) continue;
      if (object === null) found.delete(`${namespace}/${name}`);
      else found.set(`${namespace}/${name}`, object);
    }
    return [...found.values()];
  }

  /** Adds or replaces an object of another kind, or removes it if `object` is null. */
  putObject(kind: KeptKind, namespace: string, name: string, object: KubernetesObject | null): void {
    if (namespace !== '') this.quotas.objectChanges(kind, namespace, name, object);
    this.others.set(`${kind} ${namespace}/${name}`, { kind, namespace, name, object });
    this.supposed.add(kind);
    if (this.slices !== undefined) noteSlice(this.slices, object);
    this.lookedUp = undefined;
    this.checkSize();
  }

  /** The state that admission reads: with the changes so far, except those of nodes and pods. */
  get admissionState(): ClusterState {
    if (this.others.size === 0) return this.base;
    if (this.lookedUp === undefined) {
      const state = this.base.fork();
      const edit = state.edit();
      for (const other of this.others.values()) put(edit, other);
      this.lookedUp = state.after(edit, this.supposed);
    }
    return this.lookedUp;
  }

  putNode(node: Node): void {
    this.nodes.set(node.metadata.name, node);
    this.checkSize();
  }

  /** Removes a node, with the objects that exist only for it. */
  removeNode(name: string): void {
    this.nodes.set(name, null);
    if (this.find('CSINode', name) !== undefined) this.putCsiNode(name, null);
    for (const { metadata } of this.slicesOf(name)) this.putObject('ResourceSlice', '', metadata.name, null);
    this.checkSize();
  }

  /** The devices of added nodes are not known, unless the scenario gives their ResourceSlices. */
  doubtDevices(doubtful: DoubtfulNodes): void {
    this.doubtful.push(doubtful);
  }

  areDevicesDoubtful(node: string): boolean {
    return this.doubtful.some(({ names }) => names.includes(node)) && !this.nodesOfPutSlices.has(node);
  }

  /** Takes a ResourceSlice as what is to be known of the devices of its nodes. */
  knowDevices({ spec: { nodeName, devices = [] } = { driver: '' } }: ResourceSlice): void {
    for (const name of [nodeName, ...devices.map((device) => device.nodeName)]) {
      if (name !== undefined) this.nodesOfPutSlices.add(name);
    }
  }

  /** Why it is not known which devices nodes have; notes it where somebody may ask. */
  private unknownDevices(): ReadonlyMap<string, string> {
    const unknown = new Map<string, string>();
    const isAsked = (['ResourceSlice', 'DeviceClass'] as const).some((kind) => this.admissionState.count(kind) > 0);
    for (const { names, why, at } of this.doubtful) {
      const left = names.filter((name) => !this.nodesOfPutSlices.has(name) && this.node(name) !== undefined);
      for (const name of left) unknown.set(name, why);
      if (left.length > 0 && isAsked) {
        this.notes.push(`${at.toString()}: ${why}; give their ResourceSlices in putObjects`);
      }
    }
    return unknown;
  }

  /** The ResourceSlices that name a node: no other one can use their devices. */
  slicesOf(nodeName: string): readonly ResourceSlice[] {
    if (this.slices === undefined) {
      this.slices = new Map();
      for (const slice of this.base.objects('ResourceSlice')) noteSlice(this.slices, slice);
      for (const { object } of this.others.values()) noteSlice(this.slices, object);
    }
    return [...(this.slices.get(nodeName) ?? [])].flatMap((name) => {
      const slice = this.find('ResourceSlice', name);
      return nodeOfSlice(slice) === nodeName ? [slice as ResourceSlice] : [];
    });
  }

  putPod(pod: Pod): void {
    const key = keyOf(pod.metadata);
    this.quotas.podChanges(pod.metadata.namespace ?? '', pod.metadata.name, pod);
    this.leaveNode(key);
    this.pods.set(key, pod);
    const { nodeName = '' } = pod.spec;
    if (nodeName !== '') {
      const there = this.podsOn.get(nodeName) ?? new Set();
      this.podsOn.set(nodeName, there.add(key));
    }
    this.checkSize();
  }

  /** A pod goes, with the claims for devices that were made for it, and its controller creates another one. */
  replacePod(pod: Pod, replacement: Pod): void {
    this.releaseClaims(pod);
    const { status = {} } = replacement;
    this.putPod({ ...replacement, status: without(status, 'resourceClaimStatuses', 'extendedResourceClaimStatus') });
  }

  /** What the controller of claims does once a pod has left. */
  private releaseClaims(pod: Pod): void {
    const { namespace = '' } = pod.metadata;
    const claims = claimsThere(pod, (name) => this.find('ResourceClaim', name, namespace) as ResourceClaim | undefined);
    const { changed, deleted } = releasedClaims(claims, pod);
    for (const claim of changed) this.putObject('ResourceClaim', namespace, claim.metadata.name, claim);
    for (const { metadata } of deleted) this.putObject('ResourceClaim', namespace, metadata.name, null);
  }

  removePod(name: PodName): void {
    const pod = this.pod(name);
    if (pod !== undefined) this.releaseClaims(pod);
    const key = `${name.namespace}/${name.name}`;
    this.quotas.podChanges(name.namespace, name.name, undefined);
    this.leaveNode(key);
    this.pods.set(key, null);
    this.checkSize();
  }

  putCsiNode(name: string, object: KubernetesObject | null): void {
    this.others.set(`CSINode /${name}`, { kind: 'CSINode', namespace: '', name, object });
  }

  /** The pods that differ from the base state. */
  touchedPods(): readonly PodName[] {
    return [...this.pods.keys()].map(nameOf);
  }

  /** Builds the state with all changes, in steps; values that it interns do not get into the base state. */
  *finish(): Generator<undefined, ClusterState> {
    const state = this.base.fork();
    const edit = state.edit();
    let turn = 0;
    const unknown = this.unknownDevices();
    for (const [name, node] of this.nodes) {
      if (++turn % FEW === 0) yield undefined;
      const unknownDevices = unknown.get(name);
      const object = node === null || unknownDevices === undefined ? node : { ...node, unknownDevices };
      put(edit, { kind: 'Node', namespace: '', name, object });
    }
    for (const [key, object] of this.pods) {
      if (++turn % FEW === 0) yield undefined;
      put(edit, { kind: 'Pod', ...nameOf(key), object });
    }
    for (const other of this.others.values()) put(edit, other);
    return yield* state.stepAfter(edit, this.supposed);
  }

  counts(): { readonly nodes: TouchedCounts; readonly pods: TouchedCounts } {
    const { nodes, pods } = this.base;
    return {
      nodes: tally(this.nodes, (name) => nodes.indexOf(name) >= 0),
      pods: tally(this.pods, (key) => {
        const slash = key.indexOf('/');
        return pods.indexOf(key.slice(0, slash), key.slice(slash + 1)) >= 0;
      }),
    };
  }

  private leaveNode(key: string): void {
    const nodeName = this.pods.get(key)?.spec.nodeName;
    if (nodeName !== undefined) this.podsOn.get(nodeName)?.delete(key);
  }

  private checkSize(): void {
    if (this.nodes.size + this.pods.size + this.others.size > MAX_OBJECTS) throw new TooManyObjects();
  }
}

function put(edit: ReturnType<ClusterState['edit']>, { kind, namespace, name, object }: OtherObject): void {
  if (object === null) edit.delete(kind, namespace, name);
  else edit.upsert(object);
}

function nameOf(key: string): PodName {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

function noteSlice(slices: Map<string, Set<string>>, object: KubernetesObject | null): void {
  const nodeName = nodeOfSlice(object);
  if (object === null || nodeName === undefined) return;
  slices.set(nodeName, (slices.get(nodeName) ?? new Set()).add(object.metadata.name));
}

const nodeOfSlice = (object: KubernetesObject | null | undefined): string | undefined =>
  object?.kind === 'ResourceSlice' ? (object as ResourceSlice).spec?.nodeName : undefined;

const keyOf = ({ namespace = '', name }: Pod['metadata']): string => `${namespace}/${name}`;

function tally(touched: ReadonlyMap<string, object | null>, wasThere: (key: string) => boolean): TouchedCounts {
  const counts = { added: 0, removed: 0, changed: 0 };
  for (const [key, object] of touched) {
    if (wasThere(key)) counts[object === null ? 'removed' : 'changed'] += 1;
    else if (object !== null) counts.added += 1;
  }
  return counts;
}
