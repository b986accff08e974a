import { stepSorted } from '../collections/step-sorted.js';
import type { Condition } from '../kubernetes/objects/pod.js';
import type { LifecycleEvent, LifecycleNode } from './lifecycle-timeline.js';
import type { Outage, OutageTimeline } from './outage.js';

const NODES_A_SLICE = 500;

/**
 * The events that outages cause for nodes, in chronological order. If outages of one node overlap, it is silent while
 * one of them silences it, and reports not ready only while none does. `heartbeatAfter` returns a node's known
 * heartbeat after a time, if there is one.
 */
export function* outageEvents(
  nodes: readonly LifecycleNode[],
  outages: readonly Outage[],
  heartbeatAfter: (node: number, after: number) => Omit<OutageTimeline['laterHeartbeats'][number], 'node'> | undefined,
): Generator<
  undefined,
  { readonly events: readonly LifecycleEvent[]; readonly laterHeartbeats: OutageTimeline['laterHeartbeats'] }
> {
  const failures = new Map<number, number[]>();
  for (const [place, { nodes: failing, fromAt, untilAt = Number.POSITIVE_INFINITY }] of outages.entries()) {
    if (!(fromAt < untilAt)) continue;
    for (const node of failing) {
      const list = failures.get(node);
      if (list === undefined) failures.set(node, [place]);
      else list.push(place);
    }
    yield undefined;
  }
  // Nodes that fail together share their intervals.
  const known = new Map<string, ReturnType<typeof stretches>>();
  const events: LifecycleEvent[] = [];
  const laterHeartbeats: OutageTimeline['laterHeartbeats'][number][] = [];
  let done = 0;
  for (const [node, list] of [...failures].sort(([a], [b]) => a - b)) {
    const given = nodes[node];
    if (given === undefined) throw new RangeError(`no node has the index ${node}`);
    const key = list.join();
    const ofNode = known.get(key) ?? stretches(list.map((place) => outages[place]!));
    known.set(key, ofNode);
    for (const { at, how, before } of ofNode) {
      if (how === 'silent') {
        const heartbeat = heartbeatAfter(node, at);
        if (heartbeat !== undefined) laterHeartbeats.push({ node, ...heartbeat });
        events.push({ kind: 'silent', at, node: given.name, lastHeartbeatAt: heartbeat?.at ?? at });
        continue;
      }
      if (before === 'silent') events.push({ kind: 'resumed', at, node: given.name });
      events.push({
        kind: 'conditions',
        at,
        node: given.name,
        conditions: withReady(given.conditions, how === 'notReady' ? 'False' : 'True'),
      });
    }
    done += 1;
    if (done % NODES_A_SLICE === 0) yield undefined;
  }
  return { events: yield* stepSorted(events, (a, b) => a.at - b.at), laterHeartbeats };
}

type Health = Outage['how'] | 'fine';

/** When a node's health changes, in chronological order. */
function stretches(
  failures: readonly Pick<Outage, 'fromAt' | 'untilAt' | 'how'>[],
): { readonly at: number; readonly how: Health; readonly before: Health }[] {
  const moments = [...new Set(failures.flatMap(({ fromAt, untilAt = Infinity }) => [fromAt, untilAt]))]
    .filter((at) => Number.isFinite(at))
    .sort((a, b) => a - b);
  let before: Health = 'fine';
  return moments.flatMap((at) => {
    const now = failures.filter(({ fromAt, untilAt = Infinity }) => fromAt <= at && at < untilAt);
    const how: Health = now.some((failure) => failure.how === 'silent') ? 'silent' : (now[0]?.how ?? 'fine');
    if (how === before) return [];
    const change = { at, how, before };
    before = how;
    return [change];
  });
}

/** A node's own conditions with a different Ready: the status that a responsive kubelet would post. */
function withReady(conditions: readonly Condition[], status: 'True' | 'False'): readonly Condition[] {
  const ready: Condition = { type: 'Ready', status };
  if (!conditions.some(({ type }) => type === 'Ready')) return [...conditions, ready];
  return conditions.map((condition) => (condition.type === 'Ready' ? { ...condition, ...ready } : condition));
}
