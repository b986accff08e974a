import { enumType } from '../schema.js';

export const PATCH_OPERATION = enumType('PatchOperationKind', 'What an operation of a JSON Patch (RFC 6902) does.', [
  'add',
  'replace',
  'remove',
  'test',
]);
