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
import { nodeVersion } from '../nodes/node-version.js';

/** Why one node is left as it is; `changed-since`: somebody has changed what was to be taken back. */
export interface NodeRefusal extends Omit<EditError, 'code'> {
  readonly code: EditError['code'] | 'node-not-found' | 'changed-since';
}

/** What a change makes of one node that was asked for. */
export interface NodeOutcome {
  readonly node: string;
  readonly outcome: 'changed' | 'unchanged' | 'refused';
  /** kubectl's words for what was done. */
  readonly operations: readonly string[];
  /** What kubectl would print: `node/n tainted`; for a refused node why. */
  readonly message: string;
  readonly difference: TaintDifference | null;
  /** null where no label changes. */
  readonly labels: LabelDifference | null;
  /** The node before, for `If-Match`; null for one that is not there. */
  readonly version: string | null;
  /** RFC 6902; empty where nothing changes. */
  readonly jsonPatch: readonly JsonPatchOperation[];
  readonly errors: readonly NodeRefusal[];
}

/** A node that changes, with what it becomes. */
export interface EditedNode {
  readonly before: Node;
  readonly after: Node;
  readonly difference: TaintDifference;
  readonly labels?: LabelDifference;
}

export interface NodeResult {
  readonly outcome: NodeOutcome;
  /** Where it changes. */
  readonly edited?: EditedNode;
}

/** Makes an edit of one node. @param now whole seconds, as the API server writes times */
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

/** A node that nothing is to be done about. */
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

/** In the API server's words. */
export function nodeNotFound(node: string, place?: { readonly field: string; readonly pointer: string }): NodeRefusal {
  return { code: 'node-not-found', message: `nodes ${JSON.stringify(node)} not found`, ...place };
}
