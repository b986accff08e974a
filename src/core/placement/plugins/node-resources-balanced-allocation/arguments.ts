import { duplicate, invalid, type FieldError } from '../../../kubernetes/field-error.js';
import type { FieldPath } from '../../../kubernetes/field-path.js';
import { kind, list, omitEmpty } from '../../../kubernetes/go-types.js';
import type { ArgumentsDeclaration } from '../../arguments-declaration.js';
import {
  defaultResources,
  readResources,
  RESOURCE_SPEC,
  shown,
  type ResourceSpec,
  type WeightedResource,
} from '../../weighted-resources.js';

interface Written {
  readonly resources?: readonly ResourceSpec[];
}

interface Arguments {
  readonly resources: readonly WeightedResource[];
}

export const nodeResourcesBalancedAllocationArguments: ArgumentsDeclaration<Written, Arguments> = {
  type: kind('v1.NodeResourcesBalancedAllocationArgs', { resources: omitEmpty(list(RESOURCE_SPEC)) }),
  defaults: (args) => ({ ...args, resources: defaultResources(args.resources) }),
  validate,
  read: ({ resources }) => ({ resources: readResources(resources) }),
};

function validate({ resources = [] }: Written, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return resources.flatMap(({ name = '', weight = 0 }, index) => {
    const at = path.child('resources').index(index);
    const errors = seen.has(name) ? [duplicate(at.child('name'), name)] : [];
    seen.add(name);
    return BigInt(weight) === 1n ? errors : [...errors, invalid(at.child('weight'), shown(weight), 'must be 1')];
  });
}
