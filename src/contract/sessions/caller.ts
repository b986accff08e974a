import { PERMISSIONS } from '../../auth/permission.js';
import { question } from '../question.js';
import { enumType, object } from '../schema.js';

const PERMISSION = enumType(
  'Permission',
  'What a caller may do with a cluster; see docs/authentication.md.',
  PERMISSIONS,
);

const caller = object('Caller', 'Who asks, and what the caller may do.', {
  name: { type: 'string', description: 'Name, as recorded as the author of changes.', example: 'alice@example.com' },
  kind: {
    type: enumType('CallerKind', 'How the caller is known.', ['anonymous', 'token', 'oidc']),
    description: 'How the caller is known.',
    example: 'oidc',
  },
  groups: { type: 'string', list: true, description: 'Groups of the caller.', example: ['sre'] },
  permissions: {
    type: PERMISSION,
    list: true,
    description: 'What the caller may do with the given cluster; without one, with every cluster.',
    example: ['read', 'evaluate'],
  },
});

export const readCaller = question({
  id: 'caller.read',
  summary: 'Read who asks',
  description: 'The caller of the request, and its permissions for a cluster, which need not exist.',
  method: 'GET',
  path: 'caller',
  permission: 'any caller',
  query: {
    cluster: {
      type: 'identifier',
      optional: true,
      maximumLength: 253,
      description: 'The cluster.',
      example: 'example',
    },
  },
  response: caller,
  statuses: { 200: 'The caller.' },
  errors: [],
  examples: {},
  graphql: { on: 'Query', name: 'caller', description: 'Who asks, and what the caller may do.' },
});
