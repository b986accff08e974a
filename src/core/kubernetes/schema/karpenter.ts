import type {
  NodeClaim,
  NodeClaimTemplateSpec,
  NodePool,
  PoolCondition,
  PoolRequirement,
} from '../objects/karpenter.js';
import { described, list, map, object, stringMap } from './containers.js';
import { objectMeta, taint } from './metadata.js';
import { anything, constant, int32, quantity, string, time } from './scalars.js';
import { required } from './schema.js';

/** `v1.NodeSelectorRequirementWithMinValues`. */
const requirement = object<PoolRequirement>({
  key: required(string),
  minValues: int32,
  operator: required(string),
  values: list(string),
});

/** `v1.NodeClassReference`. */
const nodeClassReference = object<NonNullable<NodeClaimTemplateSpec['nodeClassRef']>>(
  {
    group: string,
    kind: string,
    name: string,
  },
  // Of v1beta1.
  { apiVersion: string },
);

const CLAIM_SPEC = {
  nodeClassRef: nodeClassReference,
  requirements: list(requirement),
  startupTaints: list(taint),
  taints: list(taint),
};
/** `kubelet` and `resources` are those of v1beta1, where templates may have the latter, too. */
const DROPPED_OF_CLAIM_SPEC = { expireAfter: string, kubelet: anything, terminationGracePeriod: string };

/** `v1.NodeClaimTemplateSpec`. */
const nodeClaimTemplateSpec = object<NodeClaimTemplateSpec>(CLAIM_SPEC, {
  ...DROPPED_OF_CLAIM_SPEC,
  resources: anything,
});

/** `v1.ObjectMeta` of Karpenter's template. */
const nodeClaimTemplateMeta = object<NonNullable<NonNullable<NonNullable<NodePool['spec']>['template']>['metadata']>>(
  { labels: stringMap },
  { annotations: stringMap },
);

/** `v1.NodeClaimTemplate`. */
const nodeClaimTemplate = object<NonNullable<NonNullable<NodePool['spec']>['template']>>({
  metadata: nodeClaimTemplateMeta,
  spec: nodeClaimTemplateSpec,
});

/** `v1.Disruption`. */
const disruption = described({
  budgets: anything,
  consolidateAfter: string,
  consolidationPolicy: string,
  // Of v1beta1.
  expireAfter: string,
});

/** `status.Condition` of operatorpkg. */
const poolCondition = object<PoolCondition>(
  {
    reason: string,
    status: required(string),
    type: required(string),
  },
  {
    lastTransitionTime: time,
    message: string,
    observedGeneration: anything,
  },
);

/** `v1.NodePoolSpec`. */
const nodePoolSpec = object<NonNullable<NodePool['spec']>>(
  {
    limits: map(quantity),
    replicas: int32,
    template: nodeClaimTemplate,
    weight: int32,
  },
  { disruption },
);

/** `v1.NodePoolStatus`. What the pool uses is counted from its nodes. */
const nodePoolStatus = object<NonNullable<NodePool['status']>>(
  { conditions: list(poolCondition) },
  { nodeClassObservedGeneration: anything, nodes: anything, resources: anything },
);

/** `v1.NodePool`. */
export const nodePool = object<NodePool>({
  apiVersion: required(string),
  kind: required(constant('NodePool')),
  metadata: required(objectMeta),
  spec: nodePoolSpec,
  status: nodePoolStatus,
});

/** `v1.ResourceRequirements` of a NodeClaim. */
const claimResources = object<NonNullable<NonNullable<NodeClaim['spec']>['resources']>>({ requests: map(quantity) });

/** `v1.NodeClaimStatus`. */
const nodeClaimStatus = object<NonNullable<NodeClaim['status']>>(
  {
    allocatable: map(quantity),
    capacity: map(quantity),
    conditions: list(poolCondition),
    nodeName: string,
  },
  { imageID: string, lastPodEventTime: time, providerID: string },
);

/** `v1.NodeClaim`. */
export const nodeClaim = object<NodeClaim>({
  apiVersion: required(string),
  kind: required(constant('NodeClaim')),
  metadata: required(objectMeta),
  spec: object<NonNullable<NodeClaim['spec']>>({ ...CLAIM_SPEC, resources: claimResources }, DROPPED_OF_CLAIM_SPEC),
  status: nodeClaimStatus,
});
