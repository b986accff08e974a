import { PATCH_OPERATION } from '../common/patch.js';
import { deviceTaintRuleChange } from '../device-taint-changes/device-taint-rule-change.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { taintDifference, labelDifference } from '../common/taint-difference.js';
import { answerBasis } from '../common/basis.js';
import { nodeApplication, taintChangeApplication } from './application.js';
import { changeAuthor } from './change-author.js';
import { guardrailResult } from '../guardrails/guardrail.js';
import { taintEffects } from './taint-effects.js';

export const ACTION = enumType('TaintChangeAction', 'Origin of a change.', ['change', 'revert', 'expiry']);

export const CHANGE_STATUS = enumType(
  'TaintChangeStatus',
  'Status of a change made through this service: `recorded` until a snapshot or an audit event decides; `mixed` if the nodes differ. The last three are changes that were asked and not made.',
  ['recorded', 'confirmed', 'notApplied', 'overwritten', 'mixed', 'awaitingApproval', 'rejected', 'approvalExpired'],
);

const APPROVAL_STATE = enumType('ChangeApprovalState', 'Whether a change that needs approval has it.', [
  'waiting',
  'approved',
  'rejected',
  'expired',
]);

/** The states of changes that were asked and not made. */
export const UNMADE = enumType('UnmadeChanges', 'Changes that were asked and not made.', [
  'waiting',
  'rejected',
  'expired',
]);

const DECISION = enumType('ChangeDecision', 'What somebody said about a change that needs approval.', [
  'approve',
  'reject',
]);

export const NODE_OUTCOME = enumType('NodeTaintChangeOutcome', 'Result of a change for one node.', [
  'changed',
  'unchanged',
  'refused',
]);

export const EXPIRY = enumType('TaintChangeExpiry', 'What happened to the time limit of a change.', [
  'pending',
  'done',
  'cancelled',
  'refused',
]);

export const askedTaintChange = object('AskedTaintChange', 'A change as requested.', {
  nodes: {
    type: 'identifier',
    list: true,
    optional: true,
    description: 'Node names, if given.',
    example: ['node-1'],
  },
  labelSelector: {
    type: 'identifier',
    optional: true,
    description: 'Label selector for the nodes, if given.',
    example: null,
  },
  allNodes: { type: 'boolean', description: 'Selects every node.', example: false },
  taints: {
    type: 'string',
    list: true,
    description: 'Arguments of `kubectl taint`.',
    example: ['dedicated=ml:NoSchedule'],
  },
  labels: { type: 'string', list: true, description: 'Arguments of `kubectl label`.', example: [] },
  unschedulable: {
    type: 'boolean',
    optional: true,
    description: 'Cordon (true) or uncordon (false); null for neither.',
    example: null,
  },
  overwrite: { type: 'boolean', description: 'Whether existing values could be overwritten.', example: false },
  perNode: { type: 'boolean', description: 'Whether refused nodes were skipped.', example: false },
  force: { type: 'boolean', description: 'Whether a revert overrode later changes.', example: false },
});

export const nodeTaintChangeCounts = object('NodeTaintChangeCounts', 'Nodes by result.', {
  changed: { type: 'integer', description: 'Changed nodes.', example: 1 },
  unchanged: { type: 'integer', description: 'Unchanged nodes.', example: 0 },
  refused: { type: 'integer', description: 'Refused nodes.', example: 0 },
});

export const taintChangeStatuses = object('TaintChangeStatuses', 'Nodes by status.', {
  recorded: { type: 'integer', description: 'Nodes for which the outcome is not known yet.', example: 1 },
  confirmed: { type: 'integer', description: 'Nodes on which the cluster shows the change.', example: 0 },
  notApplied: { type: 'integer', description: 'Nodes that a snapshot shows without the change.', example: 0 },
  overwritten: { type: 'integer', description: 'Nodes that a snapshot shows in another state.', example: 0 },
});

export const changeVote = object('ChangeVote', 'An approval, or a rejection.', {
  decision: { type: DECISION, description: DECISION.description, example: 'approve' },
  by: { type: changeAuthor, description: 'The caller.' },
  reason: { type: 'string', description: 'Reason of the caller.', example: 'Checked with the ML team' },
  at: { type: 'time', description: 'When.', example: '2026-05-04T03:05:00.000Z' },
  counts: {
    type: 'boolean',
    description: 'False for an approval of an earlier preview: the change does more since.',
    example: true,
  },
});

export const changeApproval = object('ChangeApproval', 'The approval that a change needs, or needed.', {
  state: { type: APPROVAL_STATE, description: APPROVAL_STATE.description, example: 'waiting' },
  askedAt: { type: 'time', description: 'When the change was asked.', example: '2026-05-04T03:02:01.000Z' },
  approveBy: { type: 'time', description: 'Until when it can be approved.', example: '2026-05-05T03:02:01.000Z' },
  apply: {
    type: 'boolean',
    description: 'Whether the service writes the change to the cluster once it is approved.',
    example: false,
  },
  rules: {
    type: 'string',
    list: true,
    description: 'The guardrails that ask for approval.',
    example: ['two approve production'],
  },
  needed: {
    type: 'integer',
    optional: true,
    description: 'How many approvals satisfy them; null if that depends on who approves.',
    example: 2,
  },
  votes: { type: changeVote, list: true, description: 'Who approved or rejected it, in order.' },
  note: {
    type: 'string',
    optional: true,
    description: 'Why the change waits again; null if it does not.',
    example: null,
  },
});

export const taintChange = object(
  'TaintChange',
  'A change of taints, cordons and labels made through this service.',
  {
    id: { type: 'id', description: 'Change id.', example: '6b1f2a8e-52a4-4d3e-9a64-1f0e7a3c9b10' },
    revision: {
      type: 'integer',
      optional: true,
      description: 'Revision created by the change; null if it was not made.',
      example: 2,
    },
    sequence: { type: 'int64', description: 'Sequence number of its first record in the trail.', example: 1 },
    madeAt: {
      type: 'time',
      description: 'Time of the change; of the request, if it was not made.',
      example: '2026-05-04T03:02:01.000Z',
    },
    action: { type: ACTION, description: 'Whether it is a change, the revert of one, or an expiry.' },
    by: { type: changeAuthor, description: 'Author of the change.' },
    onBehalfOf: { type: 'string', optional: true, description: 'For whom, according to the caller.', example: null },
    reason: { type: 'string', description: 'Reason given by the author.', example: 'The ML team moves in, see OPS-17' },
    link: { type: 'string', optional: true, description: 'URL with more information.', example: null },
    request: { type: askedTaintChange, description: 'The change as requested.' },
    counts: { type: nodeTaintChangeCounts, description: 'Nodes by result.' },
    status: { type: CHANGE_STATUS, description: 'Summary of `statuses`.' },
    statuses: { type: taintChangeStatuses, description: 'Nodes by status.' },
    application: {
      type: taintChangeApplication,
      optional: true,
      description: 'How this service writes it to the cluster; null for a mere intent.',
      example: null,
    },
    deviceTaintRule: {
      type: 'identifier',
      optional: true,
      description: 'Name of the DeviceTaintRule that it changes; null for a change of nodes.',
      example: null,
    },
    undoes: {
      type: 'id',
      optional: true,
      description: 'Id of the reverted change.',
      example: null,
    },
    undoneBy: {
      type: 'id',
      optional: true,
      description: 'Id of the reverting change.',
      example: null,
    },
    expiresAt: {
      type: 'time',
      optional: true,
      description: 'When the change is reverted automatically.',
      example: null,
    },
    expiry: {
      type: EXPIRY,
      optional: true,
      description:
        '`cancelled`: the change was reverted earlier; `refused`: everything it did had been changed since. Null ' +
        'without a time limit.',
      example: null,
    },
    approval: {
      type: changeApproval,
      optional: true,
      description: 'The approval that the change needs, or needed; null if none.',
      example: null,
    },
  },
  { hasGlobalId: true },
);

export const jsonPatchOperation = object('JsonPatchOperation', 'An operation of a JSON Patch (RFC 6902).', {
  op: { type: PATCH_OPERATION, description: 'test, add or remove.', example: 'add' },
  path: { type: 'identifier', description: 'JSON pointer into the node.', example: '/spec/taints' },
  value: {
    type: 'json',
    taintValue: true,
    optional: true,
    omittable: true,
    description: 'The new or expected value; absent for remove.',
    example: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }],
  },
});

export const NODE_REFUSAL_CODE = enumType('NodeRefusalCode', 'Stable code for why a node is not changed.', [
  'invalid-taint',
  'duplicate-taint',
  'conflicting-taints',
  'invalid-label',
  'conflicting-labels',
  'no-change-requested',
  'too-many-edits',
  'taint-exists',
  'taint-not-found',
  'label-exists',
  'too-many-taints',
  'invalid-node',
  'node-not-found',
  'changed-since',
]);

export const nodeRefusal = object('NodeRefusal', 'Why a node is not changed.', {
  code: { type: NODE_REFUSAL_CODE, description: NODE_REFUSAL_CODE.description, example: 'taint-exists' },
  message: {
    type: 'string',
    description: 'Message of kubectl or the API server, if any.',
    example: 'node node-1 already has dedicated taint(s) with same effect(s) and --overwrite is false',
  },
  field: { type: 'identifier', optional: true, description: 'The field that the refusal is about.', example: null },
});

export const changeEvidence = object(
  'ChangeEvidence',
  'Evidence for the outcome of a change: a snapshot or an audit event.',
  {
    revision: { type: 'integer', optional: true, description: 'Revision of the snapshot.', example: 3 },
    at: { type: 'identifier', optional: true, description: 'Capture time of the snapshot.' },
    auditID: { type: 'identifier', optional: true, description: 'Audit event id.', example: null },
  },
);

export const nodeTaintChange = object(
  'NodeTaintChange',
  'Result of a change for one node.',
  {
    node: { type: 'identifier', description: 'Node name.', example: 'node-1' },
    outcome: { type: NODE_OUTCOME, description: NODE_OUTCOME.description },
    operations: { type: 'string', list: true, description: 'What kubectl reports as done.', example: ['tainted'] },
    message: { type: 'string', description: 'Output of kubectl.', example: 'node/node-1 tainted' },
    difference: {
      type: taintDifference,
      optional: true,
      description: 'Changes of taints and cordon; null if not evaluated.',
      example: exampleOf(taintDifference),
    },
    labels: { type: labelDifference, optional: true, description: 'Changes of labels; null if there are none.' },
    version: {
      type: 'identifier',
      optional: true,
      description: 'Node version before the change, for `If-Match`; null if it does not exist.',
      example: '9f86d081884c7d659a2feaa0c55ad015',
    },
    jsonPatch: {
      type: jsonPatchOperation,
      list: true,
      description:
        'The same change as a patch: `kubectl patch node NAME --type json -p`. The first operation tests that nobody ' +
        'has changed the node since.',
    },
    errors: { type: nodeRefusal, list: true, description: 'Why the node refuses the change.', example: [] },
    status: {
      type: CHANGE_STATUS,
      optional: true,
      description: 'Status of the change on this node; null if the node does not change.',
      example: 'recorded',
    },
    evidence: { type: changeEvidence, optional: true, description: 'Evidence for `status`; null without evidence.' },
    application: {
      type: nodeApplication,
      optional: true,
      description: 'What became of it in the cluster; null if this service does not write it.',
      example: null,
    },
  },
  // In OpenAPI, `NodeChange` and `NodeTaintChange` are different schemas.
  { openApiName: 'ChangedNode' },
);

export const taintChangeOutcome = object('TaintChangeResponse', 'A change that was made, or a preview of one.', {
  basis: {
    type: answerBasis,
    description: 'The new state; if the change was not made, the state that was evaluated.',
  },
  dryRun: { type: 'boolean', description: 'True for a dry run: nothing was stored.', example: false },
  replayed: {
    type: 'boolean',
    description:
      'True if this is the response to an earlier request with the same idempotency key, or if the change is being applied already.',
    example: false,
  },
  change: {
    type: taintChange,
    optional: true,
    description: 'The recorded change, made or waiting for approval; null for a dry run, and if no node changes.',
    example: exampleOf(taintChange),
  },
  nodes: {
    type: nodeTaintChange,
    list: true,
    description: 'The requested nodes, refused ones first; at most 1,000.',
  },
  nodesOmitted: {
    type: 'integer',
    description: 'Number of requested nodes left out of `nodes`; `kubectl` and `effects` cover all of them.',
    example: 0,
  },
  kubectl: {
    type: 'string',
    list: true,
    description: 'Commands that make the same change in the cluster.',
    example: ['kubectl taint nodes node-1 dedicated=ml:NoSchedule'],
  },
  effects: { type: taintEffects, description: 'Effects on pods and workloads.' },
  deviceTaintRule: {
    type: deviceTaintRuleChange,
    optional: true,
    description: 'What the change does to a DeviceTaintRule; null for a change of nodes.',
    example: null,
  },
  guardrails: {
    type: guardrailResult,
    list: true,
    description: 'What the guardrails of the cluster say of the change, in their order.',
    example: [],
  },
});
