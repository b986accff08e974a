import { enumType } from '../schema.js';

export const AUTHOR_KIND = enumType('AuthorKind', 'How the service knows who made a request.', [
  'anonymous',
  'token',
  'oidc',
  'service',
]);
