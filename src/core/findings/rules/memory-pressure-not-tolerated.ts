import type { PodSpec } from '../../kubernetes/objects/pod.js';
import { QuantityError } from '../../kubernetes/quantity.js';
import { indexOfTolerating } from '../../kubernetes/toleration.js';
import { computeQos } from '../../resources/qos.js';
import type { PodRule } from '../pod-rule.js';

const KEY = 'node.kubernetes.io/memory-pressure';

/**
 * A pod other than BestEffort, where some node is under memory pressure: documentation says that it tolerates that taint
 * by itself. In v1.36 only PodTolerationRestriction adds the toleration, and that plugin is off by default.
 */
export const memoryPressureNotTolerated: PodRule = {
  code: 'memory-pressure-not-tolerated',
  reads: 'spec',
  check: ({ spec, tolerations, gates, cluster, workloadKind }) => {
    const carriers = cluster?.byKey.get(KEY);
    if (carriers === undefined || workloadKind === 'DaemonSet' || !asksForResources(spec)) return [];
    if (carriers.every(({ taint }) => indexOfTolerating(tolerations, taint, gates) !== -1)) return [];
    return [
      {
        severity: 'info',
        message:
          `Some node carries ${KEY}, which this pod does not tolerate. Documentation says that pods other than BestEffort tolerate it ` +
          'by themselves; in v1.36 only the admission plugin PodTolerationRestriction adds that toleration, and it is off by default.',
        suggestions: [
          {
            text: 'Add the toleration, if the pod is to be placed on nodes under memory pressure.',
            toleration: { key: KEY, operator: 'Exists', effect: 'NoSchedule' },
          },
        ],
      },
    ];
  },
};

/** False too where a quantity cannot be read: then nothing can be said. */
function asksForResources(spec: PodSpec): boolean {
  try {
    return computeQos({ spec }) !== 'BestEffort';
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}
