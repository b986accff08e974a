import { notKnown } from './not-known.js';
import { groupOfPod } from './pod-groups.js';
import type { FilterPlugin } from './plugin.js';

export const COSCHEDULING = 'Coscheduling';

/**
 * The coscheduling plugin, as a filter of one pod alone: it refuses no pod without a group. Of the others, it is not known whether enough of
 * their group find a node.
 *
 * Source: kubernetes-sigs/scheduler-plugins v0.35.4, pkg/coscheduling/core/core.go, `PreFilter`, `Permit`.
 */
export const coschedulingFilter: FilterPlugin = {
  name: COSCHEDULING,
  preFilter: ({ state, pod }) => {
    const group = groupOfPod(state, pod, { coscheduling: true });
    if (group?.source !== 'Coscheduling') return { outcome: 'Skip' };
    const { namespace, name, note } = group;
    return notKnown({
      plugin: COSCHEDULING,
      code: 'OutOfTreePlugin',
      status: 'Unknown',
      message: `the pod belongs to PodGroup ${namespace}/${name}: ${note}; whether the others find a node is not asked here, but in a queue run`,
      facts: {},
      fields: [],
    });
  },
};
