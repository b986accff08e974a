import type { LimitRange } from '../../../src/core/kubernetes/objects/quota.js';
import { validateLimitRange as validate } from '../../../src/core/kubernetes/validation/limit-range.js';
import { decodeManifest, refusedFields } from './refused-fields.js';

export const validateLimitRange = refusedFields(({ object }) => validate(decodeManifest(object) as LimitRange));
