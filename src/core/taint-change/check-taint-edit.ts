import { fieldErrorText } from '../kubernetes/error-aggregate.js';
import { invalid, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { TAINT_EFFECTS } from '../kubernetes/taint.js';
import { validateLabelName } from '../kubernetes/validation/label.js';
import { isValidLabelValue } from '../kubernetes/validation/names.js';
import { validateTaintEffect, validateTaints } from '../kubernetes/validation/taints.js';
import type { EditErrorCode } from './kubectl-error.js';
import { CONFLICTING_LABELS } from './parse-label-arguments.js';
import { conflictsOf, taintIdentity, type LabelEdit, type TaintEdit } from './taint-edit.js';

/**
 * One reason to refuse an edit; `field` and `pointer` locate it in the edit, or in the node, if it concerns one field.
 */
export interface EditError {
  readonly code: EditErrorCode;
  readonly message: string;
  readonly field?: string;
  readonly pointer?: string;
}

/**
 * All faults of an edit that do not depend on the node, with fields such as `add[0].key`. Invalid values have the API
 * server's messages, contradictions kubectl's.
 *
 * Sources: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go; k8s.io/kubectl v0.36.2,
 * pkg/cmd/taint/taint.go.
 */
export function checkTaintEdit(edit: TaintEdit): EditError[] {
  const { add, remove, labels, unschedulable } = edit;
  if (add.length === 0 && remove.length === 0 && isEmptyLabelEdit(labels) && unschedulable === undefined) {
    return [{ code: 'no-change-requested', message: 'at least one taint update is required' }];
  }
  return [
    ...validateTaints(add, FieldPath.of('add')).map((error) =>
      placed(error.type === 'FieldValueDuplicate' ? 'duplicate-taint' : 'invalid-taint', error),
    ),
    ...checkRemovals(edit).map((error) => placed('invalid-taint', error)),
    ...checkConflicts(edit),
    ...(labels === undefined ? [] : checkLabels(labels)),
  ];
}

const isEmptyLabelEdit = (labels: LabelEdit | undefined): boolean =>
  labels === undefined || (labels.set.size === 0 && labels.remove.length === 0);

const placed = (code: EditErrorCode, error: FieldError): EditError => ({
  code,
  message: fieldErrorText(error),
  field: error.field,
  pointer: error.pointer,
});

function checkRemovals({ remove }: TaintEdit): FieldError[] {
  return remove.flatMap(({ key, value = '', effect = '' }, index) => {
    const at = FieldPath.of('remove').index(index);
    return [
      ...validateLabelName(key, at.child('key')),
      ...isValidLabelValue(value).map((message) => invalid(at.child('value'), value, message)),
      ...validateTaintEffect(effect, true, at.child('effect')),
    ];
  });
}

function checkConflicts({ add, remove }: TaintEdit): EditError[] {
  // Invalid and repeated taints are already reported, and thousands of them must not multiply with the removals.
  const distinct = new Map(add.filter(isKnownEffect).map((taint) => [taintIdentity(taint), taint]));
  return conflictsOf({ add: [...distinct.values()], remove }).map(({ name, removal }) => {
    const at = FieldPath.of('remove').index(removal);
    return {
      code: 'conflicting-taints',
      message: conflictMessage([name]),
      field: at.toString(),
      pointer: at.toPointer(),
    };
  });
}

const isKnownEffect = ({ effect }: Taint): boolean => (TAINT_EFFECTS as readonly string[]).includes(effect);

/** kubectl's message about taints that one command both adds and removes. */
export const conflictMessage = (names: readonly string[]): string =>
  `can not both modify and remove the following taint(s) in the same command: ${names.join(', ')}`;

function checkLabels({ set, remove }: LabelEdit): EditError[] {
  const at = FieldPath.of('labels', 'set');
  const errors = [...set].flatMap(([key, value]) => [
    ...validateLabelName(key, at.key(key)),
    ...isValidLabelValue(value).map((message) => invalid(at.key(key), value, message)),
  ]);
  return [
    ...errors.map((error) => placed('invalid-label', error)),
    ...remove.flatMap((key, index): EditError[] => {
      const place = FieldPath.of('labels', 'remove').index(index);
      return set.has(key)
        ? [
            {
              code: 'conflicting-labels',
              message: CONFLICTING_LABELS,
              field: place.toString(),
              pointer: place.toPointer(),
            },
          ]
        : [];
    }),
  ];
}
