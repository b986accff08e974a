import {
  GIVEN_AMOUNTS,
  GIVEN_TAINT,
  GIVEN_TOLERATION,
  LABEL_CHANGES,
  LABEL_EDITS,
  TAINT_EDIT,
} from '../common/given.js';
import { object, enumType } from '../schema.js';
import { MAX_CHANGES } from '../../core/scenario/apply-scenario.js';
import { MAX_OBJECTS } from '../../core/scenario/scenario-draft.js';
import { ADMISSION } from '../common/admission-mode.js';
import { FIELD_VALIDATION } from '../common/pod-subject.js';
import { WORKLOAD_KINDS } from '../../core/kubernetes/pod-template.js';

export const PODS_OF_REMOVED_NODES = enumType('PodsOfRemovedNodes', 'What happens to the pods of a removed node.', [
  'delete',
  'pending',
]);

/** The most names in one list: enough for the nodes of the largest clusters. */
const MAX_NAMES = 10_000;

export const TAINTS = {
  type: TAINT_EDIT,
  list: true,
  optional: true,
  example: ['dedicated=ml:NoSchedule'],
} as const;

export const AMOUNTS = { type: GIVEN_AMOUNTS, optional: true, example: { cpu: '8', 'nvidia.com/gpu': 4 } } as const;

export const nodeTargetsRequest = object(
  'NodeTargets',
  '',
  {
    nodes: {
      type: 'identifier',
      list: true,
      optional: true,
      maximumLength: MAX_NAMES,
      description: 'Node names. Exactly one of `nodes`, `labelSelector` and `allNodes` is required.',
      example: ['node-1'],
    },
    labelSelector: {
      type: 'string',
      optional: true,
      syntax: 'labelSelector',
      description: 'Label selector for nodes, in kubectl syntax. Without a match, nothing changes.',
    },
    allNodes: { type: 'boolean', optional: true, description: 'All nodes.' },
  },
  { restOnly: true },
);

export const podTargetsRequest = object(
  'PodTargets',
  '',
  {
    pods: {
      type: 'identifier',
      list: true,
      optional: true,
      maximumLength: MAX_NAMES,
      description: 'Pods as `namespace/name`; or use a namespace, a selector, or both.',
      example: ['default/web-0'],
    },
    namespace: { type: 'identifier', optional: true, description: 'Pods in this namespace.' },
    labelSelector: { type: 'string', optional: true, description: 'Label selector for pods, in kubectl syntax.' },
  },
  { restOnly: true },
);

export const copiesRequest = object(
  'Copies',
  '',
  {
    name: {
      type: 'identifier',
      optional: true,
      description: "Replaces the template's name; for several objects, the prefix of their names (`pool-0001`).",
      example: 'gpu',
    },
    names: {
      type: 'identifier',
      list: true,
      optional: true,
      maximumLength: MAX_NAMES,
      description: 'The names, one per object.',
    },
    count: {
      type: 'integer',
      optional: true,
      minimum: 1,
      description: 'Number of objects, using the first free numbers. Default: one without a number.',
      example: 2,
    },
  },
  { restOnly: true },
);

export const editNodesInput = object(
  'EditNodesInput',
  'Changes taints, labels or the cordon of nodes.',
  {
    ...nodeTargetsRequest.members,
    taints: {
      ...TAINTS,
      description:
        'Arguments of `kubectl taint` (`key=value:Effect`, `key:Effect-`, `key-`), or objects with `key`, `value` and ' +
        '`effect`, and `remove: true` to remove one.',
    },
    labels: {
      type: LABEL_EDITS,
      optional: true,
      description:
        'Arguments of `kubectl label` (`key=value`, `key-`), or a map of keys to values; null removes a label.',
    },
    unschedulable: { type: 'boolean', optional: true, description: 'True to cordon, false to uncordon.' },
    overwrite: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Allow existing taints and labels to get another value.',
    },
  },
  { openApiName: 'EditNodes' },
);

export const addNodesInput = object(
  'AddNodesInput',
  'Adds nodes.',
  {
    ...copiesRequest.members,
    node: {
      type: 'kubernetesObject',
      manifest: 'Node',
      optional: true,
      description: 'Manifest of a Node. Exactly one of `node` and `like` is required.',
    },
    like: {
      type: 'string',
      optional: true,
      description:
        'Name of a node to copy, as an autoscaler does for its pool: without uid, times, cordon, condition taints, and ' +
        'pods.',
      example: 'node-1',
    },
    labels: { type: 'labels', optional: true, description: 'Labels that override those of the template.' },
    taints: {
      ...TAINTS,
      type: GIVEN_TAINT,
      description: "Taints that replace the template's: `kubectl taint` syntax, or objects.",
    },
    allocatable: { ...AMOUNTS, description: 'Quantities by resource that override those of the template.' },
  },
  { openApiName: 'AddNodes' },
);

export const removeNodesInput = object(
  'RemoveNodesInput',
  'Removes nodes.',
  {
    ...nodeTargetsRequest.members,
    pods: {
      type: PODS_OF_REMOVED_NODES,
      optional: true,
      description:
        'What happens to their pods. By default, pods with a controller become pending, because it would replace them, ' +
        'and others are deleted. Pods of DaemonSets, static pods, finished pods and pods being deleted are always ' +
        'deleted.',
    },
  },
  { openApiName: 'RemoveNodes' },
);

export const resizeNodesInput = object(
  'ResizeNodesInput',
  'Changes the resources of nodes.',
  {
    ...nodeTargetsRequest.members,
    allocatable: { ...AMOUNTS, description: 'New allocatable amounts by resource; others stay the same.' },
    capacity: { ...AMOUNTS, description: 'New capacities by resource; others stay the same.' },
  },
  { openApiName: 'ResizeNodes' },
);

export const addPodsInput = object(
  'AddPodsInput',
  'Adds pods.',
  {
    ...copiesRequest.members,
    pod: {
      type: 'kubernetesObject',
      manifest: true,
      optional: true,
      description: `The manifest of a Pod, or of a workload whose template makes them: ${WORKLOAD_KINDS.join(', ')}. Exactly one of \`pod\` and \`like\` is required.`,
    },
    like: {
      type: 'identifier',
      optional: true,
      description: 'The pod to copy, as `namespace/name`: as its controller would create another one.',
      example: 'default/web-0',
    },
    nodeName: { type: 'identifier', optional: true, description: 'The node that the pods run on. Default: pending.' },
    admission: ADMISSION,
  },
  { openApiName: 'AddPods' },
);

export const removePodsInput = object(
  'RemovePodsInput',
  'Removes pods.',
  {
    ...podTargetsRequest.members,
  },
  { openApiName: 'RemovePods' },
);

export const movePodsInput = object(
  'MovePodsInput',
  'Moves pods to another node, or unassigns them.',
  {
    ...podTargetsRequest.members,
    nodeName: {
      type: 'identifier',
      optional: true,
      description: 'The new node of the pods. Exactly one of `nodeName` and `pending` is required.',
    },
    pending: { type: 'boolean', optional: true, description: 'Unassigns the pods from their nodes.' },
  },
  { openApiName: 'MovePods' },
);

export const editRuntimeClassInput = object(
  'EditRuntimeClassInput',
  'Changes the overhead of a RuntimeClass.',
  {
    name: { type: 'identifier', description: 'Name of the RuntimeClass.', example: 'kata-fc' },
    overhead: {
      type: GIVEN_AMOUNTS,
      optional: true,
      description: 'Overhead as quantities by resource; `{}` for an empty overhead. Default: unchanged.',
      example: { cpu: '500m', memory: '240Mi' },
    },
    overheadFactor: {
      type: 'number',
      optional: true,
      minimum: 0,
      description:
        'Multiplies the overhead: 0 to 1000, to three decimals. Amounts are rounded up. Exclusive with `overhead` and ' +
        '`withoutOverhead`.',
      example: 2,
    },
    withoutOverhead: { type: 'boolean', optional: true, description: 'Removes the overhead.' },
    nodeSelector: { type: 'labels', optional: true, description: 'Node selector. Default: unchanged.' },
    tolerations: {
      type: GIVEN_TOLERATION,
      list: true,
      optional: true,
      description: 'Tolerations as objects. Default: unchanged.',
    },
  },
  { openApiName: 'EditRuntimeClass' },
);

export const editNamespaceInput = object(
  'EditNamespaceInput',
  'Changes the labels or annotations of a namespace.',
  {
    name: { type: 'identifier', description: 'Namespace name.', example: 'default' },
    labels: { type: LABEL_CHANGES, optional: true, description: 'Label values by key; null removes a label.' },
    annotations: {
      type: LABEL_CHANGES,
      optional: true,
      description: 'Annotation values by key, such as default tolerations; null removes an annotation.',
      example: { 'scheduler.alpha.kubernetes.io/defaultTolerations': null },
    },
  },
  { openApiName: 'EditNamespace' },
);

export const putObjectsInput = object(
  'PutObjectsInput',
  'Adds or replaces objects.',
  {
    objects: {
      type: 'kubernetesObject',
      manifest: true,
      list: true,
      description:
        'Manifests of ResourceQuotas, LimitRanges, PriorityClasses, RuntimeClasses, Namespaces, DeviceClasses, ResourceClaims, ResourceClaimTemplates, ResourceSlices and DeviceTaintRules.',
    },
  },
  { openApiName: 'PutObjects' },
);

export const objectReferenceInput = object(
  'ObjectReferenceInput',
  'Names a stored object.',
  {
    kind: { type: 'identifier', description: 'Kind of the object.', example: 'ResourceQuota' },
    namespace: {
      type: 'identifier',
      optional: true,
      defaultsTo: 'default',
      description: 'Object namespace, if its kind is namespaced.',
    },
    name: { type: 'identifier', description: 'Object name.', example: 'team-quota' },
  },
  { openApiName: 'ObjectReference' },
);

export const removeObjectsInput = object(
  'RemoveObjectsInput',
  'Removes stored objects.',
  {
    objects: { type: objectReferenceInput, list: true, description: 'Objects of the kinds in `putObjects`.' },
  },
  { openApiName: 'RemoveObjects' },
);

export const readmitPodsInput = object(
  'ReadmitPodsInput',
  'Passes stored pods through admission again.',
  {
    ...podTargetsRequest.members,
    runtimeClass: {
      type: 'identifier',
      optional: true,
      description: 'All pods of this RuntimeClass. Alternative to the other selectors.',
    },
  },
  { openApiName: 'ReadmitPods' },
);

export const scenarioChangeInput = object(
  'ScenarioChangeInput',
  'One hypothetical change: exactly one member is required.',
  {
    editNodes: { type: editNodesInput, optional: true, description: 'Changes taints, labels and cordons of nodes.' },
    addNodes: { type: addNodesInput, optional: true, description: 'Adds nodes from a template.' },
    removeNodes: { type: removeNodesInput, optional: true, description: 'Removes nodes.' },
    resizeNodes: { type: resizeNodesInput, optional: true, description: 'Changes the resources of nodes.' },
    addPods: { type: addPodsInput, optional: true, description: 'Adds pods.' },
    removePods: { type: removePodsInput, optional: true, description: 'Removes pods.' },
    movePods: { type: movePodsInput, optional: true, description: 'Moves pods to a node, or unassigns them.' },
    editRuntimeClass: {
      type: editRuntimeClassInput,
      optional: true,
      description: 'Changes what a RuntimeClass adds to pods; existing pods do not change until they are readmitted.',
    },
    editNamespace: {
      type: editNamespaceInput,
      optional: true,
      description: 'Changes labels and annotations of a namespace.',
    },
    putObjects: {
      type: putObjectsInput,
      optional: true,
      description: 'Adds or replaces quotas, classes, namespaces and objects of Dynamic Resource Allocation.',
    },
    removeObjects: { type: removeObjectsInput, optional: true, description: 'Removes objects of those kinds.' },
    readmitPods: {
      type: readmitPodsInput,
      optional: true,
      description:
        'Recreates pods on their nodes, as their controllers would, with admission as configured by the earlier ' +
        'changes. Refused pods are removed.',
    },
  },
  { openApiName: 'ScenarioChange' },
);

const SCENARIO_DESCRIPTION =
  'Hypothetical changes to the state that the response is based on; they are not stored. Requires the permission `evaluate`.';

export const scenarioInput = object(
  'ScenarioInput',
  SCENARIO_DESCRIPTION,
  {
    changes: {
      type: scenarioChangeInput,
      list: true,
      // The core reports a longer one with its position in the scenario.
      maximumLength: 10 * MAX_CHANGES,
      description: `The changes, in order; each sees the effects of the changes before it. At most ${MAX_CHANGES}, which touch or add at most ${MAX_OBJECTS} objects.`,
    },
    fieldValidation: {
      type: FIELD_VALIDATION.type,
      optional: true,
      description:
        'What happens to manifests in the changes with unknown or duplicate fields. Default: `fieldValidation` of the request, else `Warn`.',
    },
  },
  { openApiName: 'Scenario' },
);

/** The property of a request, or the argument, that contains a scenario. */
export const SCENARIO = {
  type: scenarioInput,
  sharedAs: 'ScenarioToApply',
  optional: true,
  description: SCENARIO_DESCRIPTION,
} as const;

/** A scenario in a comparison of two revisions. */
export const DIFF_SCENARIO =
  'Hypothetical changes to `to`; they are not stored. The default of `from` is then `to` without them. Requires ' +
  'the permission `evaluate`.';
