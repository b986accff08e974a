import type { placement, reasonCount } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';
import { podRequests } from '../../core/kubernetes/pod-resources/pod-requests.js';
import { isShared, type ReasonCount } from '../../core/placement/roll-up.js';
import { writtenOnce } from '../known-json.js';
import { knownSchedulerResponse, schedulerResponse } from '../schedulers/scheduler-response.js';
import type { PlacementResult } from './evaluate-placement.js';
import { wellKnownText } from './node-response.js';

type PlacementHead = Response<typeof placement>;

/**
 * A placement without its groups and nodes. Expensive members are computed when they are read: GraphQL reads only the
 * selected ones. They are on the prototype: see `PageItem`.
 */
export const placementHead = (result: PlacementResult): PlacementHead => new LazyHead(result);

/** The same with all members as its own. */
export function wholeHead(result: PlacementResult): PlacementHead {
  const head = placementHead(result);
  const { basis, pod, summary, message, messageNote, rollup, added } = head;
  const { droppedFields, unknownFieldCount, unknownFields, assumptions, scheduler, ruleDifferences } = head;
  return {
    basis,
    pod,
    summary,
    message,
    messageNote,
    rollup,
    added,
    droppedFields,
    unknownFieldCount,
    unknownFields,
    assumptions,
    scheduler,
    ruleDifferences,
  };
}

class LazyHead implements PlacementHead {
  readonly basis: PlacementHead['basis'];
  readonly droppedFields: number;
  readonly unknownFieldCount: number;
  readonly unknownFields: readonly string[];
  readonly ruleDifferences: PlacementHead['ruleDifferences'];

  constructor(private readonly of: PlacementResult) {
    const { subject } = of.evaluated;
    this.basis = of.basis;
    this.droppedFields = subject.droppedFields;
    this.unknownFieldCount = subject.unknownFieldCount;
    this.unknownFields = subject.unknownFields;
    this.ruleDifferences = of.ruleDifferences;
  }

  get pod(): PlacementHead['pod'] {
    const { pod, source, workload } = this.of.evaluated.subject;
    const requests = [...podRequests(pod)].map(([name, quantity]) => [name, quantity.toString()] as const);
    return {
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name,
      source,
      workload,
      requests: Object.fromEntries(requests),
    };
  }

  get summary(): PlacementHead['summary'] {
    const { placement } = this.of.evaluated;
    return { nodes: placement.state.nodes.count, ...placement.counts };
  }

  get message(): string | null {
    return this.of.evaluated.message().text ?? null;
  }

  get messageNote(): string | null {
    return messageNote(this.of);
  }

  get rollup(): PlacementHead['rollup'] {
    return reasonCounts(this.of.evaluated.rollUp());
  }

  get added(): PlacementHead['added'] {
    return this.of.evaluated.subject.added.map((addition) => ({ ...addition, value: addition.value ?? null }));
  }

  get assumptions(): readonly string[] {
    return this.of.evaluated.placement.assumptions.map(({ message }) => message);
  }

  get scheduler(): PlacementHead['scheduler'] {
    return schedulerOf(this.of);
  }
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
  return counts.map((count) => {
    if (!isShared(count)) return countResponse(count);
    let response = sharedCounts.get(count);
    if (response === undefined) sharedCounts.set(count, (response = writtenOnce(countResponse(count))));
    return response;
  });
}

/** Of counts that many placements share. */
const sharedCounts = new WeakMap<ReasonCount, CountResponse>();

type CountResponse = Response<typeof reasonCount>;

// Copying the members one by one is several times as fast as spreading them.
const countResponse = (count: ReasonCount): CountResponse => ({
  plugin: count.plugin,
  code: count.code,
  message: count.message,
  nodes: count.nodes,
  first: count.first,
  examples: count.examples,
  note: count.note ?? null,
  taints: (count.taints ?? []).map(({ taint, nodes }) => ({ taint, nodes, wellKnown: wellKnownText(keyOf(taint)) })),
});

/** The key of a taint in kubectl's notation: neither keys nor values can contain `=` or `:`. */
function keyOf(taint: string): string {
  const end = taint.search(KEY_ENDS);
  return end < 0 ? taint : taint.slice(0, end);
}

const KEY_ENDS = /[=:]/;
