import { InputType, ObjectType } from '@nestjs/graphql';
import type { RemainingPoolChanges } from '../../app/pools/plan-pool.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { declarationFaults, type PutPoolRequest } from '../../app/pools/put-pool.js';
import type { JsonValue } from '../../core/json/json-value.js';
import type { Labels } from '../../core/kubernetes/objects/meta.js';
import { defined } from '../../core/collections/defined.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Given, Shown } from './property.js';
import { NodeChangeShape, nodeChangeShape } from './taint-change-shape.js';
import { TaintEffectsShape, taintEffectsShape } from './taint-effects-shape.js';
import { TaintShape } from './taint-shape.js';

const OUTCOME = wordsType('PoolOutcome', 'What became of a declaration.', ['created', 'changed', 'unchanged']);

const SELECTOR = { matchLabels: { 'node-pool': 'ml' } };

@InputType('PoolUsersInput', { description: 'Who may use a pool: whoever one of these names.' })
export class PoolUsersBody {
  @Given({ type: 'string', list: true, optional: true, description: 'Namespaces by name.', example: ['ml'] })
  namespaces?: string[];

  @Given({ type: 'json', optional: true, description: 'Namespaces by their labels: a Kubernetes LabelSelector.' })
  namespaceSelector?: JsonValue;

  @Given({
    type: 'string',
    list: true,
    optional: true,
    description: 'The service accounts that pods run as, each as `namespace/name`.',
    example: ['ci/trainer'],
  })
  serviceAccounts?: string[];

  @Given({
    type: 'string',
    optional: true,
    description: 'The extended resource that a container of the pod requests, more than 0 of it.',
    example: 'nvidia.com/gpu',
  })
  extendedResource?: string;
}

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');

const isUsers = (users: unknown): boolean =>
  typeof users === 'object' &&
  users !== null &&
  !Array.isArray(users) &&
  Object.entries(users).every(([key, value]) =>
    key === 'namespaceSelector' ? true : key === 'extendedResource' ? typeof value === 'string' : areTexts(value),
  );

@InputType('PoolFields', { isAbstract: true })
export class PoolBody {
  /** A caller with a misspelt field learns at once what else is to be mended; what has no right shape was told. */
  static furtherFaults(body: PoolBody): readonly ErrorDetail[] {
    const { nodes, taints, labels, users, exemptNamespaces } = body;
    const shapely = {
      nodes,
      labels,
      ...(Array.isArray(taints) ? { taints } : {}),
      ...(isUsers(users) ? { users } : {}),
      ...(areTexts(exemptNamespaces) ? { exemptNamespaces } : {}),
    };
    const isTold = (member: keyof PoolBody): boolean => !(member in shapely) && body[member] !== undefined;
    return declarationFaults(defined(shapely)).filter(
      ({ pointer = '' }) => !isTold(pointer.split('/')[1] as keyof PoolBody),
    );
  }

  @Given({
    type: 'json',
    optional: true,
    description: 'Which nodes the pool has: a Kubernetes LabelSelector that is not empty. Required.',
    example: SELECTOR,
  })
  nodes?: JsonValue;

  @Given({
    type: 'json',
    list: true,
    optional: true,
    description:
      'The taints that its nodes are to carry: words of `kubectl taint`, or objects with `key`, `value` and `effect`; at least one with effect NoSchedule or NoExecute. Required.',
    example: ['dedicated=ml:NoSchedule'],
  })
  taints?: JsonValue[];

  @Given({
    type: 'json',
    optional: true,
    description:
      'The labels that its nodes are to carry and that its pods demand: words of `kubectl label`, or a map. Required.',
    example: { dedicated: 'ml' },
  })
  labels?: JsonValue;

  @Given({ type: () => PoolUsersBody, optional: true, description: 'Who may use it. Required.' })
  users?: PoolUsersBody;

  @Given({
    type: 'string',
    list: true,
    optional: true,
    description: 'Namespaces whose pods are neither changed nor refused; `kube-system` unless told.',
    example: ['kube-system'],
  })
  exemptNamespaces?: string[];

  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Only say what would happen: nothing is stored.',
  })
  dryRun?: boolean;
}

@ObjectType('PoolUsers', { description: 'Who may use a pool: whoever one of these names.' })
export class PoolUsersShape {
  @Shown({ type: 'string', list: true, description: 'Namespaces by name.', example: ['ml'] })
  namespaces!: readonly string[];

  @Shown({ type: 'json', optional: true, description: 'Namespaces by their labels.', example: null })
  namespaceSelector!: unknown;

  @Shown({ type: 'string', list: true, description: 'Service accounts, as `namespace/name`.', example: [] })
  serviceAccounts!: readonly string[];

  @Shown({ type: 'string', optional: true, description: 'Whoever requests this extended resource.', example: null })
  extendedResource!: string | null;
}

@ObjectType('Pool', { description: 'Nodes that are there for some pods and closed to all others, as declared.' })
export class PoolShape {
  @Shown({ type: 'string', description: 'Its name.', example: 'ml' })
  name!: string;

  @Shown({ type: 'json', description: 'Which nodes it has: a Kubernetes LabelSelector.', example: SELECTOR })
  nodes!: unknown;

  @Shown({ type: () => TaintShape, list: true, description: 'The taints that its nodes are to carry.' })
  taints!: readonly Plain<TaintShape>[];

  @Shown({ type: 'labels', description: 'The labels that its nodes are to carry.', example: { dedicated: 'ml' } })
  labels!: Labels;

  @Shown({ type: () => PoolUsersShape, description: 'Who may use it.' })
  users!: Plain<PoolUsersShape>;

  @Shown({ type: 'string', list: true, description: 'Namespaces that it leaves alone.', example: ['kube-system'] })
  exemptNamespaces!: readonly string[];

  @Shown({ type: 'integer', description: 'Nodes that it selects.', example: 1 })
  nodeCount!: number;

  @Shown({ type: 'integer', description: 'Those that lack a taint or a label of it.', example: 1 })
  lackingCount!: number;
}

@ObjectType('PoolAnswer', { description: 'A declared pool.' })
export class PoolAnswerShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: () => PoolShape, description: 'The pool.' })
  pool!: Plain<PoolShape>;
}

@ObjectType('PutPoolAnswer', { description: 'A pool as it was declared, or would be.' })
export class PutPoolAnswerShape {
  @Shown({ type: () => BasisShape, description: 'The revision that holds it; of a dry run the one looked at.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'boolean', description: 'Whether nothing was to be stored.', example: false })
  dryRun!: boolean;

  @Shown({ type: OUTCOME, description: 'What became of the declaration.', example: 'created' })
  outcome!: string;

  @Shown({ type: () => PoolShape, description: 'The pool.' })
  pool!: Plain<PoolShape>;
}

@ObjectType('DeletePoolAnswer', { description: 'A pool whose declaration was taken back, as it was.' })
export class DeletePoolAnswerShape {
  @Shown({ type: () => BasisShape, description: 'The first revision without it; of a dry run the one looked at.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'boolean', description: 'Whether nothing was to be stored.', example: false })
  dryRun!: boolean;

  @Shown({ type: () => PoolShape, description: 'The pool.' })
  pool!: Plain<PoolShape>;
}

@ObjectType('LackingNode', { description: 'A node of a pool that lacks a taint or a label of it.' })
export class LackingNodeShape {
  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: 'string', list: true, description: 'Taints that it lacks.', example: ['dedicated=ml:NoSchedule'] })
  taints!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'Labels that it lacks.', example: ['dedicated=ml'] })
  labels!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'What it carries in their place.', example: [] })
  replaces!: readonly string[];
}

@ObjectType('RemainingTaintChange', { description: 'A change of taints, as `taint-changes` takes it; add a reason.' })
export class RemainingChangeShape {
  @Shown({ type: 'string', list: true, description: 'The nodes.', example: ['node-1'] })
  nodes!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'Words of `kubectl taint`.', example: ['dedicated=ml:NoSchedule'] })
  taints!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'Words of `kubectl label`.', example: ['dedicated=ml'] })
  labels!: readonly string[];

  @Shown({ type: 'boolean', description: 'Whether it writes over something.', example: false })
  overwrite!: boolean;
}

@ObjectType('RemainingChangePreview', { description: 'What the change would do: as a dry run of it says.' })
export class RemainingPreviewShape {
  @Shown({ type: () => NodeChangeShape, list: true, description: 'What it makes of each node.' })
  nodes!: readonly Plain<NodeChangeShape>[];

  @Shown({ type: 'string', list: true, description: 'Commands that do the same to the cluster itself.' })
  kubectl!: readonly string[];

  @Shown({ type: () => TaintEffectsShape, description: 'What it does to pods and workloads.' })
  effects!: Plain<TaintEffectsShape>;
}

@ObjectType('RemainingPoolChanges', { description: 'What is still to be made of the nodes of a pool.' })
export class RemainingPoolChangesShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'string', description: 'The pool.', example: 'ml' })
  pool!: string;

  @Shown({ type: 'integer', description: 'Nodes that it selects.', example: 1 })
  nodeCount!: number;

  @Shown({ type: () => LackingNodeShape, list: true, description: 'Those that lack something, by name.' })
  lacking!: readonly Plain<LackingNodeShape>[];

  @Shown({
    type: () => RemainingChangeShape,
    optional: true,
    description: 'The one change that is left; null for none.',
  })
  change!: Plain<RemainingChangeShape> | null;

  @Shown({ type: () => RemainingPreviewShape, optional: true, description: 'What it would do; null for none.' })
  preview!: Plain<RemainingPreviewShape> | null;
}

export function remainingShape({ preview, ...answer }: RemainingPoolChanges): Plain<RemainingPoolChangesShape> {
  return {
    ...answer,
    preview: preview && {
      nodes: preview.nodes.map((node) => nodeChangeShape({ ...node, status: null, saidBy: null })),
      kubectl: preview.kubectl,
      effects: taintEffectsShape(preview.effects),
    },
  };
}

export function putPoolRequest(
  cluster: string,
  name: string,
  body: PoolBody,
  { ifMatch, root }: { readonly ifMatch?: string | undefined; readonly root: '' | 'input' },
): PutPoolRequest {
  const { nodes, taints, labels, users, exemptNamespaces, dryRun } = body;
  const pool = defined({ nodes, taints, labels, users: users && defined(users), exemptNamespaces });
  return { cluster, name, pool, dryRun: dryRun ?? false, ifMatch, root };
}
