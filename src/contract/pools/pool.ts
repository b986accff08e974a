import { object, enumType } from '../schema.js';
import { labelSelector, labelSelectorInput } from '../common/kubernetes.js';
import { taint } from '../common/taint.js';
import { answerBasis } from '../common/basis.js';
import { nodeTaintChange } from '../taint-changes/taint-change.js';
import { taintEffects } from '../taint-changes/taint-effects.js';

export const OUTCOME = enumType('PoolOutcome', 'What became of a declaration.', ['created', 'changed', 'unchanged']);

export const DRY_RUN = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Only say what would happen.',
} as const;

export const SELECTOR = { matchLabels: { 'node-pool': 'ml' } };

export const poolUsersInput = object(
  'PoolUsersInput',
  'Who may use a pool: whoever one of these names.',
  {
    namespaces: { type: 'string', list: true, optional: true, description: 'Namespaces by name.', example: ['ml'] },
    namespaceSelector: {
      type: labelSelectorInput,
      optional: true,
      checkedByReader: true,
      description: 'Namespaces by their labels: a Kubernetes LabelSelector.',
    },
    serviceAccounts: {
      type: 'string',
      list: true,
      optional: true,
      description: 'The service accounts that pods run as, each as `namespace/name`.',
      example: ['ci/trainer'],
    },
    extendedResource: {
      type: 'string',
      optional: true,
      description: 'The extended resource that a container of the pod requests, more than 0 of it.',
      example: 'nvidia.com/gpu',
    },
  },
  { openApiName: 'PoolUsers' },
);

export const poolFields = object(
  'PoolFields',
  '',
  {
    nodes: {
      type: labelSelectorInput,
      optional: true,
      checkedByReader: true,
      description: 'Which nodes the pool has: a Kubernetes LabelSelector that is not empty. Required.',
      example: SELECTOR,
    },
    taints: {
      type: 'json',
      list: true,
      optional: true,
      description:
        'The taints that its nodes are to carry: words of `kubectl taint`, or objects with `key`, `value` and `effect`; at least one with effect NoSchedule or NoExecute. Required.',
      example: ['dedicated=ml:NoSchedule'],
    },
    labels: {
      type: 'json',
      optional: true,
      description:
        'The labels that its nodes are to carry and that its pods demand: words of `kubectl label`, or a map. Required.',
      example: { dedicated: 'ml' },
    },
    users: { type: poolUsersInput, optional: true, description: 'Who may use it. Required.' },
    exemptNamespaces: {
      type: 'string',
      list: true,
      optional: true,
      description: 'Namespaces whose pods are neither changed nor refused; `kube-system` by default.',
      example: ['kube-system'],
    },
    dryRun: { ...DRY_RUN, description: 'Only say what would happen: nothing is stored.' },
  },
  { openApiName: 'Pool' },
);

export const poolUsers = object('PoolUsers', 'Who may use a pool: whoever one of these names.', {
  namespaces: { type: 'string', list: true, description: 'Namespaces by name.', example: ['ml'] },
  namespaceSelector: { type: labelSelector, optional: true, description: 'Namespaces by their labels.', example: null },
  serviceAccounts: { type: 'string', list: true, description: 'Service accounts, as `namespace/name`.', example: [] },
  extendedResource: {
    type: 'string',
    optional: true,
    description: 'Whoever requests this extended resource.',
    example: null,
  },
});

export const pool = object(
  'Pool',
  'Nodes that are there for some pods and closed to all others, as declared.',
  {
    name: { type: 'string', description: 'Its name.', example: 'ml' },
    nodes: { type: labelSelector, description: 'Which nodes it has: a Kubernetes LabelSelector.', example: SELECTOR },
    taints: { type: taint, list: true, description: 'The taints that its nodes are to carry.' },
    labels: { type: 'labels', description: 'The labels that its nodes are to carry.', example: { dedicated: 'ml' } },
    users: { type: poolUsers, description: 'Who may use it.' },
    exemptNamespaces: {
      type: 'string',
      list: true,
      description: 'Namespaces that it leaves alone.',
      example: ['kube-system'],
    },
    nodeCount: { type: 'integer', description: 'Nodes that it selects.', example: 1 },
    lackingCount: { type: 'integer', description: 'Those that lack a taint or a label of it.', example: 1 },
  },
  { hasGlobalId: true },
);

export const poolResponse = object('PoolResponse', 'A declared pool.', {
  basis: { type: answerBasis, description: 'What the answer rests on.' },
  pool: { type: pool, description: 'The pool.' },
});

export const putPoolResponse = object('PutPoolResponse', 'A pool as it was declared, or would be.', {
  basis: { type: answerBasis, description: 'The revision that holds it; of a dry run the one looked at.' },
  dryRun: { type: 'boolean', description: 'Whether nothing was to be stored.', example: false },
  outcome: { type: OUTCOME, description: 'What became of the declaration.', example: 'created' },
  pool: { type: pool, description: 'The pool.' },
});

export const deletePoolResponse = object('DeletePoolResponse', 'A pool whose declaration was taken back, as it was.', {
  basis: { type: answerBasis, description: 'The first revision without it; of a dry run the one looked at.' },
  dryRun: { type: 'boolean', description: 'Whether nothing was to be stored.', example: false },
  pool: { type: pool, description: 'The pool.' },
});

export const lackingNode = object('LackingNode', 'A node of a pool that lacks a taint or a label of it.', {
  node: { type: 'string', description: 'The node.', example: 'node-1' },
  taints: { type: 'string', list: true, description: 'Taints that it lacks.', example: ['dedicated=ml:NoSchedule'] },
  labels: { type: 'string', list: true, description: 'Labels that it lacks.', example: ['dedicated=ml'] },
  replaces: { type: 'string', list: true, description: 'What it carries in their place.', example: [] },
});

export const remainingTaintChange = object(
  'RemainingTaintChange',
  'A change of taints, as `taint-changes` takes it; add a reason.',
  {
    nodes: { type: 'string', list: true, description: 'The nodes.', example: ['node-1'] },
    taints: {
      type: 'string',
      list: true,
      description: 'Words of `kubectl taint`.',
      example: ['dedicated=ml:NoSchedule'],
    },
    labels: { type: 'string', list: true, description: 'Words of `kubectl label`.', example: ['dedicated=ml'] },
    overwrite: { type: 'boolean', description: 'Whether it writes over something.', example: false },
  },
  { openApiName: 'RemainingChange' },
);

export const remainingChangePreview = object(
  'RemainingChangePreview',
  'What the change would do: as a dry run of it says.',
  {
    nodes: { type: nodeTaintChange, list: true, description: 'What it makes of each node.' },
    kubectl: { type: 'string', list: true, description: 'Commands that do the same to the cluster itself.' },
    effects: { type: taintEffects, description: 'What it does to pods and workloads.' },
  },
  { openApiName: 'RemainingPreview' },
);

export const remainingPoolChanges = object('RemainingPoolChanges', 'What is still to be made of the nodes of a pool.', {
  basis: { type: answerBasis, description: 'What the answer rests on.' },
  pool: { type: 'string', description: 'The pool.', example: 'ml' },
  nodeCount: { type: 'integer', description: 'Nodes that it selects.', example: 1 },
  lacking: { type: lackingNode, list: true, description: 'Those that lack something, by name.' },
  change: {
    type: remainingTaintChange,
    optional: true,
    description: 'The one change that is left; null for none.',
  },
  preview: { type: remainingChangePreview, optional: true, description: 'What it would do; null for none.' },
});
