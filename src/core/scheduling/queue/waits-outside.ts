import type { ClusterState } from '../../cluster/cluster-state.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import {
  NAME as DYNAMIC_RESOURCES,
  waitsForClaims,
} from '../../placement/plugins/dynamic-resources/dynamic-resources.js';
import { schedulingGate } from '../../placement/plugins/scheduling-gates/scheduling-gates.js';
import type { SchedulingProfile } from '../schedule-pod.js';

/** The scheduler's message about a pod that by itself, whatever its group, waits outside the queue; undefined for another one. */
export const waitsOutside = (state: ClusterState, pod: Pod, { filters }: SchedulingProfile): string | undefined =>
  schedulingGate(pod)?.message ??
  (filters.some(({ name }) => name === DYNAMIC_RESOURCES) ? waitsForClaims(state, pod) : undefined);
