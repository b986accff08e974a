import { defined } from '../collections/defined.js';
import type { Condition } from '../kubernetes/objects/pod.js';

/** The conditions that the controller turns Unknown; NetworkUnavailable is not the kubelet's to report. */
const HEARTBEAT_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The status of a node's Ready condition; undefined where it has none. */
export function readyStatus(conditions: readonly Condition[]): string | undefined {
  return conditions.find(({ type }) => type === 'Ready')?.status;
}

/**
 * A node's conditions once its heartbeats have been missed for the grace period: Ready and the pressures are Unknown, those that the
 * kubelet never posted are there too, at the end. The same list where Ready is Unknown already: then nothing is written, and a pressure
 * that was True stays so.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/node_lifecycle_controller.go, `tryUpdateNodeHealth`.
 */
export function conditionsOfSilence(
  conditions: readonly Condition[],
  createdAt: string | undefined,
  now: string,
): readonly Condition[] {
  if (readyStatus(conditions) === 'Unknown') return conditions;
  const after = conditions.map((condition): Condition => {
    if (!HEARTBEAT_CONDITIONS.includes(condition.type) || condition.status === 'Unknown') return condition;
    return {
      ...condition,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: now,
    };
  });
  const missing = HEARTBEAT_CONDITIONS.filter((type) => !conditions.some((condition) => condition.type === type));
  return [
    ...after,
    ...missing.map((type) => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      ...defined({ lastHeartbeatTime: createdAt }),
      lastTransitionTime: now,
    })),
  ];
}
