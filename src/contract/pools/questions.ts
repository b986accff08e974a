import { answerBasis } from '../common/basis.js';
import { LIST_ERRORS, READ_ERRORS, SETTING_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { EFFECTS_VIEW } from '../taint-changes/taint-effects.js';
import {
  deletePoolResponse,
  DRY_RUN,
  pool,
  poolResponse,
  poolFields,
  putPoolResponse,
  remainingPoolChanges,
} from './pool.js';

const NAME = { name: { in: 'pool', description: 'The pool.' } } as const;
const HEADERS = { 'If-Match': 'Refuse with 412 unless the cluster is at this revision (`"7"`).' } as const;
const PARAMETERS = { cluster: 'example', pool: 'ml' } as const;

export const listPools = question({
  id: 'pools.list',
  summary: 'List pools',
  description: 'The declared pools of a cluster, each with the number of its nodes that lack a taint or label.',
  method: 'GET',
  path: 'clusters/{cluster}/pools',
  permission: 'read',
  readsRevision: true,
  response: list({
    name: 'PoolList',
    item: pool,
    itemsDescription: 'The pools, by name.',
    head: { basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' } },
    connection: { name: 'Pool', description: 'Pools, by name.' },
  }),
  statuses: { 200: 'A page of pools.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: { on: 'Cluster', name: 'pools', description: 'The declared pools.' },
});

export const getPool = question({
  id: 'pools.get',
  summary: 'Read a pool',
  description: 'One declared pool.',
  method: 'GET',
  path: 'clusters/{cluster}/pools/{pool}',
  variables: NAME,
  permission: 'read',
  readsRevision: true,
  response: poolResponse,
  statuses: { 200: 'The pool.' },
  errors: [...READ_ERRORS, 'object-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Cluster', name: 'pool', description: 'One declared pool.' },
});

export const putPool = question({
  id: 'pools.put',
  summary: 'Declare a pool',
  description:
    'Declares dedicated nodes: which nodes, the taints and labels that they should have, and who may use them. The declaration ' +
    'determines the remaining changes, what the webhooks add to pods, which pods they refuse, and findings. A change creates a ' +
    'revision that records its author.',
  method: 'PUT',
  path: 'clusters/{cluster}/pools/{pool}',
  variables: NAME,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  body: { type: poolFields, description: 'The pool.' },
  response: putPoolResponse,
  statuses: { 200: 'The pool already existed, or this is a dry run.', 201: 'The pool was created.' },
  errors: SETTING_ERRORS,
  examples: {
    parameters: PARAMETERS,
    body: {
      nodes: { matchLabels: { 'kubernetes.io/hostname': 'node-1' } },
      taints: ['dedicated=ml:NoSchedule'],
      labels: { dedicated: 'ml' },
      users: { namespaces: ['ml'] },
    },
  },
  graphql: {
    on: 'Mutation',
    name: 'putPool',
    description: 'Declares a pool of dedicated nodes, or previews the declaration.',
    input: { type: 'PutPoolInput', description: 'The pool and its declaration.' },
  },
});

export const deletePool = question({
  id: 'pools.delete',
  summary: 'Delete a pool',
  description:
    'Deletes the declaration of a pool. The nodes keep their taints and labels; the webhooks no longer change or refuse pods for the pool.',
  method: 'DELETE',
  path: 'clusters/{cluster}/pools/{pool}',
  variables: NAME,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: { dryRun: DRY_RUN },
  response: deletePoolResponse,
  statuses: { 200: 'The deleted pool.' },
  errors: [...SETTING_ERRORS, 'object-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Mutation',
    name: 'deletePool',
    description: 'Deletes the declaration of a pool.',
    input: { type: 'DeletePoolInput', description: 'The pool.' },
  },
});

export const planPool = question({
  id: 'poolChanges.remaining',
  summary: 'Read the remaining changes of a pool',
  description:
    'The nodes of the pool that lack one of its taints or labels, and the change of taints that adds them, with a preview: node ' +
    'changes, commands and effects are those of a dry run of `POST taint-changes` with `change` as the body.',
  method: 'GET',
  path: 'clusters/{cluster}/pools/{pool}/remaining-changes',
  variables: NAME,
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  restQuery: EFFECTS_VIEW,
  response: remainingPoolChanges,
  statuses: { 200: 'The remaining changes.' },
  errors: [...READ_ERRORS, 'object-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Cluster',
    name: 'remainingPoolChanges',
    description: 'The changes that the nodes of a pool still need, with a preview.',
  },
});
