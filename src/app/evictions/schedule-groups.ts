import type { scheduledPodGroup } from '../../contract/evictions/eviction-schedule.js';
import type { Response } from '../../contract/schema.js';
import type { AlikePodGroup } from '../../core/collections/alike-pods.js';

/** The members in which pods of one group may differ: node and times. */
export const SCHEDULED_ALIKE = {
  varying: [
    'node',
    'at.earliest',
    'at.latest',
    // Contains a time if a running timer was kept.
    'because',
    'base.earliest',
    'base.latest',
    'taints.*.timeAdded',
    'cancelled.at.earliest',
    'cancelled.at.latest',
    'mayHaveLeftSince',
    'departure.marked.earliest',
    'departure.marked.latest',
    'departure.gone.earliest',
    'departure.gone.latest',
    'secondsToOutlast',
  ],
  splitting: ['at.earliest', 'at.latest', 'because'],
};

export const scheduledGroupResponse = ({ shared, ...group }: AlikePodGroup): Response<typeof scheduledPodGroup> =>
  ({ ...group, ...shared }) as unknown as Response<typeof scheduledPodGroup>;
