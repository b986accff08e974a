import {
  taintChange,
  jsonPatchOperation,
  nodeRefusal,
  nodeTaintChange,
  taintChangeAnswer,
} from '../../contract/taint-changes/taint-change.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { NodeRefusal } from '../../app/taint-changes/node-outcome.js';
import type { NodeChangeView, TaintChangeAnswer, TaintChangeView } from '../../app/taint-changes/taint-change-view.js';
import type { JsonPatchOperation } from '../../core/taint-change/json-patch.js';
import type { Plain } from './plain.js';
import { labelDifferenceShape, taintDifferenceShape } from './taint-difference-shape.js';
import { taintEffectsShape } from './taint-effects-shape.js';

export const TaintChangeShape = responseClass(taintChange);
export type TaintChangeShape = Response<typeof taintChange>;

export const JsonPatchOperationShape = responseClass(jsonPatchOperation);
export type JsonPatchOperationShape = Response<typeof jsonPatchOperation>;

export const NodeRefusalShape = responseClass(nodeRefusal);
export type NodeRefusalShape = Response<typeof nodeRefusal>;

export const NodeChangeShape = responseClass(nodeTaintChange);
export type NodeChangeShape = Response<typeof nodeTaintChange>;

export const TaintChangeAnswerShape = responseClass(taintChangeAnswer);
export type TaintChangeAnswerShape = Response<typeof taintChangeAnswer>;

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
