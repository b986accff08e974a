import {
  capacityPod,
  nextReplica,
  capacityGroup,
  taintCosts,
  nodeRoom,
  CAPACITY_HEAD,
} from '../../contract/scheduling/capacity.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const CapacityPodShape = responseClass(capacityPod);
export type CapacityPodShape = Response<typeof capacityPod>;

export const NextReplicaShape = responseClass(nextReplica);
export type NextReplicaShape = Response<typeof nextReplica>;

export const CapacityGroupShape = responseClass(capacityGroup);
export type CapacityGroupShape = Response<typeof capacityGroup>;

export const TaintCostsShape = responseClass(taintCosts);
export type TaintCostsShape = Response<typeof taintCosts>;

export const NodeRoomShape = responseClass(nodeRoom);
export type NodeRoomShape = Response<typeof nodeRoom>;

export { CAPACITY_HEAD };
