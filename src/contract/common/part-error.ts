import { object } from '../schema.js';

export const partError = object(
  'PartError',
  'Why one part of a response is missing; the other parts are not affected.',
  {
    code: { type: 'string', description: 'A stable code.', example: 'no-snapshot' },
    status: {
      type: 'integer',
      description: 'HTTP status of the error if this part were requested alone.',
      example: 404,
    },
    title: {
      type: 'string',
      description: 'Short title, the same for every error with this code.',
      example: 'No snapshot',
    },
    detail: {
      type: 'string',
      description: 'What is wrong in this case.',
      example: 'No snapshot of the cluster is stored yet.',
    },
    errors: {
      type: 'json',
      description: 'All errors, as in a problem document: pointer, field, code, message.',
      example: [],
    },
  },
);
