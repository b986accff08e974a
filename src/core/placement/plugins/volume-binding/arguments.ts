import { invalid, type FieldError } from '../../../kubernetes/field-error.js';
import type { FieldPath } from '../../../kubernetes/field-path.js';
import { jsonGo } from '../../../kubernetes/go-text.js';
import { INT64, kind, list, omitEmpty, pointer } from '../../../kubernetes/go-types.js';
import type { Int64 } from '../../../kubernetes/objects/meta.js';
import type { ArgumentsDeclaration } from '../../arguments-declaration.js';
import { SHAPE_POINT, shown, type ShapePoint } from '../../weighted-resources.js';

interface Written {
  readonly bindTimeoutSeconds?: Int64;
  readonly shape?: readonly ShapePoint[];
}

interface Arguments {
  readonly bindTimeoutSeconds: Int64;
}

export const volumeBindingArguments: ArgumentsDeclaration<Written, Arguments> = {
  type: kind('v1.VolumeBindingArgs', {
    bindTimeoutSeconds: pointer(INT64),
    shape: omitEmpty(list(SHAPE_POINT)),
  }),
  defaults: (args) => ({ bindTimeoutSeconds: 600, ...args }),
  validate,
  read: ({ bindTimeoutSeconds = 0 }) => ({ bindTimeoutSeconds }),
};

function validate(args: Written, path: FieldPath): FieldError[] {
  const { bindTimeoutSeconds: timeout = 0, shape } = args;
  const errors: FieldError[] = [];
  if (timeout < 0) {
    const rule = 'invalid BindTimeoutSeconds, should not be a negative value';
    errors.push(invalid(path.child('bindTimeoutSeconds'), shown(timeout), rule));
  }
  if (shape !== undefined) {
    const points = shape.map(({ utilization = 0, score = 0 }) => ({ Utilization: utilization, Score: score }));
    const rule = 'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring';
    errors.push(invalid(path.child('shape'), { text: jsonGo(points) }, rule));
  }
  return errors;
}
