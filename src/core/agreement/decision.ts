import type { ClusterState } from '../cluster/cluster-state.js';
import { millisecondsOf } from '../kubernetes/moment.js';
import type { Condition, Pod } from '../kubernetes/objects/pod.js';
import { DEFAULT_SCHEDULER } from '../scheduling/queue/queued-work.js';

/** What a scheduler decided about a pod, as two revisions show it. */
export interface PodDecision {
  readonly what: 'bound' | 'told';
  /** The pod afterwards. */
  readonly pod: Pod;
  /** The pod as the scheduler found it: on no node. */
  readonly asked: Pod;
  /** Whether an earlier state has the pod. */
  readonly wasSeen: boolean;
  readonly schedulerName: string;
  /** The node; empty for a pod that was told that there is none. */
  readonly node: string;
  /** The words of a pod that was told that there is no node. */
  readonly told?: { readonly reason: string; readonly message: string };
  /** The node to which the pod was nominated by this decision. */
  readonly nominated?: string;
  /** Milliseconds since the epoch, in whole seconds; undefined if the pod does not say. */
  readonly at: number | undefined;
}

const TOLD = new Set(['Unschedulable', 'SchedulerError']);

/** The condition in which the scheduler writes. */
const scheduledOf = ({ status }: Pod): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === 'PodScheduled');

/** What was decided about a pod between two states; undefined if nothing was, or if nobody did but who created the pod. */
export function decisionAbout(before: ClusterState, pod: Pod): PodDecision | undefined {
  const { namespace = '', name } = pod.metadata;
  const index = before.pods.indexOf(namespace, name);
  return decisionSince(index >= 0 ? before.pods.pod(index) : undefined, pod);
}

/** The same, of a pod as it was before; undefined if there was none of its name. */
export function decisionSince(known: Pod | undefined, pod: Pod): PodDecision | undefined {
  const { metadata, spec } = pod;
  const former = (known?.metadata.uid ?? '') === (metadata.uid ?? '') ? known : undefined;
  const condition = scheduledOf(pod);
  const node = spec.nodeName ?? '';
  const common = {
    pod,
    asked: askedPod(pod, former),
    wasSeen: former !== undefined,
    schedulerName: spec.schedulerName ?? DEFAULT_SCHEDULER,
  };
  if (node !== '') {
    if ((former?.spec.nodeName ?? '') !== '') return undefined;
    if (former === undefined && (condition === undefined || isMirror(pod))) return undefined;
    const at = condition?.status === 'True' ? millisecondsOf(condition.lastTransitionTime) : undefined;
    return { ...common, what: 'bound', node, at };
  }
  const { status, reason = '', message = '' } = condition ?? {};
  if (condition === undefined || status !== 'False' || !TOLD.has(reason)) return undefined;
  const last = former === undefined ? undefined : scheduledOf(former);
  const nominated = pod.status?.nominatedNodeName ?? '';
  const isNominated = nominated !== '' && nominated !== (former?.status?.nominatedNodeName ?? '');
  if (last?.reason === reason && last.message === message && !isNominated) return undefined;
  // A condition that stays false keeps its time.
  const at = last?.status === 'False' ? undefined : millisecondsOf(condition.lastTransitionTime);
  return { ...common, what: 'told', node: '', told: { reason, message }, at, ...(isNominated && { nominated }) };
}

/** A pod that a kubelet made from a file: no scheduler is asked. */
const isMirror = ({ metadata }: Pod): boolean =>
  metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Node' && controller === true) === true;

function askedPod(pod: Pod, former: Pod | undefined): Pod {
  const spec = Object.fromEntries(Object.entries(pod.spec).filter(([key]) => key !== 'nodeName')) as Pod['spec'];
  // Binding adds labels of the node (PodTopologyLabels).
  const labels = former?.metadata.labels ?? pod.metadata.labels;
  const metadata = Object.fromEntries(
    Object.entries(pod.metadata).filter(([key]) => key !== 'labels' && key !== 'deletionTimestamp'),
  ) as unknown as Pod['metadata'];
  return { ...pod, metadata: { ...metadata, ...(labels && { labels }) }, spec, status: former?.status ?? {} };
}

/** Compares pods by their places in the queue of a scheduler, as far as they show them: by priority, then the older one first. */
export function byQueue(a: Pod, b: Pod): number {
  const priorities = (b.spec.priority ?? 0) - (a.spec.priority ?? 0);
  if (priorities !== 0) return priorities;
  const [older, younger] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (older !== younger) return older < younger ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
