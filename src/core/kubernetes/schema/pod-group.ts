import type { CoschedulingPodGroup, PodGroup } from '../objects/pod-group.js';
import { list, map, object } from './containers.js';
import { objectMeta } from './metadata.js';
import { anything, constant, int32, quantity, string } from './scalars.js';
import { required } from './schema.js';

type Spec = NonNullable<PodGroup['spec']>;
type Policy = NonNullable<Spec['schedulingPolicy']>;
type Constraints = NonNullable<Spec['schedulingConstraints']>;

/** `v1alpha2.GangSchedulingPolicy`. */
const gangSchedulingPolicy = object<NonNullable<Policy['gang']>>({ minCount: required(int32) });

/** `v1alpha2.PodGroupSchedulingPolicy`. */
const schedulingPolicy = object<Policy>({ basic: object<object>({}), gang: gangSchedulingPolicy });

/** `v1alpha2.TopologyConstraint`. */
const topologyConstraint = object<NonNullable<Constraints['topology']>[number]>({ key: required(string) });

/** `v1alpha2.PodGroupSchedulingConstraints`. */
const schedulingConstraints = object<Constraints>({ topology: list(topologyConstraint) });

/** `v1alpha2.PodGroupSpec`. */
const podGroupSpec = object<Spec>(
  {
    schedulingConstraints,
    schedulingPolicy,
  },
  {
    disruptionMode: anything,
    podGroupTemplateRef: anything,
    priority: int32,
    priorityClassName: string,
    resourceClaims: anything,
  },
);

/** `v1alpha2.PodGroup`. */
export const podGroup = object<PodGroup>(
  {
    apiVersion: required(string),
    kind: required(constant('PodGroup')),
    metadata: required(objectMeta),
    spec: podGroupSpec,
  },
  {
    status: anything,
  },
);

/** `PodGroupSpec` of `scheduling.x-k8s.io/v1alpha1`. */
const coschedulingPodGroupSpec = object<NonNullable<CoschedulingPodGroup['spec']>>(
  { minMember: int32, minResources: map(quantity) },
  { scheduleTimeoutSeconds: int32 },
);

/** `PodGroup` of `scheduling.x-k8s.io/v1alpha1`. */
export const coschedulingPodGroup = object<CoschedulingPodGroup>(
  {
    apiVersion: required(string),
    kind: required(constant('CoschedulingPodGroup')),
    metadata: required(objectMeta),
    spec: coschedulingPodGroupSpec,
  },
  {
    status: anything,
  },
);
