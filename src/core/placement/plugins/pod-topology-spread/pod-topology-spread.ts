import { notBuilt } from '../../not-built.js';
import type { FilterPlugin } from '../../plugin.js';
import { podField } from '../../reason.js';

export const NAME = 'PodTopologySpread';

/**
 * Spread constraints with `DoNotSchedule`. Not built yet: unknown for a pod that has one. The cluster's default
 * constraints are all `ScheduleAnyway` and refuse nothing.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
 */
export const podTopologySpread: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod }) => {
    const fields = (pod.spec.topologySpreadConstraints ?? []).flatMap(({ whenUnsatisfiable }, index) =>
      whenUnsatisfiable === 'DoNotSchedule' ? [podField('spec', 'topologySpreadConstraints', index)] : [],
    );
    if (fields.length === 0) return { outcome: 'Skip' };
    return notBuilt(state, { plugin: NAME, why: 'the pod has spread constraints that forbid', fields });
  },
};
