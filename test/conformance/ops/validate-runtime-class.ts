import type { RuntimeClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import { validateRuntimeClass as validate } from '../../../src/core/kubernetes/validation/runtime-class.js';
import { decodeManifest, refusedFields } from './refused-fields.js';
import { tolerationGates } from './toleration-gates.js';

export const validateRuntimeClass = refusedFields((input) =>
  validate(decodeManifest(input['object']) as RuntimeClass, tolerationGates(input)),
);
