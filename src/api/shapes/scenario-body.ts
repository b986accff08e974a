import { InputType } from '@nestjs/graphql';
import { givenScenario, type GivenScenario } from '../../app/reads/given-scenario.js';
import type { AdmissionMode } from '../../app/placements/placement-request.js';
import { WORKLOAD_KINDS } from '../../core/admission/read-pod-manifest.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import type { Labels } from '../../core/kubernetes/objects/meta.js';
import { MOST_CHANGES } from '../../core/scenario/apply-scenario.js';
import { CHANGE_TYPES, type PodsOfRemovedNodes, type ScenarioChange } from '../../core/scenario/scenario.js';
import { MOST_OBJECTS } from '../../core/scenario/scenario-draft.js';
import { ADMISSION } from './admission-mode.js';
import { wordsType } from './property-type.js';
import { Given } from './property.js';

const PODS_OF_REMOVED_NODES = wordsType('PodsOfRemovedNodes', 'What becomes of pods whose node goes.', [
  'delete',
  'pending',
]);

/** Names that one list may have: those of the nodes of the largest clusters. */
const MOST_NAMES = 10_000;

const TAINTS = {
  type: 'json',
  list: true,
  optional: true,
  example: ['dedicated=ml:NoSchedule'],
} as const;

const AMOUNTS = { type: 'json', optional: true, example: { cpu: '8', 'nvidia.com/gpu': 4 } } as const;

@InputType({ isAbstract: true })
abstract class NodeTargetsBody {
  @Given({
    type: 'string',
    list: true,
    optional: true,
    maximumLength: MOST_NAMES,
    description: 'Nodes by name. Exactly one of `nodes`, `labelSelector` and `allNodes` is given.',
    example: ['node-1'],
  })
  nodes?: string[];

  @Given({
    type: 'string',
    optional: true,
    description: "Nodes with these labels, in kubectl's syntax; where none has them nothing changes.",
  })
  labelSelector?: string;

  @Given({ type: 'boolean', optional: true, description: 'Every node.' })
  allNodes?: boolean;
}

@InputType({ isAbstract: true })
abstract class PodTargetsBody {
  @Given({
    type: 'string',
    list: true,
    optional: true,
    maximumLength: MOST_NAMES,
    description: 'Pods as `namespace/name`; or give a namespace, a selector, or both.',
    example: ['default/web-0'],
  })
  pods?: string[];

  @Given({ type: 'string', optional: true, description: 'Pods of this namespace.' })
  namespace?: string;

  @Given({ type: 'string', optional: true, description: "Pods with these labels, in kubectl's syntax." })
  labelSelector?: string;
}

@InputType({ isAbstract: true })
abstract class CopiesBody {
  @Given({
    type: 'string',
    optional: true,
    description: "The name in the place of the template's; for several what their names begin with (`pool-0001`).",
    example: 'gpu',
  })
  name?: string;

  @Given({
    type: 'string',
    list: true,
    optional: true,
    maximumLength: MOST_NAMES,
    description: 'The names, one for each.',
  })
  names?: string[];

  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    description: 'How many, named by the first free numbers; one under its own name unless told.',
    example: 2,
  })
  count?: number;
}

@InputType('EditNodesInput')
export class EditNodesBody extends NodeTargetsBody {
  @Given({
    ...TAINTS,
    description:
      'Words of `kubectl taint` (`key=value:Effect`, `key:Effect-`, `key-`), or objects with `key`, `value` and `effect`, and `remove: true` to take one away.',
  })
  taints?: JsonValue[];

  @Given({
    type: 'json',
    optional: true,
    description: 'Words of `kubectl label` (`key=value`, `key-`), or a map of keys to values, null to take one away.',
  })
  labels?: JsonValue;

  @Given({ type: 'boolean', optional: true, description: 'True cordons, false uncordons.' })
  unschedulable?: boolean;

  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Taints and labels that are there already may get another value.',
  })
  overwrite?: boolean;
}

@InputType('AddNodesInput')
export class AddNodesBody extends CopiesBody {
  @Given({
    type: 'kubernetesObject',
    optional: true,
    description: 'The manifest of a Node. Exactly one of `node` and `like` is given.',
  })
  node?: JsonObject;

  @Given({
    type: 'string',
    optional: true,
    description:
      'A node to copy, as an autoscaler takes one for its pool: without uid, times, cordon, taints of its condition, and pods.',
    example: 'node-1',
  })
  like?: string;

  @Given({ type: 'labels', optional: true, description: 'Labels over those of the template.' })
  labels?: Labels;

  @Given({ ...TAINTS, description: 'Taints in the place of those of the template; as words or objects.' })
  taints?: JsonValue[];

  @Given({ ...AMOUNTS, description: 'Quantities by resource, over those of the template.' })
  allocatable?: JsonValue;
}

@InputType('RemoveNodesInput')
export class RemoveNodesBody extends NodeTargetsBody {
  @Given({
    type: PODS_OF_REMOVED_NODES,
    optional: true,
    description:
      'What becomes of their pods. Unless told those with a controller become pending, since it would make them anew, and the others go. Pods of DaemonSets, static pods, and pods that have ended or are being deleted always go.',
  })
  pods?: PodsOfRemovedNodes;
}

@InputType('ResizeNodesInput')
export class ResizeNodesBody extends NodeTargetsBody {
  @Given({ ...AMOUNTS, description: 'New allocatable amounts by resource; the others stay.' })
  allocatable?: JsonValue;

  @Given({ ...AMOUNTS, description: 'New capacities by resource; the others stay.' })
  capacity?: JsonValue;
}

@InputType('AddPodsInput')
export class AddPodsBody extends CopiesBody {
  @Given({
    type: 'kubernetesObject',
    description: `The manifest of a Pod, or of a workload whose template makes them: ${WORKLOAD_KINDS.join(', ')}.`,
  })
  pod!: JsonObject;

  @Given({ type: 'string', optional: true, description: 'The node that they run on; pending without one.' })
  nodeName?: string;

  @Given(ADMISSION)
  admission?: AdmissionMode;
}

@InputType('RemovePodsInput')
export class RemovePodsBody extends PodTargetsBody {}

@InputType('MovePodsInput')
export class MovePodsBody extends PodTargetsBody {
  @Given({
    type: 'string',
    optional: true,
    description: 'The node that they run on from now on. Exactly one of `nodeName` and `pending` is given.',
  })
  nodeName?: string;

  @Given({ type: 'boolean', optional: true, description: 'Takes them off their nodes.' })
  pending?: boolean;
}

@InputType('EditRuntimeClassInput')
export class EditRuntimeClassBody {
  @Given({ type: 'string', description: 'The RuntimeClass.', example: 'kata-fc' })
  name!: string;

  @Given({
    type: 'json',
    optional: true,
    description: 'Its overhead: quantities by resource, `{}` for an empty one; what is absent stays.',
    example: { cpu: '500m', memory: '240Mi' },
  })
  overhead?: JsonValue;

  @Given({ type: 'boolean', optional: true, description: 'Takes its overhead away.' })
  withoutOverhead?: boolean;

  @Given({ type: 'labels', optional: true, description: 'Its node selector; what is absent stays.' })
  nodeSelector?: Labels;

  @Given({
    type: 'json',
    list: true,
    optional: true,
    description: 'Its tolerations, as objects; what is absent stays.',
  })
  tolerations?: JsonValue[];
}

@InputType('EditNamespaceInput')
export class EditNamespaceBody {
  @Given({ type: 'string', description: 'The namespace.', example: 'default' })
  name!: string;

  @Given({ type: 'json', optional: true, description: 'Labels: values by key, null to take one away.' })
  labels?: JsonValue;

  @Given({
    type: 'json',
    optional: true,
    description: 'Annotations, such as the default tolerations: values by key, null to take one away.',
    example: { 'scheduler.alpha.kubernetes.io/defaultTolerations': null },
  })
  annotations?: JsonValue;
}

@InputType('PutObjectsInput')
export class PutObjectsBody {
  @Given({
    type: 'kubernetesObject',
    list: true,
    description: 'Manifests of ResourceQuotas, LimitRanges, PriorityClasses, RuntimeClasses and Namespaces.',
  })
  objects!: JsonObject[];
}

@InputType('ObjectReferenceInput')
export class ObjectReferenceBody {
  @Given({ type: 'string', description: 'Its kind.', example: 'ResourceQuota' })
  kind!: string;

  @Given({ type: 'string', optional: true, defaultsTo: 'default', description: 'Its namespace, if its kind has any.' })
  namespace?: string;

  @Given({ type: 'string', description: 'Its name.', example: 'team-quota' })
  name!: string;
}

@InputType('RemoveObjectsInput')
export class RemoveObjectsBody {
  @Given({ type: () => ObjectReferenceBody, list: true, description: 'Objects of the same kinds.' })
  objects!: ObjectReferenceBody[];
}

@InputType('ReadmitPodsInput')
export class ReadmitPodsBody extends PodTargetsBody {
  @Given({ type: 'string', optional: true, description: 'In the place of the others: all pods of this RuntimeClass.' })
  runtimeClass?: string;
}

@InputType('ScenarioChangeInput', { description: 'One hypothetical change: exactly one of these is given.' })
export class ScenarioChangeBody {
  @Given({ type: () => EditNodesBody, optional: true, description: 'Taints, labels, cordons and uncordons nodes.' })
  editNodes?: EditNodesBody;

  @Given({ type: () => AddNodesBody, optional: true, description: 'Adds nodes of a template.' })
  addNodes?: AddNodesBody;

  @Given({ type: () => RemoveNodesBody, optional: true, description: 'Takes nodes away.' })
  removeNodes?: RemoveNodesBody;

  @Given({ type: () => ResizeNodesBody, optional: true, description: 'Gives nodes other amounts.' })
  resizeNodes?: ResizeNodesBody;

  @Given({ type: () => AddPodsBody, optional: true, description: 'Adds pods.' })
  addPods?: AddPodsBody;

  @Given({ type: () => RemovePodsBody, optional: true, description: 'Takes pods away.' })
  removePods?: RemovePodsBody;

  @Given({ type: () => MovePodsBody, optional: true, description: 'Moves pods to a node, or off their nodes.' })
  movePods?: MovePodsBody;

  @Given({
    type: () => EditRuntimeClassBody,
    optional: true,
    description:
      'Changes what a RuntimeClass adds to pods; those that there are stay as they are until they are readmitted.',
  })
  editRuntimeClass?: EditRuntimeClassBody;

  @Given({
    type: () => EditNamespaceBody,
    optional: true,
    description: 'Changes labels and annotations of a namespace.',
  })
  editNamespace?: EditNamespaceBody;

  @Given({
    type: () => PutObjectsBody,
    optional: true,
    description: 'Puts ResourceQuotas, LimitRanges, PriorityClasses, RuntimeClasses and Namespaces in place.',
  })
  putObjects?: PutObjectsBody;

  @Given({ type: () => RemoveObjectsBody, optional: true, description: 'Takes objects of those kinds away.' })
  removeObjects?: RemoveObjectsBody;

  @Given({
    type: () => ReadmitPodsBody,
    optional: true,
    description:
      'Makes pods anew on their nodes, as their controllers would, through admission as the changes before have made it. Those that are refused are gone.',
  })
  readmitPods?: ReadmitPodsBody;
}

@InputType('ScenarioInput', { description: 'Hypothetical changes of a cluster; nothing of them is stored.' })
export class ScenarioBody {
  @Given({
    type: () => ScenarioChangeBody,
    list: true,
    // The core names a longer one by its place in the scenario.
    maximumLength: 10 * MOST_CHANGES,
    description: `The changes in their order, each of which sees what those before it made: at most ${MOST_CHANGES}, which touch or add at most ${MOST_OBJECTS} objects.`,
  })
  changes!: ScenarioChangeBody[];
}

/** The property of a request, or the argument, that brings a scenario. */
export const SCENARIO = {
  type: () => ScenarioBody,
  optional: true,
  description:
    'Answer from this state with hypothetical changes made to it; needs the right `evaluate`. Nothing of them is stored.',
} as const;

/** What a scenario means to a difference. */
export const DIFF_SCENARIO =
  'Compare `to` with hypothetical changes made to it; with itself unless `from` is told; needs the right `evaluate`. Nothing of them is stored.';

const read = new WeakMap<ScenarioBody, GivenScenario>();

/** The scenario of a request. */
export function scenarioOf(body: ScenarioBody): GivenScenario {
  let scenario = read.get(body);
  if (scenario === undefined) read.set(body, (scenario = givenScenario({ changes: body.changes.map(changeOf) })));
  return scenario;
}

function changeOf(body: ScenarioChangeBody): ScenarioChange {
  const given = CHANGE_TYPES.filter((type) => body[type] !== undefined);
  const [type] = given;
  if (type === undefined || given.length > 1) return { type: 'unclear', given };
  return { type, ...(body[type] as object) } as ScenarioChange;
}
