import type { ClusterState } from '../../cluster/cluster-state.js';
import type { Reason } from '../../placement/reason.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import {
  NAME as DYNAMIC_RESOURCES,
  waitsForClaims,
} from '../../placement/plugins/dynamic-resources/dynamic-resources.js';
import { schedulingGate } from '../../placement/plugins/scheduling-gates/scheduling-gates.js';
import type { SchedulingProfile } from '../schedule-pod.js';

/** Why a pod waits outside the queue by itself, whatever its group; undefined for another one. */
export const waitsOutside = (state: ClusterState, pod: Pod, { filters }: SchedulingProfile): Reason | undefined =>
  schedulingGate(pod) ??
  (filters.some(({ name }) => name === DYNAMIC_RESOURCES) ? waitsForClaims(state, pod) : undefined);
