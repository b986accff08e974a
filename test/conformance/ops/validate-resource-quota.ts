import { DEFAULT_RULES } from '../../../src/core/kubernetes/kubernetes-rules.js';
import type { ResourceQuota } from '../../../src/core/kubernetes/objects/quota.js';
import { validateResourceQuota as validate } from '../../../src/core/kubernetes/validation/resource-quota.js';
import { decodeManifest, refusedFields } from './refused-fields.js';

export const validateResourceQuota = refusedFields(({ object }) =>
  validate(decodeManifest(object) as ResourceQuota, DEFAULT_RULES),
);
