import { Best } from '../collections/best.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { FieldSelector } from '../kubernetes/field-selector.js';
import type { Selector } from '../kubernetes/label-selector.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';
import type { StoredPod } from './stored-pod-fields.js';

/** Selects pods that meet every given criterion. */
export interface PodCriteria {
  readonly labels?: Selector;
  readonly fields?: FieldSelector<StoredPod>;
  readonly namespace?: string;
  /** `spec.nodeName`; the empty string selects pods without a node. */
  readonly nodeName?: string;
  readonly phase?: string;
  /** The outermost known controller, or the pod itself. */
  readonly workload?: { readonly kind?: string; readonly name?: string };
  /** The pod tolerates all of these taints. */
  readonly tolerates?: readonly Taint[];
}

/** A position in the order of namespaces and names. */
export interface PodPlace {
  readonly namespace: string;
  readonly name: string;
}

export interface PodSelection {
  /** Indexes of pods, in order of namespace and name. */
  readonly page: readonly number[];
  /** The number of pods after the page that meet the criteria. */
  readonly remaining: number;
  readonly total: number;
}

/** Pods processed between two yields. */
const STRIDE = 2048;

/**
 * The first `size` pods after a position that meet the criteria. Selectors are evaluated once per distinct set of labels, and
 * tolerations once per distinct list; only the page is sorted. A generator, so that the caller can let other work run in
 * between; it yields nothing.
 */
export function* selectPods(
  state: ClusterState,
  criteria: PodCriteria,
  size: number,
  after: PodPlace | undefined,
  gates: TolerationGates,
): Generator<undefined, PodSelection> {
  const { pods } = state;
  const fits = podJudge(state, criteria, gates);
  const smallest = new Best<number>(size, (a, b) => comparePods(placeOf(pods, a), placeOf(pods, b)));
  let total = 0;
  let following = 0;
  let seen = 0;
  for (const pod of candidates(state, criteria)) {
    if (++seen % STRIDE === 0) yield undefined;
    if (!fits(pod)) continue;
    total++;
    if (after !== undefined && comparePods(placeOf(pods, pod), after) <= 0) continue;
    following++;
    smallest.add(pod);
  }
  const page = smallest.sorted();
  return { page, remaining: following - page.length, total };
}

/** The pods that may meet the criteria: for a node, only its pods are visited. */
function candidates({ nodes, pods }: ClusterState, { nodeName }: PodCriteria): Iterable<number> {
  const node = nodeName === undefined ? -1 : nodes.indexOf(nodeName);
  return node >= 0 ? nodes.podsOf(node) : range(pods.count);
}

function* range(end: number): Generator<number, undefined> {
  for (let i = 0; i < end; i++) yield i;
}

const placeOf = (pods: ClusterState['pods'], pod: number): PodPlace => ({
  namespace: pods.namespace(pod),
  name: pods.name(pod),
});

function comparePods(a: PodPlace, b: PodPlace): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function podJudge(state: ClusterState, criteria: PodCriteria, gates: TolerationGates): (pod: number) => boolean {
  const { pods, tolerationSets } = state;
  const { labels, fields, namespace, nodeName, phase, workload, tolerates } = criteria;
  const tests: ((pod: number) => boolean)[] = [];
  // The cheapest tests come first, because each saves calls of the later ones.
  if (namespace !== undefined) tests.push((pod) => pods.namespace(pod) === namespace);
  if (nodeName !== undefined) tests.push((pod) => pods.nodeName(pod) === nodeName);
  if (phase !== undefined) tests.push((pod) => pods.phase(pod) === phase);
  if (tolerates !== undefined && tolerates.length > 0) {
    const verdict = remember((setId: number) =>
      tolerates.every((taint) => indexOfTolerating(tolerationSets[setId]!, taint, gates) !== -1),
    );
    tests.push((pod) => verdict(pods.tolerationSetId(pod)));
  }
  if (labels !== undefined) {
    // Equal label sets share one object.
    const verdict = remember((set: Labels) => labels.matches(set));
    tests.push((pod) => verdict(pods.labels(pod)));
  }
  if (workload !== undefined) {
    tests.push((pod) => {
      const { kind, name } = pods.workload(pod);
      return (workload.kind ?? kind) === kind && (workload.name ?? name) === name;
    });
  }
  if (fields !== undefined) tests.push((index) => fields.matches({ pods, index }));
  return (pod) => tests.every((test) => test(pod));
}

function remember<Key>(judge: (key: Key) => boolean): (key: Key) => boolean {
  const known = new Map<Key, boolean>();
  return (key) => {
    let verdict = known.get(key);
    if (verdict === undefined) known.set(key, (verdict = judge(key)));
    return verdict;
  };
}
