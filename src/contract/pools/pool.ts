import { GIVEN_TAINT, LABEL_EDITS } from '../common/given.js';
import { object, enumType } from '../schema.js';
import { labelSelector, labelSelectorInput } from '../common/kubernetes.js';
import { taint } from '../common/taint.js';
import { answerBasis } from '../common/basis.js';
import { nodeTaintChange } from '../taint-changes/taint-change.js';
import { taintEffects } from '../taint-changes/taint-effects.js';

export const OUTCOME = enumType('PoolOutcome', 'The outcome of a declaration.', ['created', 'changed', 'unchanged']);

export const DRY_RUN = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Dry run: only report what would happen.',
} as const;

export const SELECTOR = { matchLabels: { 'node-pool': 'ml' } };

export const poolUsersInput = object(
  'PoolUsersInput',
  'Who may use a pool: pods that match any of these.',
  {
    namespaces: {
      type: 'identifier',
      list: true,
      optional: true,
      description: 'Namespaces, by name.',
      example: ['ml'],
    },
    namespaceSelector: {
      type: labelSelectorInput,
      optional: true,
      checkedByReader: true,
      description: 'Namespaces, by label: a Kubernetes LabelSelector.',
    },
    serviceAccounts: {
      type: 'identifier',
      list: true,
      optional: true,
      description: 'Service accounts that pods run as, as `namespace/name`.',
      example: ['ci/trainer'],
    },
    extendedResource: {
      type: 'identifier',
      optional: true,
      description: 'Extended resource of which a container of the pod requests more than 0.',
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
      description: 'Selects the nodes of the pool: a non-empty Kubernetes LabelSelector. Required.',
      example: SELECTOR,
    },
    taints: {
      type: GIVEN_TAINT,
      list: true,
      optional: true,
      description:
        'Taints that the nodes should have, in `kubectl taint` syntax, or as objects with `key`, `value` and `effect`; at least one with effect NoSchedule or NoExecute. Required.',
      example: ['dedicated=ml:NoSchedule'],
    },
    labels: {
      type: LABEL_EDITS,
      optional: true,
      description:
        'Labels that the nodes should have and that the pods select, in `kubectl label` syntax, or as a map. Required.',
      example: { dedicated: 'ml' },
    },
    users: { type: poolUsersInput, optional: true, description: 'Who may use the pool. Required.' },
    exemptNamespaces: {
      type: 'identifier',
      list: true,
      optional: true,
      description: 'Namespaces whose pods are neither changed nor refused. Default: `kube-system`.',
      example: ['kube-system'],
    },
    dryRun: { ...DRY_RUN, description: 'Dry run: only report what would happen.' },
  },
  { openApiName: 'Pool' },
);

export const poolUsers = object('PoolUsers', 'Who may use a pool: pods that match any of these.', {
  namespaces: { type: 'identifier', list: true, description: 'Namespaces, by name.', example: ['ml'] },
  namespaceSelector: { type: labelSelector, optional: true, description: 'Namespaces, by label.', example: null },
  serviceAccounts: {
    type: 'identifier',
    list: true,
    description: 'Service accounts that pods run as, as `namespace/name`.',
    example: [],
  },
  extendedResource: {
    type: 'identifier',
    optional: true,
    description: 'Extended resource that the pod requests.',
    example: null,
  },
});

export const pool = object(
  'Pool',
  'Nodes that are declared as dedicated to some pods and closed to all others.',
  {
    name: { type: 'identifier', description: 'Pool name.', example: 'ml' },
    nodes: { type: labelSelector, description: 'Selects the nodes of the pool.', example: SELECTOR },
    taints: { type: taint, list: true, description: 'Taints that the nodes should have.' },
    labels: { type: 'labels', description: 'Labels that the nodes should have.', example: { dedicated: 'ml' } },
    users: { type: poolUsers, description: 'Who may use the pool.' },
    exemptNamespaces: {
      type: 'identifier',
      list: true,
      description: 'Namespaces whose pods are neither changed nor refused.',
      example: ['kube-system'],
    },
    nodeCount: { type: 'integer', description: 'Number of nodes that the pool selects.', example: 1 },
    lackingCount: {
      type: 'integer',
      description: 'Number of these nodes that lack a taint or label of the pool.',
      example: 1,
    },
  },
  { hasGlobalId: true },
);

export const poolResponse = object('PoolResponse', 'A declared pool.', {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  pool: { type: pool, description: 'The pool.' },
});

export const putPoolResponse = object('PutPoolResponse', 'The pool as declared, or as it would be.', {
  basis: {
    type: answerBasis,
    description: 'The revision that contains the pool; for a dry run, the revision that was evaluated.',
  },
  dryRun: { type: 'boolean', description: 'True for a dry run: nothing was stored.', example: false },
  outcome: { type: OUTCOME, description: OUTCOME.description, example: 'created' },
  pool: { type: pool, description: 'The pool.' },
});

export const deletePoolResponse = object('DeletePoolResponse', 'The pool that was deleted, in its last state.', {
  basis: {
    type: answerBasis,
    description: 'The first revision without the pool; for a dry run, the revision that was evaluated.',
  },
  dryRun: { type: 'boolean', description: 'True for a dry run: nothing was stored.', example: false },
  pool: { type: pool, description: 'The pool.' },
});

export const lackingNode = object('LackingNode', 'A node of a pool that lacks a taint or label of the pool.', {
  node: { type: 'identifier', description: 'The node.', example: 'node-1' },
  taints: { type: 'string', list: true, description: 'Missing taints.', example: ['dedicated=ml:NoSchedule'] },
  labels: { type: 'string', list: true, description: 'Missing labels.', example: ['dedicated=ml'] },
  replaces: { type: 'string', list: true, description: 'Taints and labels that the node has instead.', example: [] },
});

export const remainingTaintChange = object(
  'RemainingTaintChange',
  'A change of taints that can be sent to `taint-changes` after adding a reason.',
  {
    nodes: { type: 'identifier', list: true, description: 'The nodes.', example: ['node-1'] },
    taints: {
      type: 'string',
      list: true,
      description: 'Taints to add, in `kubectl taint` syntax.',
      example: ['dedicated=ml:NoSchedule'],
    },
    labels: {
      type: 'string',
      list: true,
      description: 'Labels to add, in `kubectl label` syntax.',
      example: ['dedicated=ml'],
    },
    overwrite: { type: 'boolean', description: 'Whether the change overwrites existing values.', example: false },
  },
  { openApiName: 'RemainingChange' },
);

export const remainingChangePreview = object(
  'RemainingChangePreview',
  'What the change would do: the result of a dry run.',
  {
    nodes: { type: nodeTaintChange, list: true, description: 'Result of the change for each node.' },
    kubectl: { type: 'string', list: true, description: 'Commands that make the same change in the cluster.' },
    effects: { type: taintEffects, description: 'Effects on pods and workloads.' },
  },
  { openApiName: 'RemainingPreview' },
);

export const remainingPoolChanges = object('RemainingPoolChanges', 'The changes that the nodes of a pool still need.', {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  pool: { type: 'identifier', description: 'The pool.', example: 'ml' },
  nodeCount: { type: 'integer', description: 'Number of nodes that the pool selects.', example: 1 },
  lacking: { type: lackingNode, list: true, description: 'Nodes that lack a taint or label, by name.' },
  change: {
    type: remainingTaintChange,
    optional: true,
    description: 'The remaining change; null if there is none.',
  },
  preview: {
    type: remainingChangePreview,
    optional: true,
    description: 'What the change would do; null if there is none.',
  },
});
