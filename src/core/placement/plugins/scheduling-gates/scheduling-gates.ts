import type { Pod } from '../../../kubernetes/objects/pod.js';
import { podField, type Reason } from '../../reason.js';

export const NAME = 'SchedulingGates';

/** What the API server writes into the pod's condition; the scheduler never sees the pod. */
const MESSAGE = 'Scheduling is blocked due to non-empty scheduling gates';

/**
 * A pod with scheduling gates is not scheduled anywhere until they are gone.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/schedulinggates/scheduling_gates.go, `PreEnqueue`.
 */
export function schedulingGate(pod: Pod): Reason | undefined {
  const gates = pod.spec.schedulingGates ?? [];
  if (gates.length === 0) return undefined;
  return {
    plugin: NAME,
    code: 'SchedulingGated',
    status: 'UnschedulableAndUnresolvable',
    message: MESSAGE,
    facts: { gates: gates.map(({ name }) => name) },
    fields: [podField('spec', 'schedulingGates')],
  };
}
