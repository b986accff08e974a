import { SHORTAGE_CAUSES, OBSTACLE_KINDS } from '../../core/devices/device-shortage.js';
import { KINDS } from '../../core/kubernetes/kinds.js';
import { REASON_CODES, REJECTION_STATUSES, type FactsByCode, type ReasonCode } from '../../core/placement/reason.js';
import { kubernetesTaint } from '../common/kubernetes.js';
import type { FormOf, SameForm } from '../same-form.js';
import { enumType, object, union, variant, type Response } from '../schema.js';

export const REASON_CODE = enumType('ReasonCode', 'A stable code of a reason.', REASON_CODES);

const REJECTION_STATUS = enumType(
  'RejectionStatus',
  'The Kubernetes status of a reason. `Unschedulable`: preemption may help. `Unknown` is specific to this service: a filter is not evaluated, or lacks data.',
  REJECTION_STATUSES,
);

export const KEPT_KIND = enumType(
  'KeptKind',
  'A kind that is stored from snapshots.',
  KINDS.map(({ kind }) => kind),
);

const FIELD_OBJECT = enumType('FieldObject', 'The object that a field is in.', ['pod', 'node']);

export const podFieldReference = object(
  'PodFieldReference',
  'A field of the pod or of a node.',
  {
    object: { type: FIELD_OBJECT, description: 'The object that has the field.', example: 'node' },
    path: { type: 'identifier', description: 'Path in Kubernetes notation.', example: 'spec.taints[0]' },
    pointer: {
      type: 'identifier',
      description: 'JSON pointer: for the pod into the request (or the stored object), for a node into the node.',
      example: '/spec/taints/0',
    },
  },
  { openApiName: 'FieldReference' },
);

/*
 * Facts. Those that differ between the nodes of a group are absent from the facts of the group and are in its columns; such members
 * are `omittable`.
 */

const VARIES = ' Absent in groups whose nodes differ.';

const PODS = {
  type: 'identifier',
  list: true,
  omittable: true,
  description: `The pods that prevent placement, as \`namespace/name\`.${VARIES}`,
  example: ['default/web-0'],
} as const;

const CLAIM = {
  type: 'identifier',
  description: 'The PersistentVolumeClaim, as `namespace/name`.',
  example: 'default/data',
} as const;

const taintFacts = object('TaintFacts', 'The taint that the pod does not tolerate.', {
  taint: { type: kubernetesTaint, description: 'The taint.' },
  implied: {
    type: 'boolean',
    omittable: true,
    description: 'Whether the taint represents `spec.unschedulable` and is not set on the node.',
  },
});

const gatesFacts = object('GatesFacts', 'The scheduling gates of the pod.', {
  gates: { type: 'identifier', list: true, description: 'Names of the gates.', example: ['example.com/quota'] },
});

const podGroupFacts = object('PodGroupFacts', 'A PodGroup that does not exist.', {
  podGroup: { type: 'identifier', description: '`namespace/name` of the PodGroup.', example: 'default/training' },
});

const nodeNameFacts = object('NodeNameFacts', 'A node, by name.', {
  nodeName: {
    type: 'identifier',
    omittable: true,
    description: `The node that the pod names; for \`ExcludedByPreFilter\`, the excluded node.${VARIES}`,
    example: 'node-1',
  },
});

const labelFact = object('LabelFact', 'A label that a node should have.', {
  key: { type: 'identifier', description: 'Label key.', example: 'disk' },
  wanted: {
    type: 'identifier',
    description: 'The required value; several are separated by commas.',
    example: 'ssd',
  },
  actual: {
    type: 'identifier',
    optional: true,
    omittable: true,
    description: `The value on the node; null if it has no such label.${VARIES}`,
    example: 'hdd',
  },
});

const LABEL = { type: labelFact, description: 'The label.' } as const;

const labelFacts = object('LabelFacts', 'The label that the node selector requires.', { label: LABEL });

const unmetRequirement = object('UnmetRequirement', 'A requirement on a label or field that a node does not meet.', {
  key: { type: 'identifier', description: 'The label or field.', example: 'disk' },
  operator: { type: 'identifier', description: 'The operator.', example: 'In' },
  values: { type: 'identifier', list: true, description: 'The values.', example: ['ssd'] },
  actual: {
    type: 'identifier',
    optional: true,
    omittable: true,
    description: `The value of the node; null if it has no such label.${VARIES}`,
    example: 'hdd',
  },
  field: { type: podFieldReference, description: 'The field with the requirement.' },
});

const unmetTerm = object('UnmetTerm', 'A node affinity term, and the requirements that a node does not meet.', {
  index: { type: 'integer', description: 'Index of the term.', example: 0 },
  unmet: {
    type: unmetRequirement,
    list: true,
    omittable: true,
    description: `The requirements that are not met.${VARIES}`,
  },
});

const nodeAffinityFacts = object('NodeAffinityFacts', 'The node affinity that a node does not meet.', {
  terms: { type: unmetTerm, list: true, description: 'All terms; the node would have to meet one of them.' },
});

const hostPortFact = object('HostPortFact', 'A host port.', {
  port: { type: 'integer', description: 'Port number.', example: 8080 },
  protocol: { type: 'identifier', description: 'Protocol.', example: 'TCP' },
  hostIP: { type: 'identifier', description: 'Host address.', example: '0.0.0.0' },
});

const hostPortFacts = object('HostPortFacts', 'The host port in use, and the pods that use it.', {
  hostPort: { type: hostPortFact, description: 'The port.' },
  pods: PODS,
});

const resourceFacts = object('ResourceFacts', 'A resource that a node lacks; amounts are Kubernetes quantities.', {
  resource: { type: 'identifier', description: 'The resource.', example: 'cpu' },
  requested: { type: 'identifier', description: 'Request of the pod.', example: '2' },
  used: {
    type: 'identifier',
    omittable: true,
    description: `What the pods of the node request: \`allocatable\` minus \`available\`.${VARIES}`,
    example: '3500m',
  },
  allocatable: {
    type: 'identifier',
    omittable: true,
    description: `Allocatable amount of the node.${VARIES}`,
    example: '4',
  },
  available: {
    type: 'identifier',
    omittable: true,
    description: `Allocatable amount that no pod requests.${VARIES}`,
    example: '500m',
  },
});

const topologyFact = object('TopologyFact', 'The topology label of a filter.', {
  key: { type: 'identifier', description: 'Label key.', example: 'topology.kubernetes.io/zone' },
  value: {
    type: 'identifier',
    optional: true,
    omittable: true,
    description: `Its value on the node; null if it has no such label.${VARIES}`,
    example: 'zone-a',
  },
});

const TOPOLOGY = { type: topologyFact, description: 'The topology label.' } as const;

const topologyFacts = object('TopologyFacts', 'The topology label that a node lacks.', { topology: TOPOLOGY });

const topologyDomain = object('TopologyDomain', 'A topology domain, and the number of its pods that count.', {
  value: { type: 'identifier', description: 'Value of the label.', example: 'zone-b' },
  pods: { type: 'integer', description: 'Number of pods.', example: 0 },
});

const spreadFact = object(
  'SpreadFact',
  'How the pods that a spread constraint selects are distributed over its topology domains: `matching + self - minimum > maxSkew`.',
  {
    maxSkew: { type: 'integer', description: 'Maximum skew that the constraint allows.', example: 1 },
    matching: {
      type: 'integer',
      omittable: true,
      description: `Number of pods that count on nodes with the same label value as this node.${VARIES}`,
      example: 1,
    },
    self: { type: 'integer', description: '1 if the constraint selects the pod itself, otherwise 0.', example: 1 },
    minimum: {
      type: 'integer',
      omittable: true,
      description: `Smallest number of pods in any domain; 0 if there are fewer domains than \`minDomains\`.${VARIES}`,
      example: 0,
    },
    skew: {
      type: 'integer',
      omittable: true,
      description: `\`matching + self - minimum\`.${VARIES}`,
      example: 2,
    },
    minDomains: { type: 'integer', description: 'Minimum number of domains.', example: 1 },
    domains: { type: 'integer', description: 'Number of domains that count.', example: 3 },
    fewest: { type: topologyDomain, list: true, description: 'The domains with the fewest pods, up to ten.' },
  },
);

const topologySpreadFacts = object('TopologySpreadFacts', 'The spread constraint that the pod would violate.', {
  topology: TOPOLOGY,
  spread: { type: spreadFact, description: 'The constraint and the current counts.' },
});

const affinityTermFact = object('AffinityTermFact', 'A pod affinity or anti-affinity term.', {
  index: { type: 'integer', description: 'Index of the term.', example: 0 },
  topology: TOPOLOGY,
  selector: { type: 'identifier', description: 'Selector for pods.', example: 'app=web' },
  pod: {
    type: 'identifier',
    omittable: true,
    description: 'For a term of an existing pod: the pod, as `namespace/name`; otherwise absent.',
    example: 'default/web-0',
  },
});

const podAffinityFacts = object('PodAffinityFacts', 'The decisive terms, and the pods that prevent placement.', {
  affinityTerms: {
    type: affinityTermFact,
    list: true,
    omittable: true,
    description: `The terms: of the pod, or of existing pods.${VARIES}`,
  },
  pods: PODS,
});

const featureFacts = object('FeatureFacts', 'Features that the pod needs.', {
  features: {
    type: 'identifier',
    list: true,
    omittable: true,
    description: `Features that the node does not declare.${VARIES}`,
    example: ['RestartAllContainersOnContainerExits'],
  },
});

const diskFacts = object('DiskFacts', 'The pods that use a disk that only one pod may use.', { pods: PODS });

const claimInUseFacts = object('ClaimInUseFacts', 'A claim that only one pod may use, and the pods that use it.', {
  claim: CLAIM,
  pods: PODS,
});

const claimFacts = object('ClaimFacts', 'A PersistentVolumeClaim of the pod, and what is known about it.', {
  claim: { ...CLAIM, omittable: true },
  persistentVolume: {
    type: 'identifier',
    omittable: true,
    description: 'The PersistentVolume that the claim is bound to.',
    example: 'pv-1',
  },
  storageClass: { type: 'identifier', omittable: true, description: 'The StorageClass of the claim.' },
  nodeName: { type: 'identifier', omittable: true, description: 'The node selected for the claim.' },
});

const volumeLimitFact = object('VolumeLimitFact', 'The attachable volumes of a driver on a node.', {
  driver: {
    type: 'identifier',
    omittable: true,
    description: `Name of the CSI driver.${VARIES}`,
    example: 'ebs.csi.aws.com',
  },
  attached: { type: 'integer', omittable: true, description: `Number of attached volumes.${VARIES}`, example: 25 },
  added: { type: 'integer', omittable: true, description: `Number of volumes that the pod adds.${VARIES}`, example: 1 },
  limit: { type: 'integer', omittable: true, description: `Maximum number of attached volumes.${VARIES}`, example: 25 },
});

const volumeLimitFacts = object('VolumeLimitFacts', 'The limit of attached volumes that the pod would exceed.', {
  volumeLimit: { type: volumeLimitFact, description: 'The limit.' },
});

const volumeZoneFacts = object('VolumeZoneFacts', 'The volume of a claim in another zone.', {
  claim: CLAIM,
  persistentVolume: { type: 'identifier', description: 'The PersistentVolume.', example: 'pv-1' },
  label: LABEL,
});

const resourceClaimFacts = object('ResourceClaimFacts', 'A ResourceClaim or extended resource of the pod.', {
  claim: {
    type: 'identifier',
    omittable: true,
    description: 'The ResourceClaim, as `namespace/name`.',
    example: 'default/gpu',
  },
  resource: {
    type: 'identifier',
    omittable: true,
    description: 'The extended resource that the node does not know.',
    example: 'example.com/gpu',
  },
  template: {
    type: 'identifier',
    omittable: true,
    description: 'The ResourceClaimTemplate from which no claim can be made, as `namespace/name`.',
    example: 'default/gpu',
  },
  because: {
    type: 'string',
    omittable: true,
    description: 'Why no claim can be made from the template.',
    example: 'the ResourceClaimTemplate does not exist',
  },
});

const SHORTAGE_CAUSE = enumType(
  'ShortageCause',
  'Why a request cannot have a device that it selects.',
  SHORTAGE_CAUSES,
);

const refusedDevice = object('RefusedDevice', 'A device that a request selects, and why it cannot have it.', {
  device: {
    type: 'identifier',
    omittable: true,
    description: `Driver, pool and name of the device.${VARIES}`,
    example: 'gpu.example.com/node-1/gpu-0',
  },
  because: { type: SHORTAGE_CAUSE, omittable: true, description: `The cause.${VARIES}`, example: 'Tainted' },
  claim: {
    type: 'identifier',
    omittable: true,
    description: 'A ResourceClaim that has the device, as `namespace/name`.',
    example: 'default/other',
  },
  taint: {
    type: kubernetesTaint,
    omittable: true,
    description: 'The first taint of the device that the request does not tolerate.',
  },
  rule: {
    type: 'identifier',
    omittable: true,
    description: 'The DeviceTaintRule that the taint comes from; absent for a taint of the ResourceSlice.',
    example: 'drain-rack-7',
  },
});

const countedDeviceTaint = object(
  'CountedDeviceTaint',
  'A NoSchedule or NoExecute taint of devices that a request selects.',
  {
    taint: { type: kubernetesTaint, omittable: true, description: `The taint.${VARIES}` },
    rule: {
      type: 'identifier',
      omittable: true,
      description: 'The DeviceTaintRule that the taint comes from; absent for a taint of the ResourceSlice.',
      example: 'drain-rack-7',
    },
    devices: {
      type: 'integer',
      omittable: true,
      description: `Number of devices with this taint.${VARIES}`,
      example: 1,
    },
    tolerated: {
      type: 'boolean',
      omittable: true,
      description: `Whether the request tolerates it.${VARIES}`,
      example: false,
    },
  },
);

const shortageCounts = object('DeviceShortageCounts', 'Devices that a request selects and cannot have, by cause.', {
  inUse: { type: 'integer', omittable: true, description: `Another claim has them.${VARIES}`, example: 1 },
  tainted: {
    type: 'integer',
    omittable: true,
    description: `They have a taint that the request does not tolerate.${VARIES}`,
    example: 1,
  },
  capacity: {
    type: 'integer',
    omittable: true,
    description: `They do not have the capacity, or not any more.${VARIES}`,
    example: 0,
  },
  gateOff: {
    type: 'integer',
    omittable: true,
    description: `They consume counters or have binding conditions, and the feature gate for that is off.${VARIES}`,
    example: 0,
  },
  combination: {
    type: 'integer',
    omittable: true,
    description: `They could be had, but not together with everything else.${VARIES}`,
    example: 0,
  },
});

const OBSTACLE_KIND = enumType(
  'AllocationObstacleKind',
  'What keeps devices from being allocated together.',
  OBSTACLE_KINDS,
);

const allocationObstacle = object(
  'AllocationObstacle',
  'A constraint or counter set without which the claims could have devices of the node.',
  {
    kind: { type: OBSTACLE_KIND, omittable: true, description: `The kind.${VARIES}`, example: 'MatchAttribute' },
    name: {
      type: 'identifier',
      omittable: true,
      description: `The attribute, or the counter set.${VARIES}`,
      example: 'resource.kubernetes.io/pcieRoot',
    },
    claim: {
      type: 'identifier',
      omittable: true,
      description: 'For a constraint: the ResourceClaim that has it, as `namespace/name`.',
      example: 'default/gpu',
    },
    pool: {
      type: 'identifier',
      omittable: true,
      description: 'For a counter set: its pool, as `driver/pool`.',
    },
  },
);

const deviceFacts = object('DeviceFacts', 'A request of a ResourceClaim for which the node has too few devices.', {
  claim: { type: 'identifier', description: 'The ResourceClaim, as `namespace/name`.', example: 'default/gpu' },
  request: {
    type: 'identifier',
    description: 'The request; `request/subrequest` for one of several alternatives.',
    example: 'gpu',
  },
  wanted: {
    type: 'integer',
    optional: true,
    omittable: true,
    description: `The number of devices that it requests; null for all.${VARIES}`,
    example: 1,
  },
  selected: {
    type: 'integer',
    omittable: true,
    description: `The number of devices of the node that it selects.${VARIES}`,
    example: 2,
  },
  refused: {
    type: 'integer',
    omittable: true,
    description: `The number of these that it could not have even if it were the only request.${VARIES}`,
    example: 2,
  },
  counts: { type: shortageCounts, omittable: true, description: `These by cause.${VARIES}` },
  notSelected: {
    type: 'integer',
    omittable: true,
    description: `The number of devices of the node that selectors do not match.${VARIES}`,
    example: 0,
  },
  taints: {
    type: countedDeviceTaint,
    list: true,
    omittable: true,
    description: `The taints of devices that it selects, up to 20.${VARIES}`,
  },
  incompletePools: {
    type: 'identifier',
    list: true,
    omittable: true,
    description: `Pools of which ResourceSlices are missing, as \`driver/pool\`: their devices do not count.${VARIES}`,
    example: [],
  },
  invalidPools: {
    type: 'identifier',
    list: true,
    omittable: true,
    description: `Pools whose slices contradict each other: their devices do not count.${VARIES}`,
    example: [],
  },
  devices: {
    type: refusedDevice,
    list: true,
    omittable: true,
    description: `Up to 20 devices that it selects, and why it cannot have them.${VARIES}`,
  },
  obstacles: {
    type: allocationObstacle,
    list: true,
    omittable: true,
    description: `If each request has enough devices by itself: what keeps them from being allocated together. Empty where no single cause is known.${VARIES}`,
    example: [],
  },
});

const missingKindFacts = object('MissingKindFacts', 'Kinds that a filter needs and that were never loaded.', {
  missingKinds: {
    type: KEPT_KIND,
    list: true,
    description: 'The kinds that were never loaded.',
    example: ['PersistentVolumeClaim'],
  },
  runtimeClass: { type: 'identifier', omittable: true, description: 'The RuntimeClass that the pod names.' },
});

const runtimeClassFacts = object('RuntimeClassFacts', 'A RuntimeClass that is not stored.', {
  runtimeClass: { type: 'identifier', description: 'Name of the RuntimeClass.', example: 'gvisor' },
});

const noFacts = object('NoFacts', 'No facts: `code` and `message` are sufficient.', {});

const FACTS = 'Facts behind the reason.';

export const placementReason = union(
  'PlacementReason',
  'One reason why a node cannot take the pod; `code` determines the facts.',
  'code',
  {
    plugin: {
      type: 'identifier',
      description: 'The filter of the scheduler.',
      sharedAs: 'ReasonPlugin',
      example: 'TaintToleration',
    },
    code: { type: REASON_CODE, description: 'A stable code.' },
    first: {
      type: 'boolean',
      sharedAs: 'ReasonIsFirst',
      description: 'Whether it comes from the first failing filter.',
      example: true,
    },
    status: {
      type: REJECTION_STATUS,
      description: REJECTION_STATUS.description,
      example: 'UnschedulableAndUnresolvable',
    },
    message: {
      type: 'string',
      sharedAs: 'ReasonMessage',
      description: "Kubernetes' message if it has one.",
      example: 'node(s) had untolerated taint(s)',
    },
    fields: {
      type: podFieldReference,
      list: true,
      description: 'Fields that cause the reason.',
      sharedAs: 'ReasonFields',
    },
  },
  [
    variant('TaintReason', ['UntoleratedTaint', 'NodeUnschedulable'], 'The pod does not tolerate a taint.', {
      facts: { type: taintFacts, description: FACTS },
    }),
    variant('GatesReason', ['SchedulingGated'], 'The pod has scheduling gates.', {
      facts: { type: gatesFacts, description: FACTS },
    }),
    variant('PodGroupReason', ['PodGroupNotFound'], 'The PodGroup of the pod does not exist, so the pod waits.', {
      facts: { type: podGroupFacts, description: FACTS },
    }),
    variant('NodeNameReason', ['NodeNameMismatch', 'ExcludedByPreFilter'], 'The pod is restricted to other nodes.', {
      facts: { type: nodeNameFacts, description: FACTS },
    }),
    variant('LabelReason', ['NodeSelectorMismatch'], 'The node lacks a label of the node selector.', {
      facts: { type: labelFacts, description: FACTS },
    }),
    variant('NodeAffinityReason', ['NodeAffinityMismatch'], 'The node meets no term of the node affinity.', {
      facts: { type: nodeAffinityFacts, description: FACTS },
    }),
    variant('HostPortReason', ['HostPortConflict'], 'A host port is in use.', {
      facts: { type: hostPortFacts, description: FACTS },
    }),
    variant('ResourceReason', ['TooManyPods', 'InsufficientResource'], 'The node lacks a resource.', {
      facts: { type: resourceFacts, description: FACTS },
    }),
    variant('TopologyReason', ['TopologyLabelMissing'], 'The node lacks the label of a spread constraint.', {
      facts: { type: topologyFacts, description: FACTS },
    }),
    variant('TopologySpreadReason', ['TopologySpreadSkew'], 'The pod would violate a spread constraint.', {
      facts: { type: topologySpreadFacts, description: FACTS },
    }),
    variant(
      'PodAffinityReason',
      ['PodAffinityUnmet', 'PodAntiAffinityConflict', 'ExistingPodAntiAffinity'],
      'Affinity or anti-affinity between pods excludes the node.',
      { facts: { type: podAffinityFacts, description: FACTS } },
    ),
    variant('FeatureReason', ['NodeFeatureMissing'], 'The node lacks a feature that the pod needs.', {
      facts: { type: featureFacts, description: FACTS },
    }),
    variant('DiskReason', ['DiskInUse'], 'Another pod on the node uses a disk of the pod.', {
      facts: { type: diskFacts, description: FACTS },
    }),
    variant('ClaimInUseReason', ['ClaimInUse'], 'Another pod uses a claim of the pod.', {
      facts: { type: claimInUseFacts, description: FACTS },
    }),
    variant(
      'ClaimReason',
      [
        'ClaimNotUsable',
        'ClaimNotBound',
        'VolumeNodeMismatch',
        'NoVolumeToBind',
        'NoStorageCapacity',
        'BoundVolumeMissing',
      ],
      'A claim of the pod cannot be used on the node.',
      { facts: { type: claimFacts, description: FACTS } },
    ),
    variant('VolumeLimitReason', ['VolumeLimitReached'], 'The node can attach no more volumes.', {
      facts: { type: volumeLimitFacts, description: FACTS },
    }),
    variant('VolumeZoneReason', ['VolumeZoneMismatch'], 'A volume of the pod is in another zone.', {
      facts: { type: volumeZoneFacts, description: FACTS },
    }),
    variant('ResourceClaimReason', ['ResourceClaimNotUsable'], 'A ResourceClaim of the pod cannot be used.', {
      facts: { type: resourceClaimFacts, description: FACTS },
    }),
    variant('DeviceReason', ['DevicesNotAllocatable'], 'The node has too few devices for a request of the pod.', {
      facts: { type: deviceFacts, description: FACTS },
    }),
    variant('MissingKindReason', ['KindNotLoaded'], 'A kind that the filter needs was never loaded.', {
      facts: { type: missingKindFacts, description: FACTS },
    }),
    variant('RuntimeClassReason', ['RuntimeClassNotFound'], 'The RuntimeClass of the pod is not stored.', {
      facts: { type: runtimeClassFacts, description: FACTS },
    }),
    variant(
      'BareReason',
      [
        'NodeAffinityConflict',
        'EnforcedNodeAffinityMismatch',
        'InvalidTopologySpread',
        'InvalidPodAffinity',
        'DeviceAllocationFailed',
        'NotImplemented',
        'OutOfTreePlugin',
        'SidecarsDisabled',
        'AdmissionUnknown',
      ],
      'A reason without facts.',
      { facts: { type: noFacts, description: FACTS } },
    ),
  ],
  { openApiName: 'Reason' },
);

type DeclaredFacts = {
  readonly [Code in ReasonCode]: FormOf<Response<typeof placementReason>, 'code', Code>['facts'];
};

/** Every fact of the core is declared here: an undeclared one does not compile. */
true satisfies SameForm<FactsByCode, DeclaredFacts>;
