import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { taintDifference, labelDifference } from '../common/taint-difference.js';
import { answerBasis } from '../common/basis.js';
import { taintEffects } from './taint-effects.js';

export const ACTION = enumType('TaintChangeAction', 'How a change came to be.', ['change', 'revert', 'expiry']);

export const CHANGE_STATUS = enumType(
  'TaintChangeStatus',
  'What the cluster says of a change that was made here: `recorded` until a snapshot or an audit event decides; `mixed` where ' +
    'its nodes do not agree.',
  ['recorded', 'confirmed', 'notApplied', 'overwritten', 'mixed'],
);

export const NODE_OUTCOME = enumType('NodeTaintChangeOutcome', 'What a change makes of a node.', [
  'changed',
  'unchanged',
  'refused',
]);

export const EXPIRY = enumType('TaintChangeExpiry', 'What became of the time limit of a change.', [
  'pending',
  'done',
  'cancelled',
  'refused',
]);

export const changeAuthor = object('ChangeAuthor', 'Who made a change: the caller, as the service knows it.', {
  name: { type: 'string', description: 'The name.', example: 'alice' },
  kind: { type: 'string', description: 'anonymous, token, oidc or service (this service itself).', example: 'oidc' },
  groups: { type: 'string', list: true, description: 'The groups of the caller.', example: ['sre'] },
  issuer: {
    type: 'string',
    optional: true,
    description: 'The identity provider that vouches for the name; null for other kinds.',
    example: null,
  },
});

export const askedTaintChange = object('AskedTaintChange', 'A change as it was asked for.', {
  nodes: { type: 'string', list: true, optional: true, description: 'Nodes by name.', example: ['node-1'] },
  labelSelector: { type: 'string', optional: true, description: 'Nodes by their labels.', example: null },
  allNodes: { type: 'boolean', description: 'Every node.', example: false },
  taints: { type: 'string', list: true, description: "Words of kubectl's.", example: ['dedicated=ml:NoSchedule'] },
  labels: { type: 'string', list: true, description: "Words of kubectl's.", example: [] },
  unschedulable: { type: 'boolean', optional: true, description: 'Cordon (true) or uncordon (false).', example: null },
  overwrite: { type: 'boolean', description: 'What was there already could get another value.', example: false },
  perNode: { type: 'boolean', description: 'Nodes that refused it were left out.', example: false },
  force: { type: 'boolean', description: 'A revert overrode what was changed since.', example: false },
});

export const nodeTaintChangeCounts = object('NodeTaintChangeCounts', 'Nodes by what became of them.', {
  changed: { type: 'integer', description: 'Changed.', example: 1 },
  unchanged: { type: 'integer', description: 'As they were.', example: 0 },
  refused: { type: 'integer', description: 'Refused.', example: 0 },
});

export const taintChangeStatuses = object('TaintChangeStatuses', 'Nodes by what the cluster says of the change.', {
  recorded: { type: 'integer', description: 'Nothing is known yet.', example: 1 },
  confirmed: { type: 'integer', description: 'The cluster shows it.', example: 0 },
  notApplied: { type: 'integer', description: 'A snapshot shows the node as it was before.', example: 0 },
  overwritten: { type: 'integer', description: 'A snapshot shows something else.', example: 0 },
});

export const taintChange = object(
  'TaintChange',
  'A change of taints, cordons and labels that was made through this service.',
  {
    id: { type: 'id', description: 'Names the change.', example: '6b1f2a8e-52a4-4d3e-9a64-1f0e7a3c9b10' },
    revision: { type: 'integer', description: 'The revision that it made.', example: 2 },
    sequence: { type: 'int64', description: 'The number of its first record in the trail.', example: 1 },
    madeAt: { type: 'time', description: 'When it was made.', example: '2026-05-04T03:02:01.000Z' },
    action: { type: ACTION, description: 'A change, the revert of one, or its expiry.' },
    by: { type: changeAuthor, description: 'Who made it.' },
    onBehalfOf: { type: 'string', optional: true, description: 'For whom, as the caller said.', example: null },
    reason: { type: 'string', description: 'Why.', example: 'The ML team moves in, see OPS-17' },
    link: { type: 'string', optional: true, description: 'Where more is to be read.', example: null },
    request: { type: askedTaintChange, description: 'What was asked for.' },
    counts: { type: nodeTaintChangeCounts, description: 'Nodes by what became of them.' },
    status: { type: CHANGE_STATUS, description: 'What the cluster says of it, in one word.' },
    statuses: { type: taintChangeStatuses, description: 'The same by nodes.' },
    undoes: { type: 'id', optional: true, description: 'The change that it takes back.', example: null },
    undoneBy: { type: 'id', optional: true, description: 'The change that took it back.', example: null },
    expiresAt: { type: 'time', optional: true, description: 'When it is taken back by itself.', example: null },
    expiry: {
      type: EXPIRY,
      optional: true,
      description:
        '`cancelled`: reverted before; `refused`: somebody had changed all that it did. Null for a change without a time limit.',
      example: null,
    },
  },
  { hasGlobalId: true },
);

export const jsonPatchOperation = object('JsonPatchOperation', 'An operation of a JSON Patch (RFC 6902).', {
  op: { type: 'string', description: 'test, add or remove.', example: 'add' },
  path: { type: 'string', description: 'A JSON pointer into the node.', example: '/spec/taints' },
  value: {
    type: 'json',
    optional: true,
    omittable: true,
    description: 'Absent for remove.',
    example: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }],
  },
});

export const nodeRefusal = object('NodeRefusal', 'Why a node is left as it is.', {
  code: { type: 'string', description: 'A stable code.', example: 'taint-exists' },
  message: {
    type: 'string',
    description: "In kubectl's or the API server's words, where they have some.",
    example: 'node node-1 already has dedicated taint(s) with same effect(s) and --overwrite is false',
  },
  field: { type: 'string', optional: true, description: 'The field that it is about.', example: null },
});

export const saidBy = object('SaidBy', 'What decided about a change: a snapshot, or an audit event.', {
  revision: { type: 'integer', optional: true, description: 'The revision of the snapshot.', example: 3 },
  at: { type: 'string', optional: true, description: 'When the snapshot was captured.' },
  auditID: { type: 'string', optional: true, description: 'The id of the audit event.', example: null },
});

export const nodeTaintChange = object(
  'NodeTaintChange',
  'What a change makes of one node.',
  {
    node: { type: 'string', description: 'The node.', example: 'node-1' },
    outcome: { type: NODE_OUTCOME, description: 'Changed, unchanged or refused.' },
    operations: { type: 'string', list: true, description: "kubectl's words for what was done.", example: ['tainted'] },
    message: { type: 'string', description: 'What kubectl would print.', example: 'node/node-1 tainted' },
    difference: {
      type: taintDifference,
      optional: true,
      description: 'Null where nothing was looked at.',
      example: exampleOf(taintDifference),
    },
    labels: { type: labelDifference, optional: true, description: 'Null where no label changes.' },
    version: {
      type: 'string',
      optional: true,
      description: 'The version of the node before, for `If-Match`; null for one that is not there.',
      example: '9f86d081884c7d659a2feaa0c55ad015',
    },
    jsonPatch: {
      type: jsonPatchOperation,
      list: true,
      description:
        'Does the same to the node in the cluster: `kubectl patch node NAME --type json -p`. Its first operation tests that ' +
        'nobody changed the node meanwhile.',
    },
    errors: { type: nodeRefusal, list: true, description: 'Why it is refused.', example: [] },
    status: {
      type: CHANGE_STATUS,
      optional: true,
      description: 'What the cluster says of it; null where nothing changed.',
      example: 'recorded',
    },
    saidBy: { type: saidBy, optional: true, description: 'What said so; null while nothing has.' },
  },
  // `NodeChange` and `NodeTaintChange` are others in OpenAPI.
  { openApiName: 'ChangedNode' },
);

export const taintChangeOutcome = object('TaintChangeResponse', 'A change that was made, or what one would do.', {
  basis: {
    type: answerBasis,
    description: 'The new state; where nothing was stored, the one that was looked at.',
  },
  dryRun: { type: 'boolean', description: 'Whether nothing was to be stored.', example: false },
  replayed: {
    type: 'boolean',
    description: 'Whether it is the answer to the same request, made before under the same idempotency key.',
    example: false,
  },
  change: {
    type: taintChange,
    optional: true,
    description: 'The change on the record; null for a dry run, and where no node changes.',
    example: exampleOf(taintChange),
  },
  nodes: {
    type: nodeTaintChange,
    list: true,
    description: 'The nodes that were asked for, 1,000 at most, refused ones first.',
  },
  nodesOmitted: {
    type: 'integer',
    description: 'How many more were asked for; the commands and the effects cover them all.',
    example: 0,
  },
  kubectl: {
    type: 'string',
    list: true,
    description: 'Commands that do the same to the cluster itself.',
    example: ['kubectl taint nodes node-1 dedicated=ml:NoSchedule'],
  },
  effects: { type: taintEffects, description: 'What it does to pods and workloads.' },
});
