import { KINDS } from '../../core/kubernetes/kinds.js';
import { REASON_CODES, REJECTION_STATUSES, type FactsByCode, type ReasonCode } from '../../core/placement/reason.js';
import { kubernetesTaint } from '../common/kubernetes.js';
import type { FormOf, SameForm } from '../same-form.js';
import { enumType, object, union, variant, type Response } from '../schema.js';

export const REASON_CODE = enumType('ReasonCode', 'What a reason is, for programs.', REASON_CODES);

const REJECTION_STATUS = enumType(
  'RejectionStatus',
  "Kubernetes' status of a reason. Unschedulable: preemption may help. Unknown is ours: a rule is not evaluated here, or lacks data.",
  REJECTION_STATUSES,
);

export const KEPT_KIND = enumType(
  'KeptKind',
  'A kind that snapshots keep.',
  KINDS.map(({ kind }) => kind),
);

const FIELD_OBJECT = enumType('FieldObject', 'The object that a field is in.', ['pod', 'node']);

export const podFieldReference = object(
  'PodFieldReference',
  'A place in the pod or in a node.',
  {
    object: { type: FIELD_OBJECT, description: 'The object that it is in.', example: 'node' },
    path: { type: 'string', description: 'As Kubernetes writes it.', example: 'spec.taints[0]' },
    pointer: {
      type: 'string',
      description:
        'The same as a JSON pointer: of the pod into the request (or into the stored object), of a node into the node.',
      example: '/spec/taints/0',
    },
  },
  { openApiName: 'FieldReference' },
);

/*
 * Facts. What the nodes of a group differ in is absent from the facts of the group, and stands in its columns; such members are
 * `omittable`.
 */

const VARIES = ' Absent from the reasons of a group whose nodes differ in it.';

const PODS = {
  type: 'string',
  list: true,
  omittable: true,
  description: `The pods that stand in the way, as \`namespace/name\`.${VARIES}`,
  example: ['default/web-0'],
} as const;

const CLAIM = {
  type: 'string',
  description: 'The PersistentVolumeClaim, as `namespace/name`.',
  example: 'default/data',
} as const;

const taintFacts = object('TaintFacts', 'The taint that the pod does not tolerate.', {
  taint: { type: kubernetesTaint, description: 'The taint.' },
  implied: {
    type: 'boolean',
    omittable: true,
    description: 'The taint is not on the node: `spec.unschedulable` stands for it.',
  },
});

const gatesFacts = object('GatesFacts', 'The scheduling gates of the pod.', {
  gates: { type: 'string', list: true, description: 'Their names.', example: ['example.com/quota'] },
});

const nodeNameFacts = object('NodeNameFacts', 'A node by its name.', {
  nodeName: {
    type: 'string',
    omittable: true,
    description: `The node that the pod names, or that is left out.${VARIES}`,
    example: 'node-1',
  },
});

const labelFact = object('LabelFact', 'A label that a node should have.', {
  key: { type: 'string', description: 'Its key.', example: 'disk' },
  wanted: {
    type: 'string',
    description: 'The value that is asked for; of several, separated by commas.',
    example: 'ssd',
  },
  actual: {
    type: 'string',
    optional: true,
    omittable: true,
    description: `The value on the node; null where it has no such label.${VARIES}`,
    example: 'hdd',
  },
});

const LABEL = { type: labelFact, description: 'The label.' } as const;

const labelFacts = object('LabelFacts', 'The label that the node selector asks for.', { label: LABEL });

const unmetRequirement = object('UnmetRequirement', 'A requirement on a label or field that a node does not meet.', {
  key: { type: 'string', description: 'The label, or the field.', example: 'disk' },
  operator: { type: 'string', description: 'The operator.', example: 'In' },
  values: { type: 'string', list: true, description: 'The values.', example: ['ssd'] },
  actual: {
    type: 'string',
    optional: true,
    omittable: true,
    description: `The value of the node; null where it has no such label.${VARIES}`,
    example: 'hdd',
  },
  field: { type: podFieldReference, description: 'Where the requirement stands.' },
});

const unmetTerm = object('UnmetTerm', 'A term of node affinity, and what of it a node does not meet.', {
  index: { type: 'integer', description: 'Its place in the list of terms.', example: 0 },
  unmet: {
    type: unmetRequirement,
    list: true,
    omittable: true,
    description: `The requirements that are not met.${VARIES}`,
  },
});

const nodeAffinityFacts = object('NodeAffinityFacts', 'What of node affinity a node does not meet.', {
  terms: { type: unmetTerm, list: true, description: 'Each term: one that is met would be enough.' },
});

const hostPortFact = object('HostPortFact', 'A port of the host.', {
  port: { type: 'integer', description: 'Its number.', example: 8080 },
  protocol: { type: 'string', description: 'Its protocol.', example: 'TCP' },
  hostIP: { type: 'string', description: 'The address of the host.', example: '0.0.0.0' },
});

const hostPortFacts = object('HostPortFacts', 'The port of the host that is taken, and by whom.', {
  hostPort: { type: hostPortFact, description: 'The port.' },
  pods: PODS,
});

const resourceFacts = object('ResourceFacts', "A resource that a node is short of; amounts in Kubernetes' notation.", {
  resource: { type: 'string', description: 'The resource.', example: 'cpu' },
  requested: { type: 'string', description: 'What the pod requests.', example: '2' },
  used: {
    type: 'string',
    omittable: true,
    description: `What the pods of the node hold: \`allocatable\` minus \`available\`.${VARIES}`,
    example: '3500m',
  },
  allocatable: {
    type: 'string',
    omittable: true,
    description: `What the node has for pods in all.${VARIES}`,
    example: '4',
  },
  available: { type: 'string', omittable: true, description: `What is left of it.${VARIES}`, example: '500m' },
});

const topologyFact = object('TopologyFact', 'The label that a rule goes by.', {
  key: { type: 'string', description: 'Its key.', example: 'topology.kubernetes.io/zone' },
  value: {
    type: 'string',
    optional: true,
    omittable: true,
    description: `Its value on the node; null where it has no such label.${VARIES}`,
    example: 'zone-a',
  },
});

const TOPOLOGY = { type: topologyFact, description: 'The label that the rule goes by.' } as const;

const topologyFacts = object('TopologyFacts', 'The label that a node lacks.', { topology: TOPOLOGY });

const topologyDomain = object('TopologyDomain', 'A value of a label, and the pods that count there.', {
  value: { type: 'string', description: 'The value.', example: 'zone-b' },
  pods: { type: 'integer', description: 'How many pods.', example: 0 },
});

const spreadFact = object(
  'SpreadFact',
  'How the pods that a spread constraint selects lie over the values of its label: `matching + self - minimum > maxSkew`.',
  {
    maxSkew: { type: 'integer', description: 'What the constraint allows.', example: 1 },
    matching: {
      type: 'integer',
      omittable: true,
      description: `The pods that count on nodes with this node's value.${VARIES}`,
      example: 1,
    },
    self: { type: 'integer', description: '1 where the pod itself is selected, else 0.', example: 1 },
    minimum: {
      type: 'integer',
      omittable: true,
      description: `The fewest pods of any value; 0 where there are fewer values than \`minDomains\`.${VARIES}`,
      example: 0,
    },
    skew: {
      type: 'integer',
      omittable: true,
      description: `\`matching + self - minimum\`.${VARIES}`,
      example: 2,
    },
    minDomains: { type: 'integer', description: 'How many values there have to be.', example: 1 },
    domains: { type: 'integer', description: 'How many values count.', example: 3 },
    fewest: { type: topologyDomain, list: true, description: 'The values with the fewest pods, up to ten.' },
  },
);

const topologySpreadFacts = object('TopologySpreadFacts', 'The spread that the pod would break.', {
  topology: TOPOLOGY,
  spread: { type: spreadFact, description: 'The arithmetic.' },
});

const affinityTermFact = object('AffinityTermFact', 'A term of pod affinity or anti-affinity.', {
  index: { type: 'integer', description: 'Its place in the list of terms.', example: 0 },
  topology: TOPOLOGY,
  selector: { type: 'string', description: 'The pods that it selects.', example: 'app=web' },
  pod: {
    type: 'string',
    omittable: true,
    description: "Of existing pods' terms: whose it is, as `namespace/name`.",
    example: 'default/web-0',
  },
});

const podAffinityFacts = object('PodAffinityFacts', 'The terms that decide, and the pods that stand in the way.', {
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
    type: 'string',
    list: true,
    omittable: true,
    description: `Those that the node does not declare.${VARIES}`,
    example: ['RestartAllContainersOnContainerExits'],
  },
});

const diskFacts = object('DiskFacts', 'Who uses a disk that only one pod may use.', { pods: PODS });

const claimInUseFacts = object('ClaimInUseFacts', 'A claim that only one pod may use, and who uses it.', {
  claim: CLAIM,
  pods: PODS,
});

const claimFacts = object('ClaimFacts', 'A PersistentVolumeClaim of the pod, and what is known of it.', {
  claim: { ...CLAIM, omittable: true },
  persistentVolume: {
    type: 'string',
    omittable: true,
    description: 'The PersistentVolume that it is bound to.',
    example: 'pv-1',
  },
  storageClass: { type: 'string', omittable: true, description: 'Its StorageClass.' },
  nodeName: { type: 'string', omittable: true, description: 'The node that was selected for it.' },
});

const volumeLimitFact = object('VolumeLimitFact', 'How many volumes of a driver a node can attach.', {
  driver: { type: 'string', omittable: true, description: `The driver.${VARIES}`, example: 'ebs.csi.aws.com' },
  attached: { type: 'integer', omittable: true, description: `How many are attached.${VARIES}`, example: 25 },
  added: { type: 'integer', omittable: true, description: `How many the pod adds.${VARIES}`, example: 1 },
  limit: { type: 'integer', omittable: true, description: `How many it can attach.${VARIES}`, example: 25 },
});

const volumeLimitFacts = object('VolumeLimitFacts', 'The limit of attached volumes that the pod would break.', {
  volumeLimit: { type: volumeLimitFact, description: 'The limit.' },
});

const volumeZoneFacts = object('VolumeZoneFacts', 'The volume of a claim that lies in another zone.', {
  claim: CLAIM,
  persistentVolume: { type: 'string', description: 'The PersistentVolume.', example: 'pv-1' },
  label: LABEL,
});

const missingKindFacts = object('MissingKindFacts', 'Kinds that a rule needs and that were never loaded.', {
  missingKinds: { type: KEPT_KIND, list: true, description: 'The kinds.', example: ['PersistentVolumeClaim'] },
  runtimeClass: { type: 'string', omittable: true, description: 'The RuntimeClass that the pod names.' },
});

const runtimeClassFacts = object('RuntimeClassFacts', 'A RuntimeClass that is not stored.', {
  runtimeClass: { type: 'string', description: 'Its name.', example: 'gvisor' },
});

const noFacts = object('NoFacts', 'Nothing: code and message say it all.', {});

const FACTS = 'The facts behind it.';

export const placementReason = union(
  'PlacementReason',
  'One reason against one node; its `code` tells which facts it has.',
  'code',
  {
    plugin: {
      type: 'string',
      description: 'The filter of the scheduler.',
      sharedAs: 'ReasonPlugin',
      example: 'TaintToleration',
    },
    code: { type: REASON_CODE, description: 'A stable code for programs.' },
    first: {
      type: 'boolean',
      sharedAs: 'ReasonIsFirst',
      description: 'Whether it comes from the filter at which Kubernetes stops.',
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
      description: "Kubernetes' own message if it has one.",
      example: 'node(s) had untolerated taint(s)',
    },
    fields: { type: podFieldReference, list: true, description: 'The fields it concerns.', sharedAs: 'ReasonFields' },
  },
  [
    variant('TaintReason', ['UntoleratedTaint', 'NodeUnschedulable'], 'A taint keeps the pod off.', {
      facts: { type: taintFacts, description: FACTS },
    }),
    variant('GatesReason', ['SchedulingGated'], 'The pod has scheduling gates.', {
      facts: { type: gatesFacts, description: FACTS },
    }),
    variant('NodeNameReason', ['NodeNameMismatch', 'ExcludedByPreFilter'], 'The pod is for nodes of other names.', {
      facts: { type: nodeNameFacts, description: FACTS },
    }),
    variant('LabelReason', ['NodeSelectorMismatch'], 'The node lacks a label of the node selector.', {
      facts: { type: labelFacts, description: FACTS },
    }),
    variant('NodeAffinityReason', ['NodeAffinityMismatch'], 'The node meets no term of the node affinity.', {
      facts: { type: nodeAffinityFacts, description: FACTS },
    }),
    variant('HostPortReason', ['HostPortConflict'], 'A port of the host is taken.', {
      facts: { type: hostPortFacts, description: FACTS },
    }),
    variant('ResourceReason', ['TooManyPods', 'InsufficientResource'], 'The node is short of a resource.', {
      facts: { type: resourceFacts, description: FACTS },
    }),
    variant('TopologyReason', ['TopologyLabelMissing'], 'The node lacks the label of a spread constraint.', {
      facts: { type: topologyFacts, description: FACTS },
    }),
    variant('TopologySpreadReason', ['TopologySpreadSkew'], 'The pod would break a spread constraint.', {
      facts: { type: topologySpreadFacts, description: FACTS },
    }),
    variant(
      'PodAffinityReason',
      ['PodAffinityUnmet', 'PodAntiAffinityConflict', 'ExistingPodAntiAffinity'],
      'Affinity or anti-affinity between pods is against it.',
      { facts: { type: podAffinityFacts, description: FACTS } },
    ),
    variant('FeatureReason', ['NodeFeatureMissing'], 'The node lacks a feature that the pod needs.', {
      facts: { type: featureFacts, description: FACTS },
    }),
    variant('DiskReason', ['DiskInUse'], 'Another pod of the node uses a disk of the pod.', {
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
    variant('VolumeZoneReason', ['VolumeZoneMismatch'], 'A volume of the pod lies in another zone.', {
      facts: { type: volumeZoneFacts, description: FACTS },
    }),
    variant('MissingKindReason', ['KindNotLoaded'], 'A kind that the rule needs was never loaded.', {
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
        'NotBuilt',
        'OutOfTreePlugin',
      ],
      'A reason whose code and message say it all.',
      { facts: { type: noFacts, description: FACTS } },
    ),
  ],
  { openApiName: 'Reason' },
);

type DeclaredFacts = {
  readonly [Code in ReasonCode]: FormOf<Response<typeof placementReason>, 'code', Code>['facts'];
};

/** Each fact of the core is declared: a new one that is not does not compile. */
true satisfies SameForm<FactsByCode, DeclaredFacts>;
