import { stepSorted } from '../../collections/step-sorted.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import type { Workload } from '../../cluster/pod-table.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { Reason } from '../../placement/reason.js';
import type { VolumeClaimTemplate } from '../../kubernetes/objects/workloads.js';

/** A pod that waits for a node, or several that differ only in their names. */
export interface QueuedWork {
  /**
   * The pod as the scheduler sees it, not bound. For several replicas: what they have in common; a number is appended to the
   * name of each.
   */
  readonly pod: Pod;
  readonly replicas: number;
  /** The claim templates of the StatefulSet that creates the pods; absent for others. */
  readonly claimTemplates?: readonly VolumeClaimTemplate[];
  /** As `EvaluationQuestion.unknowns`. */
  readonly unknowns?: readonly Reason[];
  /** The pod with the labels of its workload, where these are what makes it unknown. */
  readonly labelled?: Pod;
  /**
   * Since when the pod waits, as far as the API shows it: the scheduler itself uses the time when it first saw the pod. Pods
   * without a time come last.
   */
  readonly since: string;
  /** The workload that owns the pods, or the pod itself without an owner. */
  readonly workload: Workload;
}

/** The pods of a state that their schedulers have not placed. */
export interface PendingPods {
  readonly work: readonly QueuedWork[];
  /** The number of pods that wait for a scheduler of another name. */
  readonly ofOtherSchedulers: number;
}

export const DEFAULT_SCHEDULER = 'default-scheduler';

/**
 * The pods of a state that a scheduler has to place: those without a node that have not ended and are not being deleted.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/eventhandlers.go, `assignedPod` and `responsibleForPod`;
 * pkg/scheduler/schedule_one.go, `skipPodSchedule`.
 */
export function* stepPendingPods({ pods }: ClusterState, schedulerName: string): Generator<undefined, PendingPods> {
  const work: QueuedWork[] = [];
  let ofOtherSchedulers = 0;
  for (let index = 0; index < pods.count; index++) {
    if (index % 1024 === 0) yield;
    if (pods.nodeName(index) !== '' || !pods.active(index) || pods.terminating(index)) continue;
    const pod = pods.pod(index);
    if ((pod.spec.schedulerName ?? DEFAULT_SCHEDULER) !== schedulerName) {
      ofOtherSchedulers++;
      continue;
    }
    work.push({ pod, replicas: 1, since: pod.metadata.creationTimestamp ?? '', workload: pods.workload(index) });
    yield;
  }
  return { work, ofOtherSchedulers };
}

/**
 * The order in which the scheduler takes pods: by descending priority, then by waiting time, the longest first, then by name
 * (where upstream has no order). With pauses in between.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/queuesort/priority_sort.go, `Less`.
 */
export function* stepInQueueOrder<Work extends QueuedWork>(
  work: readonly Work[],
): Generator<undefined, readonly Work[]> {
  const named: { readonly one: Work; readonly priority: number; readonly name: string }[] = [];
  for (const one of work) {
    named.push({ one, priority: one.pod.spec.priority ?? 0, name: nameOf(one) });
    yield;
  }
  const sorted = yield* stepSorted(
    named,
    (a, b) => b.priority - a.priority || compareSince(a.one.since, b.one.since) || compareText(a.name, b.name),
  );
  return sorted.map(({ one }) => one);
}

function compareSince(a: string, b: string): number {
  if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1;
  return compareText(a, b);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const nameOf = ({ pod: { metadata } }: QueuedWork): string => `${metadata.namespace ?? ''}/${metadata.name}`;
