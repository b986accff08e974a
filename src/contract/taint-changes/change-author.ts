import { AUTHOR_KIND } from '../common/author-kind.js';
import { object } from '../schema.js';

export const changeAuthor = object('ChangeAuthor', 'The caller who made a change.', {
  name: { type: 'identifier', description: 'Caller name.', example: 'alice' },
  kind: { type: AUTHOR_KIND, description: 'anonymous, token, oidc or service (this service itself).', example: 'oidc' },
  groups: { type: 'identifier', list: true, description: 'The groups of the caller.', example: ['sre'] },
  issuer: {
    type: 'identifier',
    optional: true,
    description: 'Identity provider that issued the name; null for other kinds.',
    example: null,
  },
});
