import { invalid, type FieldError } from '../../../kubernetes/field-error.js';
import type { FieldPath } from '../../../kubernetes/field-path.js';
import { always, BOOL, INT32, kind, pointer } from '../../../kubernetes/go-types.js';
import type { ArgumentsDeclaration } from '../../arguments-declaration.js';
import { shown } from '../../weighted-resources.js';

interface Written {
  readonly hardPodAffinityWeight?: number;
  readonly ignorePreferredTermsOfExistingPods?: boolean;
}

export const interPodAffinityArguments: ArgumentsDeclaration<Written, Required<Written>> = {
  type: kind('v1.InterPodAffinityArgs', {
    hardPodAffinityWeight: pointer(INT32),
    ignorePreferredTermsOfExistingPods: always(BOOL),
  }),
  defaults: (args) => ({ hardPodAffinityWeight: 1, ...args }),
  validate,
  read: ({ hardPodAffinityWeight = 0, ignorePreferredTermsOfExistingPods = false }) => ({
    hardPodAffinityWeight,
    ignorePreferredTermsOfExistingPods,
  }),
};

function validate(args: Written, path: FieldPath): FieldError[] {
  const { hardPodAffinityWeight: weight = 0 } = args;
  if (weight >= 0 && weight <= 100) return [];
  return [invalid(path.child('hardPodAffinityWeight'), shown(weight), 'not in valid range [0, 100]')];
}
