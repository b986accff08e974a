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
  description: 'The pools that are declared of a cluster, each with how many of its nodes lack a taint or a label.',
  method: 'GET',
  path: 'clusters/{cluster}/pools',
  permission: 'read',
  readsRevision: true,
  response: list({
    name: 'PoolList',
    item: pool,
    itemsDescription: 'The pools, by name.',
    head: { basis: { type: answerBasis, description: 'What the answer rests on.' } },
    connection: { name: 'Pool', description: 'Pools, by name.' },
  }),
  statuses: { 200: 'A page of pools.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: { on: 'Cluster', name: 'pools', description: 'The pools that are declared of it.' },
});

export const getPool = question({
  id: 'pools.get',
  summary: 'Read a pool',
  description: 'What is declared of one pool.',
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
    'Declares dedicated nodes: which they are, the taints and labels that they are to carry, and who may use them. From it follow ' +
    'the changes still to make, what the webhooks add to pods and whom they refuse, and findings. A change makes a revision with ' +
    'its author.',
  method: 'PUT',
  path: 'clusters/{cluster}/pools/{pool}',
  variables: NAME,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  body: { type: poolFields, description: 'The pool.' },
  response: putPoolResponse,
  statuses: { 200: 'It was declared before, or it is a dry run.', 201: 'Declared.' },
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
    description: 'Declares a pool of dedicated nodes, or says what that would be.',
    input: { type: 'PutPoolInput', description: 'Which pool, and what is declared of it.' },
  },
});

export const deletePool = question({
  id: 'pools.delete',
  summary: 'Take the declaration of a pool back',
  description:
    'The nodes keep their taints and labels; the webhooks add nothing for the pool and refuse nobody any more.',
  method: 'DELETE',
  path: 'clusters/{cluster}/pools/{pool}',
  variables: NAME,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: { dryRun: DRY_RUN },
  response: deletePoolResponse,
  statuses: { 200: 'The pool as it was.' },
  errors: [...SETTING_ERRORS, 'object-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Mutation',
    name: 'deletePool',
    description: 'Takes the declaration of a pool back.',
    input: { type: 'DeletePoolInput', description: 'Which pool.' },
  },
});

export const planPool = question({
  id: 'poolChanges.remaining',
  summary: 'Read what is still to be made of the nodes of a pool',
  description:
    'The nodes of the pool that lack a taint or a label of it, and the one change of taints that gives it to them, with what it ' +
    'would do: its node changes, commands and effects are those of a dry run of `POST taint-changes` with `change` as its body.',
  method: 'GET',
  path: 'clusters/{cluster}/pools/{pool}/remaining-changes',
  variables: NAME,
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  restQuery: EFFECTS_VIEW,
  response: remainingPoolChanges,
  statuses: { 200: 'What is left.' },
  errors: [...READ_ERRORS, 'object-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Cluster',
    name: 'remainingPoolChanges',
    description: 'What is still to be made of the nodes of a pool, with what that would do.',
  },
});
