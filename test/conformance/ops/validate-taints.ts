import { fieldErrorText } from '../../../src/core/kubernetes/error-aggregate.js';
import type { FieldError } from '../../../src/core/kubernetes/field-error.js';
import { FieldPath } from '../../../src/core/kubernetes/field-path.js';
import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';
import { validateTaints as validate } from '../../../src/core/kubernetes/validation/taints.js';
import type { Op } from '../op.js';

export const validateTaints: Op = {
  answer: (input) => {
    const { taints } = input as unknown as { taints: Taint[] };
    return validate(taints, FieldPath.of('spec', 'taints')).map(fullError);
  },
};

/** A field error as the vectors of taints and tolerations have it: the message with the field before it. */
export const fullError = (error: FieldError): object => ({
  type: error.type,
  field: error.field,
  message: fieldErrorText(error),
});
