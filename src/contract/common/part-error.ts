import { ERROR_CODES } from '../error-code.js';
import { enumType, object } from '../schema.js';

/** GraphQL has it as text, as its errors have it in their extensions. */
export const ERROR_CODE = enumType(
  'ErrorCode',
  'What kind of error it is: stable, for programs. `/docs/errors` explains each.',
  ERROR_CODES,
  { restOnly: true },
);

const text = (description: string) => ({ type: 'string', omittable: true, description }) as const;
const integer = (description: string) => ({ type: 'integer', omittable: true, description }) as const;

export const problemDetail = object('ProblemDetail', 'One thing that is wrong with a request.', {
  pointer: text(
    'The place in the body as a JSON pointer (RFC 6901), or in a snapshot the place in the object that is named ' +
      'beside it; absent for query parameters, but for those that hold JSON.',
  ),
  field: text('The same place as people write it, or the name of the parameter.'),
  code: {
    type: 'string',
    description: "What kind of fault; Kubernetes' own causes where Kubernetes validates.",
    example: 'FieldValueInvalid',
  },
  message: { type: 'string', description: 'In words.', example: 'must be one of: Equal, Exists' },
  item: integer('In a snapshot: the position of the object in the stream, from 0.'),
  kind: text('In a snapshot: the kind of the object.'),
  namespace: text('In a snapshot: its namespace; absent where it has none.'),
  name: text('In a snapshot: its name.'),
  line: integer('In a snapshot: the line where reading stopped, from 1.'),
  column: integer('In a snapshot: the column where reading stopped, from 1.'),
  offset: integer('In a snapshot: the unpacked byte where reading stopped, from 0.'),
});

export const partError = object(
  'PartError',
  'Why one part of a response is missing; the other parts are not affected.',
  {
    code: { type: ERROR_CODE, description: 'A stable code.', example: 'no-snapshot' },
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
    errors: { type: problemDetail, list: true, description: 'Everything that is wrong, one by one.', example: [] },
  },
);
