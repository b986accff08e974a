import type { TaintDifference } from '../../core/audit/taint-difference.js';
import { defined } from '../../core/collections/defined.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { applyTaintEdit, type NodeEditOutcome } from '../../core/taint-change/apply-taint-edit.js';
import type { EditError } from '../../core/taint-change/check-taint-edit.js';
import { jsonPatch, type JsonPatchOperation } from '../../core/taint-change/json-patch.js';
import {
  isNoLabelDifference,
  labelDifference,
  type LabelDifference,
} from '../../core/taint-change/label-difference.js';
import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import { nodeVersion } from '../../storage/taint-trail/node-row.js';

/** Why a node is left unchanged; `changed-since`: the taints to revert were changed since. */
export interface NodeRefusal extends Omit<EditError, 'code'> {
  readonly code: EditError['code'] | 'node-not-found' | 'changed-since';
}

/** The result of a change for one node. */
export interface NodeOutcome {
  readonly node: string;
  readonly outcome: 'changed' | 'unchanged' | 'refused';
  /** The operations as kubectl names them. */
  readonly operations: readonly string[];
  /** The output of kubectl, such as `node/n tainted`; for a rejected node, the error. */
  readonly message: string;
  readonly difference: TaintDifference | null;
  /** Null if no label changes. */
  readonly labels: LabelDifference | null;
  /** Version of the node before the change, for `If-Match`; null if the node does not exist. */
  readonly version: string | null;
  /** RFC 6902; empty if nothing changes. */
  readonly jsonPatch: readonly JsonPatchOperation[];
  readonly errors: readonly NodeRefusal[];
}

/** A node before and after the change. */
export interface EditedNode {
  readonly before: Node;
  readonly after: Node;
  readonly difference: TaintDifference;
  readonly labels?: LabelDifference;
}

export interface NodeResult {
  readonly outcome: NodeOutcome;
  /** Absent if the node does not change. */
  readonly edited?: EditedNode;
}

/** Applies an edit to a node. @param now in whole seconds, as the API server writes times */
export function editNode(node: Node, edit: TaintEdit, now: string): NodeResult {
  const made = applyTaintEdit(node, edit, { now });
  const name = node.metadata.name;
  const version = nodeVersion(node);
  if (made.outcome === 'refused') return { outcome: { ...refused(name, made.errors), version } };
  const labels = labelDifference(node.metadata.labels, made.node.metadata.labels);
  const relabelled = isNoLabelDifference(labels) ? undefined : labels;
  const outcome: NodeOutcome = {
    node: name,
    outcome: made.outcome,
    operations: made.operations,
    message: made.message,
    difference: made.difference,
    labels: relabelled ?? null,
    version,
    jsonPatch: jsonPatch(node, made.asked),
    errors: [],
  };
  return made.outcome === 'unchanged' ? { outcome } : { outcome, edited: edited(node, made, relabelled) };
}

function edited(
  before: Node,
  { node, difference }: Extract<NodeEditOutcome, { readonly difference: TaintDifference }>,
  labels: LabelDifference | undefined,
): EditedNode {
  return { before, after: node, difference, ...defined({ labels }) };
}

export function refused(node: string, errors: readonly NodeRefusal[]): NodeOutcome {
  return {
    node,
    outcome: 'refused',
    operations: [],
    message: errors.map(({ message }) => message).join('\n'),
    difference: null,
    labels: null,
    version: null,
    jsonPatch: [],
    errors,
  };
}

/** The outcome of a node that needs no change. */
export function untouched(node: Node, message: string): NodeOutcome {
  return {
    node: node.metadata.name,
    outcome: 'unchanged',
    operations: [],
    message,
    difference: null,
    labels: null,
    version: nodeVersion(node),
    jsonPatch: [],
    errors: [],
  };
}

/** Has the wording of the API server. */
export function nodeNotFound(node: string, place?: { readonly field: string; readonly pointer: string }): NodeRefusal {
  return { code: 'node-not-found', message: `nodes ${JSON.stringify(node)} not found`, ...place };
}
