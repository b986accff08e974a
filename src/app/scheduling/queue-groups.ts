import type { queueGroup } from '../../contract/scheduling/queue-run.js';
import type { Response } from '../../contract/schema.js';
import type { AlikeGroup } from '../../core/collections/alike-groups.js';
import type { AlikePods } from '../../core/collections/alike-pods.js';

type QueueGroup = Response<typeof queueGroup>;

/** The members in which decisions of one group may differ: all except the outcome and its reasons. */
export const DECISIONS_ALIKE = {
  varying: [
    'position',
    'pods',
    'node',
    'feasible',
    'tied',
    'total',
    // Contains the counts of the reasons.
    'message',
    'devices.*.claim',
    'devices.*.device',
    'reasons.*.nodes',
    'reasons.*.first',
    'reasons.*.taints.*.nodes',
  ],
  ofWorkload: ['id', 'priority'],
};

/** Pods without a node first, then by number of pods, highest first. */
export function* stepInWaitingOrder(alike: AlikePods): Generator<undefined, readonly AlikeGroup[]> {
  const counted: { readonly group: AlikeGroup; readonly count: number }[] = [];
  for (const group of yield* alike.stepGroups()) {
    yield;
    counted.push({ group, count: alike.countOf(group) });
  }
  return counted
    .toSorted((a, b) => Number(isPlaced(a.group)) - Number(isPlaced(b.group)) || b.count - a.count)
    .map(({ group }) => group);
}

const isPlaced = ({ shared }: AlikeGroup): boolean => (shared as Pick<QueueGroup, 'outcome'>).outcome === 'placed';
