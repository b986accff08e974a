import { invalid, type FieldError } from '../../../kubernetes/field-error.js';
import type { FieldPath } from '../../../kubernetes/field-path.js';
import { formatGoDuration, SECOND } from '../../../kubernetes/go-duration.js';
import { DURATION, kind, pointer } from '../../../kubernetes/go-types.js';
import type { ArgumentsDeclaration } from '../../arguments-declaration.js';

/** Spans in nanoseconds. */
interface Written {
  readonly filterTimeout?: bigint;
  readonly bindingTimeout?: bigint;
}

export const dynamicResourcesArguments: ArgumentsDeclaration<Written, Required<Written>> = {
  type: kind('v1.DynamicResourcesArgs', {
    filterTimeout: pointer(DURATION),
    bindingTimeout: pointer(DURATION),
  }),
  defaults: (args) => ({ filterTimeout: 10n * SECOND, bindingTimeout: 600n * SECOND, ...args }),
  validate,
  read: ({ filterTimeout = 0n, bindingTimeout = 0n }) => ({ filterTimeout, bindingTimeout }),
};

function validate(args: Written, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { filterTimeout = 0n, bindingTimeout = SECOND } = args;
  const span = (value: bigint): string => formatGoDuration(value);
  if (filterTimeout < 0n) {
    errors.push(invalid(path.child('filterTimeout'), span(filterTimeout), 'must be zero or positive'));
  }
  if (bindingTimeout < SECOND) {
    errors.push(invalid(path.child('bindingTimeout'), span(bindingTimeout), 'must be at least 1 second'));
  }
  return errors;
}
