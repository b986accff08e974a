/** In what pods of one group may differ: where they are, times, and what follows from their template. */
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
    'devices.*.claim',
    'devices.*.device',
    'devices.*.timeAdded',
    'cancelled.at.earliest',
    'cancelled.at.latest',
    'mayHaveLeftSince',
    'departure.marked.earliest',
    'departure.marked.latest',
    'departure.gone.earliest',
    'departure.gone.latest',
    'secondsToOutlast',
  ],
  ofWorkload: ['budgets', 'taints.*.toleration', 'departure.gracePeriodSeconds'],
  splitting: ['at.earliest', 'at.latest', 'because'],
};
