import { resourcesInOrder } from '../../allocation/node-allocation.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import { internText } from '../../cluster/intern-table.js';
import { subInt64, addInt64 } from '../../cluster/resource-table.js';
import type { Int64 } from '../../kubernetes/objects/meta.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../../kubernetes/objects/taints.js';
import { formatTaint } from '../../kubernetes/taint.js';
import { findUntolerated, indexOfTolerating } from '../../kubernetes/toleration.js';
import { evaluatePlacement } from '../../placement/evaluate-placement.js';
import { stepInQueueOrder, type QueuedWork } from '../queue/queued-work.js';
import type { RoomQuestion } from './node-rooms.js';
import { isComplete, stepCapacity, type Capacity, type CapacityOptions } from './step-capacity.js';

/** The nodes, pods and resources behind a taint, and what removing or tolerating it would make available. */
export interface TaintCost {
  readonly taint: Taint;
  readonly nodes: number;
  /** Pods on these nodes that tolerate the taint. The other pods do not; they may be older than the taint. */
  readonly toleratingPods: number;
  readonly otherPods: number;
  /** Allocatable and unused resources of these nodes, in the units of `NodeResources`. */
  readonly resources: readonly { readonly resource: string; readonly allocatable: Int64; readonly free: Int64 }[];
  /** Pending pods that are infeasible now and feasible if they tolerate the taint, each evaluated on its own. */
  readonly pendingHelped: number;
  /** How many more replicas fit if the pod tolerates the taint; the same number as if no node had it. */
  readonly frees: number;
  /** Whether `frees` is exact, because no run was stopped early. */
  readonly isCertain: boolean;
  readonly toleration: ExactToleration;
}

/** The narrowest toleration of a taint. */
export interface ExactToleration {
  readonly key: string;
  readonly operator: 'Equal';
  readonly value: string;
  readonly effect: Taint['effect'];
}

export interface TaintCosts {
  /** In descending order of `frees`. */
  readonly costs: readonly TaintCost[];
  /** The number of taints in the state that the pod does not tolerate. */
  readonly candidates: number;
  /** Pending pods that were not evaluated, because there are too many different ones. */
  readonly pendingOmitted: number;
}

const MAX_TAINTS = 16;
const MAX_PENDING_KINDS = 64;

/** The costs of the taints that a pod does not tolerate. @param pending the pods that wait for a node */
export function* stepTaintCosts(
  state: ClusterState,
  question: RoomQuestion,
  capacity: Capacity,
  pending: readonly QueuedWork[],
  options: CapacityOptions,
): Generator<undefined, TaintCosts> {
  const { gates } = question.profile;
  const tolerations = question.pod.spec.tolerations ?? [];
  const carried = carriers(state).filter(
    ({ taint }) =>
      taint.effect !== 'PreferNoSchedule' && findUntolerated(tolerations, [taint], undefined, gates) !== undefined,
  );
  const { kinds, omitted } = yield* stepPendingKinds(pending);
  const costs: TaintCost[] = [];
  for (const { taint, nodes } of carried.sort((a, b) => b.nodes.length - a.nodes.length).slice(0, MAX_TAINTS)) {
    if (options.isOverdue?.() === true) break;
    const { key, value = '', effect } = taint;
    const toleration: ExactToleration = { key, operator: 'Equal', value, effect };
    const tolerant = { ...question, pod: tolerating(question.pod, toleration) };
    const freed = yield* stepCapacity(state, tolerant, options);
    let pendingHelped = 0;
    for (const { pod, count } of kinds) {
      yield;
      const now = evaluatePlacement(state, { pod, gates, filters: question.profile.filters });
      if (now.counts.feasible > 0) continue;
      const { counts } = evaluatePlacement(state, {
        pod: tolerating(pod, toleration),
        gates,
        filters: question.profile.filters,
      });
      if (counts.feasible > 0) pendingHelped += count;
    }
    let toleratingPods = 0;
    let otherPods = 0;
    for (const node of nodes) {
      yield;
      for (const pod of state.nodes.podsOf(node)) {
        if (!state.pods.active(pod)) continue;
        const own = state.tolerationSets[state.pods.tolerationSetId(pod)]!;
        if (indexOfTolerating(own, taint, gates) >= 0) toleratingPods++;
        else otherPods++;
      }
    }
    costs.push({
      taint,
      nodes: nodes.length,
      toleratingPods,
      otherPods,
      resources: roomOn(state, nodes),
      pendingHelped,
      frees: freed.total - capacity.total,
      isCertain: isComplete(freed) && isComplete(capacity),
      toleration,
    });
  }
  return {
    costs: costs.sort((a, b) => b.frees - a.frees || b.pendingHelped - a.pendingHelped),
    candidates: carried.length,
    pendingOmitted: omitted,
  };
}

function carriers({ nodes, taintSets }: ClusterState): { readonly taint: Taint; readonly nodes: number[] }[] {
  const bySet = new Map<number, number[]>();
  for (let node = 0; node < nodes.count; node++) {
    const set = nodes.taintSetId(node);
    const list = bySet.get(set);
    if (list === undefined) bySet.set(set, [node]);
    else list.push(node);
  }
  const found = new Map<string, { readonly taint: Taint; readonly nodes: number[] }>();
  for (const [set, members] of bySet) {
    for (const taint of taintSets[set]!) {
      const text = formatTaint(taint);
      const known = found.get(text);
      if (known === undefined) found.set(text, { taint, nodes: [...members] });
      else for (const node of members) known.nodes.push(node);
    }
  }
  return [...found.values()];
}

function roomOn({ nodes }: ClusterState, members: readonly number[]): TaintCost['resources'] {
  return resourcesInOrder(nodes.allocatable.names)
    .map((resource) => {
      let allocatable: Int64 = 0;
      let used: Int64 = 0;
      for (const node of members) {
        allocatable = addInt64(allocatable, nodes.allocatable.at(resource, node));
        used = addInt64(used, nodes.requested.at(resource, node));
      }
      return { resource, allocatable, free: subInt64(allocatable, used) };
    })
    .filter(({ allocatable }) => allocatable !== 0);
}

const tolerating = (pod: Pod, toleration: Toleration): Pod => ({
  ...pod,
  spec: { ...pod.spec, tolerations: [...(pod.spec.tolerations ?? []), toleration] },
});

/** Groups pending pods that differ only in their names. */
function* stepPendingKinds(pending: readonly QueuedWork[]): Generator<
  undefined,
  {
    readonly kinds: readonly { readonly pod: Pod; count: number }[];
    readonly omitted: number;
  }
> {
  const kinds = new Map<string, { readonly pod: Pod; count: number }>();
  let omitted = 0;
  // Which kinds are evaluated does not depend on the order in which pods came.
  for (const { pod, replicas } of yield* stepInQueueOrder(pending)) {
    yield;
    const key = internText([pod.metadata.namespace, pod.metadata.labels, pod.spec]);
    const known = kinds.get(key);
    if (known !== undefined) known.count += replicas;
    else if (kinds.size < MAX_PENDING_KINDS) kinds.set(key, { pod, count: replicas });
    else omitted += replicas;
  }
  return { kinds: [...kinds.values()], omitted };
}
