import { object } from '../schema.js';

export const partError = object('PartError', 'Why one part of an answer is missing; the others are not affected.', {
  code: { type: 'string', description: 'Stable, for programs.', example: 'no-snapshot' },
  status: { type: 'integer', description: 'The HTTP status that it would have by itself.', example: 404 },
  title: { type: 'string', description: 'The same for every error of this code.', example: 'No snapshot' },
  detail: { type: 'string', description: 'What is wrong this time.', example: 'Nothing is stored of it yet.' },
  errors: {
    type: 'json',
    description: 'Everything that is wrong, as in a problem document: pointer, field, code, message.',
    example: [],
  },
});
