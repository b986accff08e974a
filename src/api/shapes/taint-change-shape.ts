import { ObjectType } from '@nestjs/graphql';
import type { NodeRefusal } from '../../app/taint-changes/node-outcome.js';
import type { NodeChangeView, TaintChangeAnswer, TaintChangeView } from '../../app/taint-changes/taint-change-view.js';
import type { JsonPatchOperation } from '../../core/taint-change/json-patch.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';
import {
  LabelDifferenceShape,
  labelDifferenceShape,
  TaintDifferenceShape,
  taintDifferenceShape,
} from './taint-difference-shape.js';
import { TaintEffectsShape, taintEffectsShape } from './taint-effects-shape.js';

const ACTION = wordsType('TaintChangeAction', 'How a change came to be.', ['change', 'revert', 'expiry']);
const CHANGE_STATUS = wordsType(
  'TaintChangeStatus',
  'What the cluster says of a change that was made here: `recorded` until a snapshot or an audit event decides; `mixed` where ' +
    'its nodes do not agree.',
  ['recorded', 'confirmed', 'notApplied', 'overwritten', 'mixed'],
);
const NODE_OUTCOME = wordsType('NodeTaintChangeOutcome', 'What a change makes of a node.', [
  'changed',
  'unchanged',
  'refused',
]);
const EXPIRY = wordsType('TaintChangeExpiry', 'What became of the time limit of a change.', [
  'pending',
  'done',
  'cancelled',
  'refused',
]);

@ObjectType('ChangeAuthor', { description: 'Who made a change: the caller, as the service knows it.' })
export class ChangeAuthorShape {
  @Shown({ type: 'string', description: 'The name.', example: 'alice' })
  name!: string;

  @Shown({ type: 'string', description: 'anonymous, token, oidc or service (this service itself).', example: 'oidc' })
  kind!: string;

  @Shown({ type: 'string', list: true, description: 'The groups of the caller.', example: ['sre'] })
  groups!: readonly string[];

  @Shown({
    type: 'string',
    optional: true,
    description: 'The identity provider that vouches for the name; null for other kinds.',
    example: null,
  })
  issuer!: string | null;
}

@ObjectType('AskedTaintChange', { description: 'A change as it was asked for.' })
export class AskedTaintChangeShape {
  @Shown({ type: 'string', list: true, optional: true, description: 'Nodes by name.', example: ['node-1'] })
  nodes!: readonly string[] | null;

  @Shown({ type: 'string', optional: true, description: 'Nodes by their labels.', example: null })
  labelSelector!: string | null;

  @Shown({ type: 'boolean', description: 'Every node.', example: false })
  allNodes!: boolean;

  @Shown({ type: 'string', list: true, description: "Words of kubectl's.", example: ['dedicated=ml:NoSchedule'] })
  taints!: readonly string[];

  @Shown({ type: 'string', list: true, description: "Words of kubectl's.", example: [] })
  labels!: readonly string[];

  @Shown({ type: 'boolean', optional: true, description: 'Cordon (true) or uncordon (false).', example: null })
  unschedulable!: boolean | null;

  @Shown({ type: 'boolean', description: 'What was there already could get another value.', example: false })
  overwrite!: boolean;

  @Shown({ type: 'boolean', description: 'Nodes that refused it were left out.', example: false })
  perNode!: boolean;

  @Shown({ type: 'boolean', description: 'A revert overrode what was changed since.', example: false })
  force!: boolean;
}

@ObjectType('NodeTaintChangeCounts', { description: 'Nodes by what became of them.' })
export class NodeChangeCountsShape {
  @Shown({ type: 'integer', description: 'Changed.', example: 1 })
  changed!: number;

  @Shown({ type: 'integer', description: 'As they were.', example: 0 })
  unchanged!: number;

  @Shown({ type: 'integer', description: 'Refused.', example: 0 })
  refused!: number;
}

@ObjectType('TaintChangeStatuses', { description: 'Nodes by what the cluster says of the change.' })
export class TaintChangeStatusesShape {
  @Shown({ type: 'integer', description: 'Nothing is known yet.', example: 1 })
  recorded!: number;

  @Shown({ type: 'integer', description: 'The cluster shows it.', example: 0 })
  confirmed!: number;

  @Shown({ type: 'integer', description: 'A snapshot shows the node as it was before.', example: 0 })
  notApplied!: number;

  @Shown({ type: 'integer', description: 'A snapshot shows something else.', example: 0 })
  overwritten!: number;
}

@ObjectType('TaintChange', {
  description: 'A change of taints, cordons and labels that was made through this service.',
})
export class TaintChangeShape {
  @Shown({ type: 'id', description: 'Names the change.', example: '6b1f2a8e-52a4-4d3e-9a64-1f0e7a3c9b10' })
  id!: string;

  @Shown({ type: 'integer', description: 'The revision that it made.', example: 2 })
  revision!: number;

  @Shown({ type: 'int64', description: 'The number of its first record in the trail.', example: 1 })
  sequence!: number;

  @Shown({ type: 'time', description: 'When it was made.', example: '2026-05-04T03:02:01.000Z' })
  madeAt!: Date;

  @Shown({ type: ACTION, description: 'A change, the revert of one, or its expiry.' })
  action!: string;

  @Shown({ type: () => ChangeAuthorShape, description: 'Who made it.' })
  by!: Plain<ChangeAuthorShape>;

  @Shown({ type: 'string', optional: true, description: 'For whom, as the caller said.', example: null })
  onBehalfOf!: string | null;

  @Shown({ type: 'string', description: 'Why.', example: 'The ML team moves in, see OPS-17' })
  reason!: string;

  @Shown({ type: 'string', optional: true, description: 'Where more is to be read.', example: null })
  link!: string | null;

  @Shown({ type: () => AskedTaintChangeShape, description: 'What was asked for.' })
  request!: Plain<AskedTaintChangeShape>;

  @Shown({ type: () => NodeChangeCountsShape, description: 'Nodes by what became of them.' })
  counts!: Plain<NodeChangeCountsShape>;

  @Shown({ type: CHANGE_STATUS, description: 'What the cluster says of it, in one word.' })
  status!: string;

  @Shown({ type: () => TaintChangeStatusesShape, description: 'The same by nodes.' })
  statuses!: Plain<TaintChangeStatusesShape>;

  @Shown({ type: 'id', optional: true, description: 'The change that it takes back.', example: null })
  undoes!: string | null;

  @Shown({ type: 'id', optional: true, description: 'The change that took it back.', example: null })
  undoneBy!: string | null;

  @Shown({ type: 'time', optional: true, description: 'When it is taken back by itself.', example: null })
  expiresAt!: Date | null;

  @Shown({
    type: EXPIRY,
    optional: true,
    description:
      '`cancelled`: reverted before; `refused`: somebody had changed all that it did. Null for a change without a time limit.',
    example: null,
  })
  expiry!: string | null;
}

@ObjectType('JsonPatchOperation', { description: 'An operation of a JSON Patch (RFC 6902).' })
export class JsonPatchOperationShape {
  @Shown({ type: 'string', description: 'test, add or remove.', example: 'add' })
  op!: string;

  @Shown({ type: 'string', description: 'A JSON pointer into the node.', example: '/spec/taints' })
  path!: string;

  @Shown({ type: 'json', optional: true, description: 'Absent for remove.' })
  value?: unknown;
}

@ObjectType('NodeRefusal', { description: 'Why a node is left as it is.' })
export class NodeRefusalShape {
  @Shown({ type: 'string', description: 'A stable code.', example: 'taint-exists' })
  code!: string;

  @Shown({ type: 'string', description: "In kubectl's or the API server's words, where they have some." })
  message!: string;

  @Shown({ type: 'string', optional: true, description: 'The field that it is about.', example: null })
  field!: string | null;
}

@ObjectType('SaidBy', { description: 'What decided about a change: a snapshot, or an audit event.' })
export class SaidByShape {
  @Shown({ type: 'integer', optional: true, description: 'The revision of the snapshot.', example: 3 })
  revision!: number | null;

  @Shown({ type: 'string', optional: true, description: 'When the snapshot was captured.' })
  at!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The id of the audit event.', example: null })
  auditID!: string | null;
}

@ObjectType('NodeTaintChange', { description: 'What a change makes of one node.' })
export class NodeChangeShape {
  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: NODE_OUTCOME, description: 'Changed, unchanged or refused.' })
  outcome!: string;

  @Shown({ type: 'string', list: true, description: "kubectl's words for what was done.", example: ['tainted'] })
  operations!: readonly string[];

  @Shown({ type: 'string', description: 'What kubectl would print.', example: 'node/node-1 tainted' })
  message!: string;

  @Shown({ type: () => TaintDifferenceShape, optional: true, description: 'Null where nothing was looked at.' })
  difference!: Plain<TaintDifferenceShape> | null;

  @Shown({ type: () => LabelDifferenceShape, optional: true, description: 'Null where no label changes.' })
  labels!: Plain<LabelDifferenceShape> | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'The version of the node before, for `If-Match`; null for one that is not there.',
    example: '9f86d081884c7d659a2feaa0c55ad015',
  })
  version!: string | null;

  @Shown({
    type: () => JsonPatchOperationShape,
    list: true,
    description:
      'Does the same to the node in the cluster: `kubectl patch node NAME --type json -p`. Its first operation tests that ' +
      'nobody changed the node meanwhile.',
  })
  jsonPatch!: readonly Plain<JsonPatchOperationShape>[];

  @Shown({ type: () => NodeRefusalShape, list: true, description: 'Why it is refused.' })
  errors!: readonly Plain<NodeRefusalShape>[];

  @Shown({
    type: CHANGE_STATUS,
    optional: true,
    description: 'What the cluster says of it; null where nothing changed.',
  })
  status!: string | null;

  @Shown({ type: () => SaidByShape, optional: true, description: 'What said so; null while nothing has.' })
  saidBy!: Plain<SaidByShape> | null;
}

@ObjectType('TaintChangeAnswer', { description: 'A change that was made, or what one would do.' })
export class TaintChangeAnswerShape {
  @Shown({
    type: () => BasisShape,
    description: 'The new state; where nothing was stored, the one that was looked at.',
  })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'boolean', description: 'Whether nothing was to be stored.', example: false })
  dryRun!: boolean;

  @Shown({
    type: 'boolean',
    description: 'Whether it is the answer to the same request, made before under the same idempotency key.',
    example: false,
  })
  replayed!: boolean;

  @Shown({
    type: () => TaintChangeShape,
    optional: true,
    description: 'The change on the record; null for a dry run, and where no node changes.',
  })
  change!: Plain<TaintChangeShape> | null;

  @Shown({
    type: () => NodeChangeShape,
    list: true,
    description: 'The nodes that were asked for, 1,000 at most, refused ones first.',
  })
  nodes!: readonly Plain<NodeChangeShape>[];

  @Shown({
    type: 'integer',
    description: 'How many more were asked for; the commands and the effects cover them all.',
    example: 0,
  })
  nodesOmitted!: number;

  @Shown({
    type: 'string',
    list: true,
    description: 'Commands that do the same to the cluster itself.',
    example: ['kubectl taint nodes node-1 dedicated=ml:NoSchedule'],
  })
  kubectl!: readonly string[];

  @Shown({ type: () => TaintEffectsShape, description: 'What it does to pods and workloads.' })
  effects!: Plain<TaintEffectsShape>;
}

export function taintChangeShape(view: TaintChangeView): Plain<TaintChangeShape> {
  const { id, revision, sequence, madeAt, action, by, onBehalfOf, reason, link, counts } = view;
  const { status, statuses, undoes, undoneBy, expiresAt, expiry } = view;
  const { nodes, labelSelector, allNodes, ...asked } = view.request;
  return {
    id,
    revision,
    sequence,
    madeAt,
    action,
    by,
    onBehalfOf,
    reason,
    link,
    counts,
    status,
    statuses,
    undoes,
    undoneBy,
    expiresAt,
    expiry,
    request: { nodes: nodes ?? null, labelSelector: labelSelector ?? null, allNodes: allNodes ?? false, ...asked },
  };
}

export function taintChangeAnswerShape(answer: TaintChangeAnswer): Plain<TaintChangeAnswerShape> {
  const { change, nodes, effects, ...rest } = answer;
  return {
    ...rest,
    change: change === null ? null : taintChangeShape(change),
    nodes: nodes.map(nodeChangeShape),
    effects: taintEffectsShape(effects),
  };
}

export function nodeChangeShape({
  difference,
  labels,
  jsonPatch,
  errors,
  ...node
}: NodeChangeView): Plain<NodeChangeShape> {
  return {
    ...node,
    difference: difference === null ? null : taintDifferenceShape(difference),
    labels: labels === null ? null : labelDifferenceShape(labels),
    jsonPatch: jsonPatch.map(jsonPatchShape),
    errors: errors.map(refusalShape),
  };
}

function jsonPatchShape(operation: JsonPatchOperation): Plain<JsonPatchOperationShape> {
  return { ...operation };
}

function refusalShape({ code, message, field }: NodeRefusal): Plain<NodeRefusalShape> {
  return { code, message, field: field ?? null };
}
