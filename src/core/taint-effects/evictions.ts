import { comparePodNames } from '../cluster/compare-pod-names.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload } from '../cluster/pod-table.js';
import { defined } from '../collections/defined.js';
import { FirstFew } from '../collections/first-few.js';
import { evictionTime } from '../eviction/eviction-time.js';
import { workloadKey } from '../inventory/pod-groups.js';
import { compare } from '../json/compare.js';
import { hasEnded } from '../kubernetes/has-ended.js';
import type { Labels, ObjectMeta, Timestamp } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';
import type { EditedNode, EditedNodes, TaintsBeforeAndAfter } from './edited-nodes.js';
import type { EvictionCause, EvictionEffects, PodEviction, WorkloadEvictions } from './taint-effects.js';

/** Pods between two steps of the generator. */
const STRIDE = 1024;
const STRIDE_OF_SHOWN = 64;

/** The effect of a change on pods with certain tolerations on a node with certain taints. */
export type EvictionChange =
  | { readonly when: 'now' | 'never'; readonly because: EvictionCause }
  | { readonly when: 'after'; readonly because: EvictionCause; readonly seconds: number }
  | { readonly when: 'cancelled' }
  | { readonly when: 'pending' };

/** Number of leaving pods with the same labels in one namespace, without those that have ended. */
export interface LabelledEvictions {
  readonly namespace: string;
  readonly labels: Labels;
  now: number;
  after: number;
}

export interface Evictions {
  readonly effects: EvictionEffects;
  /** Used to find their budgets. */
  readonly byLabels: readonly LabelledEvictions[];
}

interface EvictionOptions {
  readonly gates: TolerationGates;
  readonly now: Timestamp;
  readonly mostListed: number;
}

interface Row {
  readonly pod: number;
  readonly node: EditedNode;
  readonly change: EvictionChange;
}

/**
 * What the taint eviction controller does to the pods of the edited nodes because of the change.
 *
 * It processes every pod on the node, including pods that have ended and mirror pods, whose deletion does not stop the
 * static pod. Neither priority nor PodDisruptionBudgets protect a pod.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go, `handleNodeUpdate`,
 * `processPodOnNode`.
 */
export function* stepEvictions(
  { pods, nodes, tolerationSets }: ClusterState,
  edited: EditedNodes,
  { gates, now, mostListed }: EvictionOptions,
): Generator<undefined, Evictions> {
  const inOrder = (a: Row, b: Row): number =>
    secondsOf(a) - secondsOf(b) || a.node.is - b.node.is || comparePodNames(pods, a.pod, b.pod);
  const few = (): FirstFew<Row> => new FirstFew(mostListed, inOrder);
  const lists = { now: few(), after: few(), cancelled: few(), never: few() };
  const counts = { now: 0, after: 0, never: 0, cancelled: 0, pending: 0 };
  const tally = new EvictionTally();
  const judged = new Map<TaintsBeforeAndAfter, Map<number, EvictionChange | undefined>>();
  let looked = 0;
  for (const node of edited.nodes) {
    const { taints } = node;
    if (!touchesNoExecute(taints)) continue;
    let ofTaints = judged.get(taints);
    if (ofTaints === undefined) judged.set(taints, (ofTaints = new Map<number, EvictionChange | undefined>()));
    for (const pod of nodes.podsOf(node.is)) {
      if (++looked % STRIDE === 0) yield undefined;
      const setId = pods.tolerationSetId(pod);
      let change = ofTaints.get(setId);
      if (change === undefined && !ofTaints.has(setId)) {
        ofTaints.set(setId, (change = evictionChange(tolerationSets[setId]!, taints, gates)));
      }
      if (change === undefined) continue;
      counts[change.when]++;
      if (change.when === 'pending') continue;
      lists[change.when].add({ pod, node, change });
      if (change.when !== 'now' && change.when !== 'after') continue;
      tally.add(pods.workload(pod), change.when);
      if (pods.active(pod)) tally.addLabelled(pods.namespace(pod), pods.labels(pod), change.when);
    }
  }
  yield undefined;
  const listed = [lists.now, lists.after, lists.cancelled, lists.never].map((list) => list.listed((row) => row));
  const items: PodEviction[] = [];
  for (const { pod, node, change } of listed.flatMap((list) => list.items).slice(0, mostListed)) {
    if (items.length % STRIDE_OF_SHOWN === STRIDE_OF_SHOWN - 1) yield undefined;
    items.push(podEviction(pods.pod(pod), pods.workload(pod), node.name, change, now));
  }
  yield undefined;
  const byWorkload = tally.byWorkload(mostListed);
  yield undefined;
  return {
    effects: { counts, byWorkload, pods: { total: listed.reduce((sum, { total }) => sum + total, 0), items } },
    byLabels: tally.byLabels(),
  };
}

/**
 * The effect of a change of a node's taints on a pod with these tolerations; undefined if there is none.
 *
 * A pod that the former taints deleted immediately cannot be saved. A running timer is kept, whatever time another
 * taint would set (even zero seconds): it is cancelled only when no NoExecute taint is left, when all that are left are
 * tolerated without a time limit, or when one is not tolerated, which deletes the pod immediately.
 */
export function evictionChange(
  tolerations: readonly Toleration[],
  { before, after, fresh }: Pick<TaintsBeforeAndAfter, 'before' | 'after' | 'fresh'>,
  gates: TolerationGates,
): EvictionChange | undefined {
  const was = evictionTime(tolerations, before, gates);
  if (was.action === 'now') return undefined;
  const is = evictionTime(tolerations, after, gates);
  if (is.action === 'now' && is.untolerated !== undefined) {
    return { when: 'now', because: { taint: formatTaint(is.untolerated) } };
  }
  if (was.action === 'after') {
    return { when: is.action === 'none' || is.action === 'never' ? 'cancelled' : 'pending' };
  }
  if (is.action === 'none') return undefined;
  if (is.action === 'never') {
    const taint = fresh.find(isNoExecute);
    return taint && { when: 'never', because: causeOf(taint, tolerations, gates) };
  }
  const because = causeOf(shortestTolerated(after, tolerations, gates), tolerations, gates);
  return is.action === 'now'
    ? { when: 'now', because }
    : { when: 'after', because, seconds: Number(is.delay) / NANOSECONDS_A_SECOND };
}

const NANOSECONDS_A_SECOND = 1e9;
const isNoExecute = ({ effect }: Taint): boolean => effect === 'NoExecute';

/** The NoExecute taint whose toleration has the fewest seconds; all of them are tolerated. */
function shortestTolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  gates: TolerationGates,
): Taint {
  const secondsFor = (taint: Taint): bigint | undefined => {
    const { tolerationSeconds } = tolerations[indexOfTolerating(tolerations, taint, gates)]!;
    return tolerationSeconds === undefined ? undefined : BigInt(tolerationSeconds);
  };
  const timed = taints.filter(isNoExecute).flatMap((taint) => {
    const seconds = secondsFor(taint);
    return seconds === undefined ? [] : [{ taint, seconds }];
  });
  return timed.reduce((shortest, one) => (one.seconds < shortest.seconds ? one : shortest)).taint;
}

function causeOf(taint: Taint, tolerations: readonly Toleration[], gates: TolerationGates): EvictionCause {
  const index = indexOfTolerating(tolerations, taint, gates);
  return {
    taint: formatTaint(taint),
    ...(index >= 0 && { toleration: { index, field: `spec.tolerations[${index}]` } }),
  };
}

function touchesNoExecute({ difference: { added, removed, changed } }: TaintsBeforeAndAfter): boolean {
  return [...added, ...removed, ...changed.map(({ after }) => after)].some(isNoExecute);
}

const secondsOf = ({ change }: Row): number => (change.when === 'after' ? change.seconds : 0);

function podEviction(pod: Pod, workload: Workload, node: string, change: EvictionChange, now: Timestamp): PodEviction {
  const { namespace = '', name } = pod.metadata;
  const note = noteOn(pod);
  return {
    namespace,
    name,
    node,
    workload: { kind: workload.kind, namespace: workload.namespace, name: workload.name },
    when: change.when as PodEviction['when'],
    ...(change.when === 'after' && { seconds: change.seconds, at: later(now, change.seconds) }),
    ...('because' in change && { because: change.because }),
    ...defined({ note }),
  };
}

/** The time that many seconds after another, to the millisecond. */
function later(now: Timestamp, seconds: number): Timestamp {
  return new Date(Date.parse(now) + seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** Whether the pod is a mirror pod, which represents a static pod of its kubelet. */
export function isMirrorPod({
  annotations = {},
  ownerReferences = [],
}: Pick<ObjectMeta, 'annotations' | 'ownerReferences'>): boolean {
  return (
    Object.hasOwn(annotations, 'kubernetes.io/config.mirror') ||
    ownerReferences.some(({ kind, controller }) => kind === 'Node' && controller === true)
  );
}

function noteOn(pod: Pod): string | undefined {
  if (isMirrorPod(pod.metadata)) {
    return 'A static pod: the API object is deleted and the kubelet creates it again; the containers keep running.';
  }
  if (pod.metadata.deletionTimestamp !== undefined) return 'It is already being deleted.';
  return hasEnded(pod) ? `It has ended (${pod.status?.phase ?? ''}); its object is deleted all the same.` : undefined;
}

/** Counts leaving pods, by workload and by labels. */
class EvictionTally {
  private readonly workloads = new Map<string, WorkloadEvictions & { now: number; after: number }>();
  private readonly keys = new WeakMap<Workload, string>();
  private readonly labelled = new Map<string, Map<Labels, LabelledEvictions>>();

  add(workload: Workload, when: 'now' | 'after'): void {
    let key = this.keys.get(workload);
    if (key === undefined) this.keys.set(workload, (key = workloadKey(workload)));
    let entry = this.workloads.get(key);
    if (entry === undefined) {
      const { kind, namespace, name } = workload;
      this.workloads.set(key, (entry = { workload: { kind, namespace, name }, now: 0, after: 0 }));
    }
    entry[when]++;
  }

  addLabelled(namespace: string, labels: Labels, when: 'now' | 'after'): void {
    const shared = Object.keys(labels).length === 0 ? NO_LABELS : labels;
    let ofNamespace = this.labelled.get(namespace);
    if (ofNamespace === undefined) this.labelled.set(namespace, (ofNamespace = new Map<Labels, LabelledEvictions>()));
    let entry = ofNamespace.get(shared);
    if (entry === undefined) {
      ofNamespace.set(shared, (entry = { namespace, labels: shared, now: 0, after: 0 }));
    }
    entry[when]++;
  }

  byWorkload(mostListed: number): EvictionEffects['byWorkload'] {
    const few = new FirstFew<WorkloadEvictions>(
      mostListed,
      (a, b) => b.now - a.now || b.after - a.after || compare(workloadKey(a.workload), workloadKey(b.workload)),
    );
    for (const entry of this.workloads.values()) few.add(entry);
    return few.listed((entry) => entry);
  }

  byLabels(): readonly LabelledEvictions[] {
    return [...this.labelled.values()].flatMap((ofNamespace) => [...ofNamespace.values()]);
  }
}

const NO_LABELS: Labels = {};
