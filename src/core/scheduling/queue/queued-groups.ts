import type { ClusterState } from '../../cluster/cluster-state.js';
import { coschedulingFilter } from '../../placement/coscheduling-filter.js';
import { groupKey, groupOfPod, isOfGroup, type GroupOfPod } from '../../placement/pod-groups.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import type { QueuedWork } from './queued-work.js';
import { waitsOutside } from './waits-outside.js';

/** A group of pods in the queue. */
export interface QueuedGroup extends GroupOfPod {
  /** Indexes of the work, in the order of the queue, without pods that have scheduling gates or wait for their claims. */
  readonly members: readonly number[];
  /** The pods of the group in the queue. */
  readonly pods: number;
  /** Those that the cluster has besides; zero unless the pods are placed together. */
  readonly bound: number;
  /** All pods of the group that the scheduler knows. */
  readonly known: number;
  /** Those that wait for a node and are not in the queue; zero unless the pods are placed together. */
  readonly leftOut: number;
}

/** The groups of the pods in a queue, in the order in which they come up. */
export function* stepQueuedGroups(
  state: ClusterState,
  work: readonly QueuedWork[],
  profile: SchedulingProfile,
): Generator<undefined, readonly QueuedGroup[]> {
  const rules = { coscheduling: profile.filters.includes(coschedulingFilter) };
  const found = new Map<string, { of: GroupOfPod; readonly all: number[] }>();
  for (const [index, { pod, labelled }] of work.entries()) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    const of = groupOfPod(state, pod, rules) ?? (labelled && groupOfPod(state, labelled, rules));
    if (of === undefined) continue;
    const key = groupKey(of);
    const group = found.get(key);
    if (group === undefined) found.set(key, { of, all: [index] });
    else {
      group.all.push(index);
      // Some pods of Kueue are there already, and others are not.
      if (of.treatment === 'unknown') group.of = of;
    }
  }
  const groups: QueuedGroup[] = [];
  for (const { of, all } of found.values()) {
    yield;
    const pods = all.reduce((sum, index) => sum + work[index]!.replicas, 0);
    const members = all.filter((index) => waitsOutside(state, work[index]!.pod, profile) === undefined);
    if (of.treatment !== 'allOrNothing') {
      groups.push({ ...of, members, pods, bound: 0, known: pods, leftOut: 0 });
      continue;
    }
    const there = yield* stepStored(state, of, profile);
    const isStored = ({ pod, replicas }: QueuedWork): boolean =>
      replicas === 1 && state.pods.indexOf(pod.metadata.namespace ?? '', pod.metadata.name) >= 0;
    const joining = all.reduce((sum, index) => sum + (isStored(work[index]!) ? 0 : work[index]!.replicas), 0);
    const leftOut = Math.max(0, there.waiting - members.filter((index) => isStored(work[index]!)).length);
    groups.push({ ...of, members, pods, bound: there.bound, known: there.all + joining, leftOut });
  }
  return groups;
}

const STRIDE = 1024;

/** The stored pods of a group that have not ended, those that are on nodes, and those that wait for one. */
function* stepStored(
  state: ClusterState,
  group: GroupOfPod,
  profile: SchedulingProfile,
): Generator<undefined, { all: number; bound: number; waiting: number }> {
  const { pods } = state;
  const counts = { all: 0, bound: 0, waiting: 0 };
  for (let index = 0; index < pods.count; index++) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    if (pods.namespace(index) !== group.namespace || !pods.active(index)) continue;
    const pod = pods.pod(index);
    if (!isOfGroup(pod, group)) continue;
    counts.all++;
    if (pods.nodeName(index) !== '') counts.bound++;
    else if (!pods.terminating(index) && waitsOutside(state, pod, profile) === undefined) counts.waiting++;
  }
  return counts;
}

/**
 * What keeps all pods of a group out of the scheduling queue: its object does not exist, or it does not have enough pods; undefined if nothing
 * does.
 *
 * Sources: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go, `PreEnqueue`;
 * kubernetes-sigs/scheduler-plugins v0.35.4, pkg/coscheduling/core/core.go, `PreFilter`.
 */
export function waitingFor(
  { treatment, source, minimum = 0, waits, known, pods, members }: QueuedGroup,
  work: readonly QueuedWork[],
): ((name: string) => string) | undefined {
  if (treatment !== 'allOrNothing') return undefined;
  if (waits !== undefined) return () => waits;
  if (source === 'GangScheduling') {
    return known < minimum ? () => 'waiting for minCount pods from a gang to appear in scheduling queue' : undefined;
  }
  if (known < minimum) {
    return (name) =>
      `pre-filter pod ${name} cannot find enough sibling pods, current pods number: ${known}, minMember of group: ${minimum}`;
  }
  const gated = pods - members.reduce((sum, index) => sum + work[index]!.replicas, 0);
  return known - gated < minimum
    ? (name) => `pre-filter pod ${name} cannot proceed due to gated pods in the same PodGroup`
    : undefined;
}
