import {
  GIVEN_AMOUNTS,
  GIVEN_TAINT,
  GIVEN_TOLERATION,
  LABEL_CHANGES,
  LABEL_EDITS,
  TAINT_EDIT,
} from '../common/given.js';
import { object, enumType } from '../schema.js';
import { WORKLOAD_KINDS } from '../../core/admission/read-pod-manifest.js';
import { MOST_CHANGES } from '../../core/scenario/apply-scenario.js';
import { MOST_OBJECTS } from '../../core/scenario/scenario-draft.js';
import { ADMISSION } from '../common/admission-mode.js';

export const PODS_OF_REMOVED_NODES = enumType('PodsOfRemovedNodes', 'What becomes of pods whose node goes.', [
  'delete',
  'pending',
]);

/** Names that one list may have: those of the nodes of the largest clusters. */
const MOST_NAMES = 10_000;

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
      type: 'string',
      list: true,
      optional: true,
      maximumLength: MOST_NAMES,
      description: 'Nodes by name. Exactly one of `nodes`, `labelSelector` and `allNodes` is given.',
      example: ['node-1'],
    },
    labelSelector: {
      type: 'string',
      optional: true,
      description: "Nodes with these labels, in kubectl's syntax; where none has them nothing changes.",
    },
    allNodes: { type: 'boolean', optional: true, description: 'Every node.' },
  },
  { restOnly: true },
);

export const podTargetsRequest = object(
  'PodTargets',
  '',
  {
    pods: {
      type: 'string',
      list: true,
      optional: true,
      maximumLength: MOST_NAMES,
      description: 'Pods as `namespace/name`; or give a namespace, a selector, or both.',
      example: ['default/web-0'],
    },
    namespace: { type: 'string', optional: true, description: 'Pods of this namespace.' },
    labelSelector: { type: 'string', optional: true, description: "Pods with these labels, in kubectl's syntax." },
  },
  { restOnly: true },
);

export const copiesRequest = object(
  'Copies',
  '',
  {
    name: {
      type: 'string',
      optional: true,
      description: "The name in the place of the template's; for several what their names begin with (`pool-0001`).",
      example: 'gpu',
    },
    names: {
      type: 'string',
      list: true,
      optional: true,
      maximumLength: MOST_NAMES,
      description: 'The names, one for each.',
    },
    count: {
      type: 'integer',
      optional: true,
      minimum: 1,
      description: 'How many, named by the first free numbers; one under its own name by default.',
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
        'Words of `kubectl taint` (`key=value:Effect`, `key:Effect-`, `key-`), or objects with `key`, `value` and `effect`, and `remove: true` to take one away.',
    },
    labels: {
      type: LABEL_EDITS,
      optional: true,
      description: 'Words of `kubectl label` (`key=value`, `key-`), or a map of keys to values, null to take one away.',
    },
    unschedulable: { type: 'boolean', optional: true, description: 'True cordons, false uncordons.' },
    overwrite: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Taints and labels that are there already may get another value.',
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
      optional: true,
      description: 'The manifest of a Node. Exactly one of `node` and `like` is given.',
    },
    like: {
      type: 'string',
      optional: true,
      description:
        'A node to copy, as an autoscaler takes one for its pool: without uid, times, cordon, taints of its condition, and pods.',
      example: 'node-1',
    },
    labels: { type: 'labels', optional: true, description: 'Labels over those of the template.' },
    taints: {
      ...TAINTS,
      type: GIVEN_TAINT,
      description: 'Taints in the place of those of the template; as words or objects.',
    },
    allocatable: { ...AMOUNTS, description: 'Quantities by resource, over those of the template.' },
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
        'What becomes of their pods. By default those with a controller become pending, since it would replace them, and the others go. Pods of DaemonSets, static pods, and pods that have ended or are being deleted always go.',
    },
  },
  { openApiName: 'RemoveNodes' },
);

export const resizeNodesInput = object(
  'ResizeNodesInput',
  'Changes what nodes have of resources.',
  {
    ...nodeTargetsRequest.members,
    allocatable: { ...AMOUNTS, description: 'New allocatable amounts by resource; the others stay.' },
    capacity: { ...AMOUNTS, description: 'New capacities by resource; the others stay.' },
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
      description: `The manifest of a Pod, or of a workload whose template makes them: ${WORKLOAD_KINDS.join(', ')}.`,
    },
    nodeName: { type: 'string', optional: true, description: 'The node that they run on; pending without one.' },
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
  'Moves pods to another node, or off theirs.',
  {
    ...podTargetsRequest.members,
    nodeName: {
      type: 'string',
      optional: true,
      description: 'The node that they run on from now on. Exactly one of `nodeName` and `pending` is given.',
    },
    pending: { type: 'boolean', optional: true, description: 'Takes them off their nodes.' },
  },
  { openApiName: 'MovePods' },
);

export const editRuntimeClassInput = object(
  'EditRuntimeClassInput',
  'Changes the overhead of a RuntimeClass.',
  {
    name: { type: 'string', description: 'The RuntimeClass.', example: 'kata-fc' },
    overhead: {
      type: GIVEN_AMOUNTS,
      optional: true,
      description: 'Its overhead: quantities by resource, `{}` for an empty one; what is absent stays.',
      example: { cpu: '500m', memory: '240Mi' },
    },
    withoutOverhead: { type: 'boolean', optional: true, description: 'Takes its overhead away.' },
    nodeSelector: { type: 'labels', optional: true, description: 'Its node selector; what is absent stays.' },
    tolerations: {
      type: GIVEN_TOLERATION,
      list: true,
      optional: true,
      description: 'Its tolerations, as objects; what is absent stays.',
    },
  },
  { openApiName: 'EditRuntimeClass' },
);

export const editNamespaceInput = object(
  'EditNamespaceInput',
  'Changes the labels or annotations of a namespace.',
  {
    name: { type: 'string', description: 'The namespace.', example: 'default' },
    labels: { type: LABEL_CHANGES, optional: true, description: 'Labels: values by key, null to take one away.' },
    annotations: {
      type: LABEL_CHANGES,
      optional: true,
      description: 'Annotations, such as the default tolerations: values by key, null to take one away.',
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
      list: true,
      description: 'Manifests of ResourceQuotas, LimitRanges, PriorityClasses, RuntimeClasses and Namespaces.',
    },
  },
  { openApiName: 'PutObjects' },
);

export const objectReferenceInput = object(
  'ObjectReferenceInput',
  'Names a stored object.',
  {
    kind: { type: 'string', description: 'Its kind.', example: 'ResourceQuota' },
    namespace: {
      type: 'string',
      optional: true,
      defaultsTo: 'default',
      description: 'Its namespace, if its kind has any.',
    },
    name: { type: 'string', description: 'Its name.', example: 'team-quota' },
  },
  { openApiName: 'ObjectReference' },
);

export const removeObjectsInput = object(
  'RemoveObjectsInput',
  'Removes stored objects.',
  {
    objects: { type: objectReferenceInput, list: true, description: 'Objects of the same kinds.' },
  },
  { openApiName: 'RemoveObjects' },
);

export const readmitPodsInput = object(
  'ReadmitPodsInput',
  'Lets stored pods through admission again.',
  {
    ...podTargetsRequest.members,
    runtimeClass: {
      type: 'string',
      optional: true,
      description: 'In the place of the others: all pods of this RuntimeClass.',
    },
  },
  { openApiName: 'ReadmitPods' },
);

export const scenarioChangeInput = object(
  'ScenarioChangeInput',
  'One hypothetical change: exactly one of these is given.',
  {
    editNodes: { type: editNodesInput, optional: true, description: 'Taints, labels, cordons and uncordons nodes.' },
    addNodes: { type: addNodesInput, optional: true, description: 'Adds nodes of a template.' },
    removeNodes: { type: removeNodesInput, optional: true, description: 'Takes nodes away.' },
    resizeNodes: { type: resizeNodesInput, optional: true, description: 'Gives nodes other amounts.' },
    addPods: { type: addPodsInput, optional: true, description: 'Adds pods.' },
    removePods: { type: removePodsInput, optional: true, description: 'Takes pods away.' },
    movePods: { type: movePodsInput, optional: true, description: 'Moves pods to a node, or off their nodes.' },
    editRuntimeClass: {
      type: editRuntimeClassInput,
      optional: true,
      description:
        'Changes what a RuntimeClass adds to pods; those that there are stay as they are until they are readmitted.',
    },
    editNamespace: {
      type: editNamespaceInput,
      optional: true,
      description: 'Changes labels and annotations of a namespace.',
    },
    putObjects: {
      type: putObjectsInput,
      optional: true,
      description: 'Puts ResourceQuotas, LimitRanges, PriorityClasses, RuntimeClasses and Namespaces in place.',
    },
    removeObjects: { type: removeObjectsInput, optional: true, description: 'Takes objects of those kinds away.' },
    readmitPods: {
      type: readmitPodsInput,
      optional: true,
      description:
        'Makes pods anew on their nodes, as their controllers would, through admission as the changes before have made it. Those that are refused are gone.',
    },
  },
  { openApiName: 'ScenarioChange' },
);

const SCENARIO_DESCRIPTION =
  'Answer from the state with these hypothetical changes; needs the right `evaluate`. Nothing of them is stored.';

export const scenarioInput = object(
  'ScenarioInput',
  SCENARIO_DESCRIPTION,
  {
    changes: {
      type: scenarioChangeInput,
      list: true,
      // The core names a longer one by its place in the scenario.
      maximumLength: 10 * MOST_CHANGES,
      description: `The changes in their order, each of which sees what those before it made: at most ${MOST_CHANGES}, which touch or add at most ${MOST_OBJECTS} objects.`,
    },
  },
  { openApiName: 'Scenario' },
);

/** The property of a request, or the argument, that brings a scenario. */
export const SCENARIO = {
  type: scenarioInput,
  sharedAs: 'ScenarioToApply',
  optional: true,
  description: SCENARIO_DESCRIPTION,
} as const;

/** What a scenario means to a difference. */
export const DIFF_SCENARIO =
  'Compare `to` with hypothetical changes made to it; by default with itself; needs the right `evaluate`. Nothing of them is stored.';
