import type { placement, reasonCount } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';
import { podRequests } from '../../core/kubernetes/pod-resources/pod-requests.js';
import type { ReasonCount } from '../../core/placement/roll-up.js';
import { knownSchedulerResponse, schedulerResponse } from '../schedulers/scheduler-response.js';
import type { PlacementResult } from './evaluate-placement.js';
import { wellKnownText } from './node-response.js';

type PlacementHead = Response<typeof placement>;

/**
 * A placement without its groups and nodes. Expensive members are computed when they are read: GraphQL reads only the
 * selected ones.
 */
export function placementHead(result: PlacementResult): PlacementHead {
  const { basis, evaluated, ruleDifferences } = result;
  const { subject, placement } = evaluated;
  const { state } = placement;
  const { droppedFields, unknownFieldCount, unknownFields } = subject;
  return {
    basis,
    get pod() {
      const { pod, source, workload } = subject;
      const requests = [...podRequests(pod)].map(([name, quantity]) => [name, quantity.toString()] as const);
      return {
        namespace: pod.metadata.namespace ?? '',
        name: pod.metadata.name,
        source,
        workload,
        requests: Object.fromEntries(requests),
      };
    },
    get summary() {
      return { nodes: state.nodes.count, ...placement.counts };
    },
    get message() {
      return evaluated.message().text ?? null;
    },
    get messageNote() {
      return messageNote(result);
    },
    get rollup() {
      return reasonCounts(evaluated.rollUp());
    },
    get added() {
      return subject.added.map((addition) => ({ ...addition, value: addition.value ?? null }));
    },
    droppedFields,
    unknownFieldCount,
    unknownFields,
    assumptions: placement.assumptions.map(({ message }) => message),
    get scheduler() {
      return schedulerOf(result);
    },
    ruleDifferences,
  };
}

/** The profile used; null if the cluster's scheduler is unknown and the request named none. */
export function schedulerOf({ evaluated, asksScheduler }: PlacementResult): PlacementHead['scheduler'] {
  const { profile } = evaluated;
  return asksScheduler ? schedulerResponse(profile, 'this pod') : knownSchedulerResponse(profile, 'this pod');
}

/** What the message of Kubernetes omits, or why there is none although no node is feasible. */
function messageNote({ evaluated }: PlacementResult): string | null {
  const { text, preemption } = evaluated.message();
  const { feasible, unknown } = evaluated.placement.counts;
  if (text !== undefined) {
    return preemption === 'not-evaluated'
      ? 'Kubernetes appends the result of preemption, which is not evaluated here.'
      : null;
  }
  if (feasible > 0) return null;
  return unknown > 0
    ? 'No node is known to be feasible, but unknown data decides whether Kubernetes would write a message.'
    : 'A rule that is not evaluated here may reject the pod before any node is checked, with another message.';
}

/** Reasons counted over nodes, with explanations of the taints in them. */
export function reasonCounts(counts: readonly ReasonCount[]): readonly Response<typeof reasonCount>[] {
  // Copying the members one by one is several times as fast as spreading them.
  return counts.map(({ plugin, code, message, nodes: all, first, examples, note = null, taints = [] }) => ({
    plugin,
    code,
    message,
    nodes: all,
    first,
    examples,
    note,
    taints: taints.map(({ taint, nodes }) => ({ taint, nodes, wellKnown: wellKnownText(keyOf(taint)) })),
  }));
}

/** The key of a taint in kubectl's notation: neither keys nor values can contain `=` or `:`. */
function keyOf(taint: string): string {
  const end = KEY_ENDS.exec(taint)?.index;
  return end === undefined ? taint : taint.slice(0, end);
}

const KEY_ENDS = /[=:]/;
