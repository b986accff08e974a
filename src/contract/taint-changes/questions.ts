import type { ErrorCode } from '../error-code.js';
import { list, question } from '../question.js';
import { applyFields } from './application.js';
import { decisionFields, revertFields, taintChangeFields } from './taint-change-request.js';
import { taintChange, taintChangeOutcome, UNMADE } from './taint-change.js';
import { EFFECTS_VIEW } from './taint-effects.js';

const ID = { id: { in: 'id', type: 'id', description: 'Change id.' } } as const;

const HEADERS = {
  'If-Match':
    'Refuse with 412 and the differences unless the cluster is at this revision (`"7"`), or the single named node ' +
    'at this version (`"9f86d081884c7d659a2feaa0c55ad015"`, from a dry run).',
  'Idempotency-Key': 'A repeated request with the same key is executed once and gets the original response.',
} as const;

const CHANGE_ERRORS: readonly ErrorCode[] = [
  'cluster-not-found',
  'no-snapshot',
  'object-not-found',
  'taint-change-refused',
  'guardrail-refused',
  'precondition-failed',
  'idempotency-key-reused',
  'too-many-changes',
  'budget-exceeded',
  'apply-not-allowed',
];

const PARAMETERS = { cluster: 'example', id: taintChange.members.id.example } as const;

export const changeTaints = question({
  id: 'taintChanges.change',
  summary: 'Change taints',
  description:
    'Adds, overwrites and removes taints, cordons and uncordons nodes, and sets and removes labels exactly as ' +
    'kubectl and the API server do, for all nodes or none. The change is an intent until a snapshot or an audit ' +
    'event decides its outcome; with `apply`, the service writes it to the cluster. The guardrails of the cluster can refuse it, or make it wait for approval. Returns 200 if nothing was stored: for a dry run, for a repeated request, and if ' +
    'no node changes.',
  method: 'POST',
  path: 'clusters/{cluster}/taint-changes',
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  restQuery: EFFECTS_VIEW,
  body: { type: taintChangeFields, description: 'The nodes and their changes.' },
  response: taintChangeOutcome,
  statuses: { 201: 'Changed.', 202: 'The change waits for approval.', 200: 'Nothing was stored.' },
  errors: CHANGE_ERRORS,
  examples: {
    parameters: { cluster: 'example' },
    body: { nodes: ['node-1'], taints: ['maintenance=true:NoSchedule'], reason: 'Kernel update, see OPS-17' },
  },
  graphql: {
    on: 'Mutation',
    name: 'changeTaints',
    description: 'Changes taints, cordons and labels as kubectl does, and records the change; or previews it.',
    input: { type: 'TaintChangeInput', description: 'The nodes and their changes.' },
  },
});

export const listTaintChanges = question({
  id: 'taintChanges.list',
  summary: 'List taint changes',
  description:
    'Returns the changes made to a cluster through this service, newest first; with `approval`, those that were asked and not made. ' +
    'All other changes of taints are in the audit trail.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-changes',
  permission: 'read',
  query: {
    approval: {
      type: UNMADE,
      optional: true,
      description:
        'Instead of the changes that were made, those that wait for approval, were rejected, or were not approved in time.',
    },
  },
  response: list({
    name: 'TaintChangeList',
    item: taintChange,
    itemsDescription: 'The changes, newest first.',
    head: {},
    connection: { name: 'TaintChange', description: 'Taint changes made through this service, newest first.' },
  }),
  statuses: { 200: 'A page of changes.' },
  errors: ['cluster-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'taintChanges',
    description: 'Taint changes made through this service, newest first.',
  },
});

export const getTaintChange = question({
  id: 'taintChanges.get',
  summary: 'Get a taint change',
  description: 'Returns one change: the request, the result for each node, and its status since then.',
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
    description: 'One taint change, with the result for each node.',
  },
});

export const revertTaintChange = question({
  id: 'taintChanges.revert',
  summary: 'Revert a taint change',
  description:
    'Makes and records the inverse of a change of nodes, or of a DeviceTaintRule. If the same taints, labels or cordons have changed since, it fails and names these changes and their authors, unless `force` is set.',
  method: 'POST',
  path: 'clusters/{cluster}/taint-changes/{id}/revert',
  variables: { id: { ...ID.id, description: 'Id of the change to revert.' } },
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  restQuery: EFFECTS_VIEW,
  body: { type: revertFields, description: 'Reason and options.' },
  response: taintChangeOutcome,
  statuses: { 201: 'Reverted.', 202: 'The revert waits for approval.', 200: 'Nothing was stored.' },
  errors: [...CHANGE_ERRORS, 'change-not-found', 'already-reverted', 'revert-conflict'],
  examples: { parameters: PARAMETERS, body: { reason: 'The update is done' } },
  graphql: {
    on: 'Mutation',
    name: 'revertTaintChange',
    description: 'Makes and records the inverse of a taint change.',
    input: { type: 'RevertTaintChangeInput', description: 'The change to revert, and why.' },
  },
});

export const applyTaintChange = question({
  id: 'taintChanges.apply',
  summary: 'Apply a taint change to the cluster',
  description:
    'Has the service write a stored change to the cluster: node by node, in order, or a DeviceTaintRule, each first as a dry run. Takes up an application that was stopped or cancelled; nodes that have the change are left alone. Needs the permission `apply`, a connection with `writes`, and a user who may get and patch nodes, or get, create, patch and delete DeviceTaintRules; everything that is missing is named at once.',
  method: 'POST',
  path: 'clusters/{cluster}/taint-changes/{id}/apply',
  variables: { id: { ...ID.id, description: 'Id of the change to apply.' } },
  permission: 'change',
  beyondRevision: true,
  restQuery: EFFECTS_VIEW,
  body: { type: applyFields, description: 'How it is written.', required: false },
  response: taintChangeOutcome,
  statuses: {
    202: 'It is written in the background.',
    200: 'Nothing was started: a dry run, or it is running or done.',
  },
  errors: [
    'cluster-not-found',
    'no-snapshot',
    'change-not-found',
    'already-reverted',
    'taint-change-refused',
    'guardrail-refused',
    'apply-not-allowed',
    'budget-exceeded',
    'too-many-changes',
  ],
  examples: { parameters: PARAMETERS, body: { nodesPerMinute: 30 } },
  graphql: {
    on: 'Mutation',
    name: 'applyTaintChange',
    description: 'Has the service write a stored change to the cluster.',
    input: { type: 'ApplyTaintChangeInput', description: 'The change, and how it is written.' },
  },
});

export const cancelApplication = question({
  id: 'taintChanges.cancelApplication',
  summary: 'Cancel the application of a taint change',
  description:
    'Ends writing a change to the cluster. Nodes that are written stay as they are; a write that is on its way is still judged. Idempotent.',
  method: 'POST',
  path: 'clusters/{cluster}/taint-changes/{id}/cancel-application',
  variables: { id: { ...ID.id, description: 'Id of the change.' } },
  permission: 'change',
  beyondRevision: true,
  restQuery: EFFECTS_VIEW,
  response: taintChangeOutcome,
  statuses: { 200: 'The change; it is not written any further.' },
  errors: ['cluster-not-found', 'no-snapshot', 'change-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Mutation',
    name: 'cancelTaintChangeApplication',
    description: 'Ends writing a change to the cluster.',
    input: { type: 'CancelApplicationInput', description: 'The change.' },
  },
});

const DECISION_HEADERS = {
  'If-Match': 'Refuse with 412 and the differences unless the cluster is at this revision (`"7"`).',
} as const;

const DECISION_ERRORS: readonly ErrorCode[] = [
  'cluster-not-found',
  'no-snapshot',
  'change-not-found',
  'change-not-waiting',
  'precondition-failed',
  'too-many-changes',
];

export const approveTaintChange = question({
  id: 'taintChanges.approve',
  summary: 'Approve a taint change',
  description:
    'Approves a change that waits. With enough approvals it is previewed again on the newest state, and made. If a guardrail refuses it ' +
    'there, this fails and the change goes on waiting. If it does more than before - a guardrail has a worse outcome, or more nodes ' +
    'change - it waits again with the new preview, and earlier approvals no longer count. Neither the author nor the person on ' +
    'whose behalf the change is made can approve it, and nobody twice.',
  method: 'POST',
  path: 'clusters/{cluster}/taint-changes/{id}/approve',
  variables: { id: { ...ID.id, description: 'Id of the change to approve.' } },
  permission: 'approve',
  headers: DECISION_HEADERS,
  restQuery: EFFECTS_VIEW,
  body: { type: decisionFields, description: 'The reason.' },
  response: taintChangeOutcome,
  statuses: { 201: 'Approved and made.', 202: 'The change still waits.' },
  errors: [
    ...DECISION_ERRORS,
    'approval-not-allowed',
    'guardrail-refused',
    'apply-not-allowed',
    'taint-change-refused',
    'object-not-found',
    'already-reverted',
    'revert-conflict',
    'budget-exceeded',
  ],
  examples: { parameters: PARAMETERS, body: { reason: 'Checked with the ML team' } },
  graphql: {
    on: 'Mutation',
    name: 'approveTaintChange',
    description: 'Approves a taint change that waits, and makes it if it has enough approvals.',
    input: { type: 'ApproveTaintChangeInput', description: 'The change, and why.' },
  },
});

export const rejectTaintChange = question({
  id: 'taintChanges.reject',
  summary: 'Reject a taint change',
  description: 'Rejects a change that waits: it is never made. The author can withdraw a change so, too.',
  method: 'POST',
  path: 'clusters/{cluster}/taint-changes/{id}/reject',
  variables: { id: { ...ID.id, description: 'Id of the change to reject.' } },
  permission: 'approve',
  headers: DECISION_HEADERS,
  restQuery: EFFECTS_VIEW,
  body: { type: decisionFields, description: 'The reason.' },
  response: taintChangeOutcome,
  statuses: { 200: 'Rejected.' },
  errors: DECISION_ERRORS,
  examples: { parameters: PARAMETERS, body: { reason: 'Not during the release' } },
  graphql: {
    on: 'Mutation',
    name: 'rejectTaintChange',
    description: 'Rejects a taint change that waits.',
    input: { type: 'RejectTaintChangeInput', description: 'The change, and why.' },
  },
});
