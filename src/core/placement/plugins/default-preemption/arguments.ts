import { invalid, type FieldError } from '../../../kubernetes/field-error.js';
import type { FieldPath } from '../../../kubernetes/field-path.js';
import { INT32, kind, pointer } from '../../../kubernetes/go-types.js';
import type { ArgumentsDeclaration } from '../../arguments-declaration.js';
import { shown } from '../../weighted-resources.js';

interface Written {
  readonly minCandidateNodesPercentage?: number;
  readonly minCandidateNodesAbsolute?: number;
}

export const defaultPreemptionArguments: ArgumentsDeclaration<Written, Required<Written>> = {
  type: kind('v1.DefaultPreemptionArgs', {
    minCandidateNodesPercentage: pointer(INT32),
    minCandidateNodesAbsolute: pointer(INT32),
  }),
  defaults: (args) => ({ minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100, ...args }),
  validate,
  read: ({ minCandidateNodesPercentage = 0, minCandidateNodesAbsolute = 0 }) => ({
    minCandidateNodesPercentage,
    minCandidateNodesAbsolute,
  }),
};

function validate(args: Written, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { minCandidateNodesPercentage: percentage = 0, minCandidateNodesAbsolute: absolute = 0 } = args;
  const percentagePath = path.child('minCandidateNodesPercentage');
  const absolutePath = path.child('minCandidateNodesAbsolute');
  if (percentage < 0 || percentage > 100) {
    errors.push(invalid(percentagePath, shown(percentage), 'not in valid range [0, 100]'));
  }
  if (absolute < 0) errors.push(invalid(absolutePath, shown(absolute), 'not in valid range [0, inf)'));
  if (percentage === 0 && absolute === 0) {
    const rule = 'cannot be zero at the same time as';
    errors.push(
      invalid(percentagePath, shown(percentage), `${rule} minCandidateNodesAbsolute`),
      invalid(absolutePath, shown(absolute), `${rule} minCandidateNodesPercentage`),
    );
  }
  return errors;
}
