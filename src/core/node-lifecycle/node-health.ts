import { defined } from '../collections/defined.js';
import type { Condition } from '../kubernetes/objects/pod.js';

/** The conditions that the controller sets to Unknown; NetworkUnavailable is not reported by the kubelet. */
const HEARTBEAT_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The status of a node's Ready condition; undefined without one. */
export function readyStatus(conditions: readonly Condition[]): string | undefined {
  return conditions.find(({ type }) => type === 'Ready')?.status;
}

/**
 * A node's conditions after its heartbeats have been missing for the grace period: Ready and the pressures are Unknown,
 * and those that the kubelet never posted are appended. The same list if Ready is already Unknown: then nothing is
 * written, and a pressure that was True remains so.
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
