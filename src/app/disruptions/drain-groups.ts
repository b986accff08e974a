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
    'rolling.replacement.at',
    'rolling.replacement.node',
    'rolling.replacement.landedAt',
    'rolling.replacement.readyAt',
    'rolling.replacement.message',
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

/** Evicted pods whose replacements have no node come before the other evicted ones. */
function rankOf({ shared }: AlikeGroup): number {
  const { rolling } = shared as Pick<DrainedPodGroup, 'rolling'>;
  const verdict = rolling?.replacement?.verdict;
  return OUTCOMES.indexOf(rolling?.outcome ?? null) - (verdict === 'none' ? 0.5 : verdict === 'unknown' ? 0.25 : 0);
}
