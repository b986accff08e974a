import type { PodSpec } from '../../kubernetes/objects/pod.js';
import { QuantityError } from '../../kubernetes/quantity.js';
import { indexOfTolerating } from '../../kubernetes/toleration.js';
import { computeQos } from '../../resources/qos.js';
import type { PodRule } from '../pod-rule.js';

const KEY = 'node.kubernetes.io/memory-pressure';

/**
 * A pod other than BestEffort, in a cluster with a node under memory pressure. The documentation says that such pods
 * tolerate that taint automatically. In v1.36 only PodTolerationRestriction adds the toleration, and that plugin is off
 * by default.
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
          `A node carries ${KEY}, which this pod does not tolerate. The Kubernetes documentation says that pods other than BestEffort tolerate it ` +
          'automatically, but in v1.36 only the admission plugin PodTolerationRestriction adds that toleration, and it is off by default.',
        suggestions: [
          {
            text: 'Add the toleration if the pod should run on nodes under memory pressure.',
            toleration: { key: KEY, operator: 'Exists', effect: 'NoSchedule' },
          },
        ],
      },
    ];
  },
};

/** Also false if a quantity is invalid, since the QoS class is then not known. */
function asksForResources(spec: PodSpec): boolean {
  try {
    return computeQos({ spec }) !== 'BestEffort';
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}
