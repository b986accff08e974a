import { isNoDifference, nodeTaintState, taintDifference, type TaintDifference } from '../audit/taint-difference.js';
import { fieldErrorText } from '../kubernetes/error-aggregate.js';
import type { FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { Labels, Timestamp } from '../kubernetes/objects/meta.js';
import type { Node, NodeSpec } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';
import { validateLabels } from '../kubernetes/validation/label.js';
import { validateTaints } from '../kubernetes/validation/taints.js';
import type { EditError } from './check-taint-edit.js';
import { editLabels, type EditedLabels, type LabelOperation } from './edit-labels.js';
import { editTaints, type EditedTaints, type TaintOperation } from './edit-taints.js';
import type { TaintEdit } from './taint-edit.js';
import { withUnschedulableTaint } from './unschedulable-taint.js';

/** Maximum number of taints on a node after an edit; a node with more may still lose some. */
const MAX_TAINTS = 1000;

/** kubectl's message about the cordon. */
export type CordonOperation = 'cordoned' | 'uncordoned' | 'already cordoned' | 'already uncordoned';

/** kubectl's verbs for the result of an edit, one for each part of the edit. */
export type NodeOperation = TaintOperation | CordonOperation | LabelOperation;

/** The result of an edit for one node. */
export type NodeEditOutcome =
  | {
      readonly outcome: 'changed' | 'unchanged';
      /** The final node, after the node lifecycle controller has followed a change of the cordon. */
      readonly node: Node;
      /** The node after the edit alone, which the API server stores immediately. */
      readonly asked: Node;
      /** From the former to the final node. */
      readonly difference: TaintDifference;
      readonly operations: readonly NodeOperation[];
      /** kubectl's output, line by line: `node/n tainted`. */
      readonly message: string;
    }
  | { readonly outcome: 'refused'; readonly errors: readonly EditError[] };

export interface EditOptions {
  /** The time of the edit: `timeAdded` of the unschedulable taint. */
  readonly now?: Timestamp;
}

/**
 * Applies an edit to one node: taints as in `kubectl taint`, then the cordon, then labels. Applies all of it or
 * nothing; every reason to refuse is reported. The edit itself must have passed `checkTaintEdit`.
 *
 * If the edit changes the cordon, or the unschedulable taint by name, the node lifecycle controller's reaction is part
 * of the result: a cordoned node gets the taint (back), another loses it.
 *
 * `unchanged` is a node that is stored as it was; overwriting a taint with itself may change the order of the list,
 * which is a change without a difference.
 */
export function applyTaintEdit(node: Node, edit: TaintEdit, { now }: EditOptions = {}): NodeEditOutcome {
  const taints = taintsOf(node);
  const cordoned = node.spec?.unschedulable ?? false;
  const editsTaints = edit.add.length > 0 || edit.remove.length > 0;
  const tainted = editsTaints ? editTaints(node.metadata.name, taints, edit) : undefined;
  const labeled = edit.labels === undefined ? undefined : editLabels(node.metadata.labels, edit.labels, edit.overwrite);
  const errors = [...errorsOf(tainted), ...errorsOf(labeled)];
  if (errors.length > 0) return { outcome: 'refused', errors };

  const newTaints = tainted !== undefined && 'taints' in tainted ? tainted.taints : taints;
  const newLabels = labeled !== undefined && 'labels' in labeled ? labeled.labels : node.metadata.labels;
  const unschedulable = edit.unschedulable ?? cordoned;
  const asked = withParts(node, newTaints, unschedulable, newLabels);
  const refused = editsTaints || labeled !== undefined || unschedulable !== cordoned ? validateEdited(asked) : [];
  if (refused.length > 0) return { outcome: 'refused', errors: refused.map(invalidNode) };

  const followed =
    unschedulable !== cordoned || touchesUnschedulable(edit)
      ? withUnschedulableTaint(newTaints, unschedulable, now)
      : newTaints;
  const after = withParts(asked, followed, unschedulable, newLabels);
  if (newTaints.length > MAX_TAINTS && newTaints.length > taints.length) {
    const message = `node ${node.metadata.name} would have ${newTaints.length} taints; at most ${MAX_TAINTS} are allowed`;
    return { outcome: 'refused', errors: [{ code: 'too-many-taints', message }] };
  }
  const difference = taintDifference(nodeTaintState(node.spec), nodeTaintState(after.spec));
  const sameOrder =
    followed.length === taints.length &&
    followed.every((taint, index) => taints[index] !== undefined && matchesTaint(taint, taints[index]));
  const isSame = isNoDifference(difference) && sameOrder && sameLabels(node.metadata.labels, newLabels);
  const reported = [
    ...(tainted !== undefined && 'operation' in tainted ? [{ operation: tainted.operation, remarks: [] }] : []),
    ...(edit.unschedulable === undefined ? [] : [{ operation: cordonWord(cordoned, unschedulable), remarks: [] }]),
    ...(labeled !== undefined && 'operation' in labeled ? [labeled] : []),
  ];
  return {
    outcome: isSame ? 'unchanged' : 'changed',
    node: isSame ? node : after,
    asked: isSame ? node : asked,
    difference,
    operations: reported.map(({ operation }) => operation),
    message: reported
      .flatMap(({ operation, remarks }) => [...remarks, `node/${node.metadata.name} ${operation}`])
      .join('\n'),
  };
}

/** kubectl's verb for a cordon (or uncordon) that changes something, or does not. */
export function cordonWord(before: boolean, after: boolean): CordonOperation {
  const word = after ? 'cordoned' : 'uncordoned';
  return before === after ? `already ${word}` : word;
}

/** The taints of a node, newest first if kubectl sorted them. */
export const taintsOf = (node: Node): readonly Taint[] => node.spec?.taints ?? [];

/** A node with other taints and another cordon; empty and false values are omitted, as in the API server. */
export function withParts(
  node: Node,
  taints: readonly Taint[],
  unschedulable: boolean,
  labels: Labels | undefined = node.metadata.labels,
): Node {
  const spec: { -readonly [Field in keyof NodeSpec]: NodeSpec[Field] } = { ...node.spec };
  delete spec.taints;
  delete spec.unschedulable;
  return {
    ...node,
    metadata: labels === undefined ? node.metadata : { ...node.metadata, labels },
    spec: { ...spec, ...(taints.length > 0 && { taints }), ...(unschedulable && { unschedulable }) },
  };
}

/**
 * The API server's faults of a node after an edit of its taints or labels (the rest has not changed).
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go, `ValidateNodeUpdate`.
 */
export function validateEdited(node: Node): FieldError[] {
  return [
    ...validateLabels(node.metadata.labels, FieldPath.of('metadata', 'labels')),
    ...validateTaints(node.spec?.taints, FieldPath.of('metadata', 'taints')),
  ];
}

/** Upstream reports `metadata.taints`; the pointer is to the actual field. */
const invalidNode = (error: FieldError): EditError => ({
  code: 'invalid-node',
  message: fieldErrorText(error),
  field: error.field,
  pointer: error.pointer.replace(/^\/metadata\/taints\//, '/spec/taints/'),
});

const errorsOf = (part: EditedTaints | EditedLabels | undefined): readonly EditError[] =>
  part !== undefined && 'errors' in part ? part.errors : [];

function touchesUnschedulable({ add, remove }: TaintEdit): boolean {
  const { key, effect } = UNSCHEDULABLE_TAINT;
  return (
    add.some((taint) => matchesTaint(taint, UNSCHEDULABLE_TAINT)) ||
    remove.some((removal) => removal.key === key && ['', effect].includes(removal.effect ?? ''))
  );
}

function sameLabels(a: Labels | undefined, b: Labels | undefined): boolean {
  if (a === b) return true;
  const former = new Map(Object.entries(a ?? {}));
  const entries = Object.entries(b ?? {});
  return former.size === entries.length && entries.every(([key, value]) => former.get(key) === value);
}
