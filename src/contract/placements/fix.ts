import type { ClaimFix, NodeFix, PodFix } from '../../core/placement/fixes/fix.js';
import { SPREAD_CHANGES } from '../../core/placement/fixes/spread-fixes.js';
import { kubernetesTaint, kubernetesToleration } from '../common/kubernetes.js';
import type { FormOf, SameForm } from '../same-form.js';
import { enumType, object, union, variant, type Response } from '../schema.js';

export const FIX_KIND = enumType('FixKind', 'What a fix changes.', [
  'AddToleration',
  'SetNodeName',
  'SetNodeSelector',
  'SetNodeAffinityTerm',
  'LowerRequest',
  'ChangeHostPort',
  'RemoveSchedulingGates',
  'ChangeTopologySpread',
  'RemoveTaint',
  'Uncordon',
  'SetLabel',
  'AddDeviceToleration',
]);

const tolerationAdded = object('TolerationAdded', 'A toleration for the pod.', {
  toleration: { type: kubernetesToleration, description: 'The toleration to add.' },
});

const nodeNameSet = object('NodeNameSet', 'A new `nodeName` of the pod.', {
  nodeName: { type: 'identifier', description: 'The node.', example: 'node-1' },
});

const entrySet = object('EntrySet', 'A label or an entry of the node selector.', {
  key: { type: 'identifier', description: 'The key.', example: 'disk' },
  value: {
    type: 'identifier',
    optional: true,
    description: 'New value; null if the entry is removed.',
    example: 'ssd',
  },
});

const affinityTermSet = object('AffinityTermSet', 'A node affinity term that is widened.', {
  term: { type: 'integer', description: 'Index of the term.', example: 0 },
  pointer: { type: 'identifier', description: 'JSON pointer to the term in the pod.' },
});

const requestLowered = object('RequestLowered', 'A lower total request of the pod.', {
  resource: { type: 'identifier', description: 'The resource.', example: 'cpu' },
  from: { type: 'identifier', description: 'Current request.', example: '2' },
  to: { type: 'identifier', description: 'New request.', example: '500m' },
  by: { type: 'identifier', description: 'The difference.', example: '1500m' },
});

const hostPortChanged = object('HostPortChanged', 'Another host port.', {
  pointer: { type: 'identifier', description: 'JSON pointer to the port in the pod.' },
  fromPort: { type: 'integer', description: 'The port in use.', example: 8080 },
  toPort: { type: 'integer', description: 'A free port.', example: 8081 },
});

const gatesRemoved = object('GatesRemoved', 'Scheduling gates that are removed.', {
  gates: { type: 'identifier', list: true, description: 'Names of the gates.', example: ['example.com/quota'] },
});

const SPREAD_MEMBER = enumType('SpreadMember', 'A member of a topology spread constraint.', SPREAD_CHANGES);

const spreadChanged = object('TopologySpreadChanged', 'A topology spread constraint that is changed.', {
  pointer: { type: 'identifier', description: 'JSON pointer to the member in the pod.' },
  member: { type: SPREAD_MEMBER, description: 'The changed member.', example: 'maxSkew' },
  from: { type: 'identifier', description: 'Current value.', example: '1' },
  to: { type: 'identifier', description: 'New value.', example: '2' },
});

const taintRemoved = object('TaintRemoved', 'A taint that is removed.', {
  taint: { type: kubernetesTaint, description: 'The taint.' },
});

const CLAIM_KIND = enumType('ClaimObjectKind', 'A claim, or the template that claims of pods are made from.', [
  'ResourceClaim',
  'ResourceClaimTemplate',
]);

export const deviceTolerationAdded = object('DeviceTolerationAdded', 'A toleration for a request of a claim.', {
  claim: {
    type: object('ClaimObject', 'A claim of the pod, or the template of one.', {
      kind: { type: CLAIM_KIND, description: CLAIM_KIND.description, example: 'ResourceClaimTemplate' },
      namespace: { type: 'identifier', description: 'The namespace.', example: 'default' },
      name: { type: 'identifier', description: 'The name.', example: 'gpu' },
    }),
    description: 'The object that changes.',
  },
  request: {
    type: 'identifier',
    description: 'The request; `request/subrequest` for one of several alternatives.',
    example: 'gpu',
  },
  toleration: { type: kubernetesToleration, description: 'The toleration to add.' },
});

const noDetails = object('NoDetails', 'No data: `kind` is sufficient.', {});

const CHANGE = 'The change as data.';

export const placementFix = union(
  'PlacementFix',
  'One change of the pod, of the node, or of a claim; `kind` determines the data.',
  'kind',
  {
    kind: { type: FIX_KIND, description: 'The kind of change.' },
    summary: {
      sharedAs: 'FixSummary',
      type: 'string',
      description: 'A short description.',
      example: 'tolerate gpu=true:NoSchedule',
    },
    yaml: {
      sharedAs: 'FixYaml',
      type: 'string',
      optional: true,
      description: 'For a change of the pod: the changed part of `spec`; of lists, only the changed or added items.',
      example: 'tolerations:\n- key: gpu\n  operator: Equal\n  value: "true"\n  effect: NoSchedule\n',
    },
    condition: {
      sharedAs: 'FixCondition',
      type: 'string',
      optional: true,
      description: 'What the change needs besides; no filter looks at it, and the verdict takes it as given.',
      example: null,
    },
    command: {
      sharedAs: 'FixCommand',
      type: 'string',
      optional: true,
      description: 'For a change of the node: the command that makes it.',
      example: null,
    },
  },
  [
    variant('TolerationFix', ['AddToleration'], 'Tolerate a taint.', {
      change: { type: tolerationAdded, description: CHANGE },
    }),
    variant('NodeNameFix', ['SetNodeName'], 'Change the `nodeName` of the pod.', {
      change: { type: nodeNameSet, description: CHANGE },
    }),
    variant('LabelFix', ['SetNodeSelector', 'SetLabel'], 'Change the node selector, or a label of the node.', {
      change: { type: entrySet, description: CHANGE },
    }),
    variant('NodeAffinityFix', ['SetNodeAffinityTerm'], 'Widen a term of the node affinity.', {
      change: { type: affinityTermSet, description: CHANGE },
    }),
    variant('RequestFix', ['LowerRequest'], 'Request less of a resource.', {
      change: { type: requestLowered, description: CHANGE },
    }),
    variant('HostPortFix', ['ChangeHostPort'], 'Use another host port.', {
      change: { type: hostPortChanged, description: CHANGE },
    }),
    variant('GatesFix', ['RemoveSchedulingGates'], 'Remove the scheduling gates.', {
      change: { type: gatesRemoved, description: CHANGE },
    }),
    variant('TopologySpreadFix', ['ChangeTopologySpread'], 'Change a topology spread constraint.', {
      change: { type: spreadChanged, description: CHANGE },
    }),
    variant('TaintFix', ['RemoveTaint'], 'Remove a taint of the node.', {
      change: { type: taintRemoved, description: CHANGE },
    }),
    variant('DeviceTolerationFix', ['AddDeviceToleration'], 'Tolerate a taint of devices in a request of a claim.', {
      change: { type: deviceTolerationAdded, description: CHANGE },
    }),
    variant('UncordonFix', ['Uncordon'], 'Uncordon the node.', { change: { type: noDetails, description: CHANGE } }),
  ],
  { openApiName: 'Fix' },
);

type Kind = (PodFix | NodeFix | ClaimFix)['kind'];

type CoreChanges = {
  readonly [One in Kind]: Omit<
    FormOf<PodFix | NodeFix | ClaimFix, 'kind', One>,
    'kind' | 'summary' | 'yaml' | 'condition' | 'command'
  >;
};

type DeclaredChanges = {
  readonly [One in Kind]: FormOf<Response<typeof placementFix>, 'kind', One>['change'];
};

/** Every kind of change in the core is declared here: an undeclared one does not compile. */
true satisfies SameForm<CoreChanges, DeclaredChanges>;
