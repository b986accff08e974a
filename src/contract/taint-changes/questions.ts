import type { ErrorCode } from '../error-code.js';
import { list, question } from '../question.js';
import { revertFields, taintChangeFields } from './taint-change-request.js';
import { taintChange, taintChangeOutcome } from './taint-change.js';
import { EFFECTS_VIEW } from './taint-effects.js';

const ID = { id: { in: 'id', type: 'id', description: 'The change.' } } as const;

const HEADERS = {
  'If-Match':
    'Refuse with 412, saying what changed meanwhile, unless the cluster is at this revision (`"7"`), or the one node that is ' +
    'named at this version (`"9f86d081884c7d659a2feaa0c55ad015"`, from a dry run).',
  'Idempotency-Key': 'The same request said again under the same key is answered as it was, and made once.',
} as const;

const CHANGE_ERRORS: readonly ErrorCode[] = [
  'cluster-not-found',
  'no-snapshot',
  'object-not-found',
  'taint-change-refused',
  'precondition-failed',
  'idempotency-key-reused',
  'too-many-changes',
  'budget-exceeded',
];

const PARAMETERS = { cluster: 'example', id: taintChange.members.id.example } as const;

export const changeTaints = question({
  id: 'taintChanges.change',
  summary: 'Change taints',
  description:
    'Adds, overwrites and removes taints, cordons and uncordons, sets and removes labels, exactly as kubectl and the API ' +
    'server would, in one change of all nodes or none. It is an intent until a snapshot of the cluster, or an audit event, ' +
    'says what became of it. Answers 200 where nothing was stored: a dry run (which needs the right `evaluate` alone, a ' +
    'change needs `change`), the same request once more, or no node that changes.',
  method: 'POST',
  path: 'clusters/{cluster}/taint-changes',
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  restQuery: EFFECTS_VIEW,
  body: { type: taintChangeFields, description: 'Which nodes, and what to make of them.' },
  response: taintChangeOutcome,
  statuses: { 201: 'Made.', 200: 'Nothing was stored.' },
  errors: CHANGE_ERRORS,
  examples: {
    parameters: { cluster: 'example' },
    body: { nodes: ['node-1'], taints: ['maintenance=true:NoSchedule'], reason: 'Kernel update, see OPS-17' },
  },
  graphql: {
    on: 'Mutation',
    name: 'changeTaints',
    description: 'Changes taints, cordons and labels as kubectl would, on the record; or says what that would do.',
    input: { type: 'TaintChangeInput', description: 'Which nodes, and what to make of them.' },
  },
});

export const listTaintChanges = question({
  id: 'taintChanges.list',
  summary: 'List taint changes',
  description:
    'The changes that were made to a cluster through this service, newest first. What else happened to taints is in its trail.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-changes',
  permission: 'read',
  response: list({
    name: 'TaintChangeList',
    item: taintChange,
    itemsDescription: 'The changes, newest first.',
    head: {},
    connection: { name: 'TaintChange', description: 'Changes of taints that were made here, newest first.' },
  }),
  statuses: { 200: 'A page of changes.' },
  errors: ['cluster-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'taintChanges',
    description: 'Changes of taints that were made here, newest first.',
  },
});

export const getTaintChange = question({
  id: 'taintChanges.get',
  summary: 'Read a taint change',
  description: 'One change: what was asked, what became of each node, and what snapshots say of it since.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-changes/{id}',
  variables: ID,
  permission: 'read',
  beyondRevision: true,
  restQuery: EFFECTS_VIEW,
  response: taintChangeOutcome,
  statuses: { 200: 'The change.' },
  errors: ['cluster-not-found', 'no-snapshot', 'change-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Cluster',
    name: 'taintChange',
    description: 'One change of taints, with what became of each node.',
  },
});

export const revertTaintChange = question({
  id: 'taintChanges.revert',
  summary: 'Take a taint change back',
  description:
    'Makes the inverse of a change, on the record. Refused, naming what and who, where somebody changed the same since, ' +
    'unless `force` says to override it.',
  method: 'POST',
  path: 'clusters/{cluster}/taint-changes/{id}/revert',
  variables: { id: { ...ID.id, description: 'The change to take back.' } },
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  restQuery: EFFECTS_VIEW,
  body: { type: revertFields, description: 'Why, and how.' },
  response: taintChangeOutcome,
  statuses: { 201: 'Taken back.', 200: 'Nothing was stored.' },
  errors: [...CHANGE_ERRORS, 'change-not-found', 'already-reverted', 'revert-conflict'],
  examples: { parameters: PARAMETERS, body: { reason: 'The update is done' } },
  graphql: {
    on: 'Mutation',
    name: 'revertTaintChange',
    description: 'Makes the inverse of a change of taints, on the record.',
    input: { type: 'RevertTaintChangeInput', description: 'Which change, and why.' },
  },
});
