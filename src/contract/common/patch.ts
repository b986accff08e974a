import { enumType, object } from '../schema.js';

export const PATCH_OPERATION = enumType('PatchOperationKind', 'What an operation of a JSON Patch (RFC 6902) does.', [
  'add',
  'replace',
  'remove',
  'test',
]);

/** The members of an operation. */
export const patchOperationMembers = {
  op: { type: PATCH_OPERATION, description: 'add, replace or remove.', example: 'remove' },
  path: { type: 'identifier', description: 'JSON pointer into the object.', example: '/spec/taints' },
  value: {
    type: 'json',
    taintValue: true,
    optional: true,
    omittable: true,
    description: 'The new value.',
    example: null,
  },
} as const;

export const gatePatchOperation = object('GatePatchOperation', 'An operation of a JSON Patch (RFC 6902).', {
  op: { type: PATCH_OPERATION, description: 'add, replace or remove.', example: 'add' },
  path: {
    type: 'identifier',
    description: 'JSON pointer into the object.',
    example: '/spec/template/spec/tolerations',
  },
  value: {
    type: 'json',
    taintValue: true,
    optional: true,
    description: 'The new value; null for remove.',
    example: [{ key: 'gpu', operator: 'Exists' }],
  },
});
