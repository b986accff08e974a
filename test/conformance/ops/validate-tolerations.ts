import { FieldPath } from '../../../src/core/kubernetes/field-path.js';
import type { Toleration } from '../../../src/core/kubernetes/objects/taints.js';
import { validateTolerations as validate } from '../../../src/core/kubernetes/validation/tolerations.js';
import type { Op } from '../op.js';
import { tolerationGates } from './toleration-gates.js';
import { fullError } from './validate-taints.js';

export const validateTolerations: Op = {
  answer: (input) => {
    const { tolerations } = input as unknown as { tolerations: Toleration[] };
    return validate(tolerations, FieldPath.of('spec', 'tolerations'), tolerationGates(input)).map(fullError);
  },
};
