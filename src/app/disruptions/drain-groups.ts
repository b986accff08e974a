import type { drainedPodGroup, POD_OUTCOME } from '../../contract/disruptions/drain.js';
import type { Response } from '../../contract/schema.js';
import type { AlikeGroup } from '../../core/collections/alike-groups.js';

type DrainedPodGroup = Response<typeof drainedPodGroup>;
type PodOutcome = (typeof POD_OUTCOME)['values'][number];

/** The members in which drained pods of one group may differ: all except the decisions and their causes. */
export const DRAINED_ALIKE = {
  varying: [
    'node',
    'phase',
    'eviction.cause',
    'noExecute.afterSeconds',
    'noExecute.at',
    'rolling.evictedAt',
    'rolling.goneAt',
    'rolling.tries',
    'rolling.round',
  ],
  splitting: ['noExecute.afterSeconds'],
  ofWorkload: ['budgets', 'noExecute.toleration'],
};

/** Outcomes that block the drain come first. */
const OUTCOMES: readonly (PodOutcome | null)[] = [
  'blocked',
  'timedOut',
  'failed',
  'unknown',
  'notReached',
  'evicted',
  null,
];

export function inDrainOrder(groups: readonly AlikeGroup[]): readonly AlikeGroup[] {
  return groups.toSorted((a, b) => rankOf(a) - rankOf(b) || b.members.length - a.members.length);
}

const rankOf = ({ shared }: AlikeGroup): number =>
  OUTCOMES.indexOf((shared as Pick<DrainedPodGroup, 'rolling'>).rolling?.outcome ?? null);
