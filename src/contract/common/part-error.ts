import { ERROR_CODES } from '../error-code.js';
import { enumType, object } from '../schema.js';

/** GraphQL has it as text, as its errors have it in their extensions. */
export const ERROR_CODE = enumType(
  'ErrorCode',
  'Stable, machine-readable error code. `/docs/errors` explains each.',
  ERROR_CODES,
  { restOnly: true },
);

const word = (description: string) => ({ type: 'identifier', omittable: true, description }) as const;
const integer = (description: string) => ({ type: 'integer', omittable: true, description }) as const;

export const problemDetail = object('ProblemDetail', 'A single error in a request.', {
  pointer: word(
    'JSON pointer (RFC 6901) into the request body; for a snapshot, into the object named by `item`. Absent for query ' +
      'parameters, except those that contain JSON.',
  ),
  field: word('Path of the field in Kubernetes notation, or the name of the parameter.'),
  code: {
    type: 'identifier',
    description: 'Type of error. For Kubernetes validation, the cause that Kubernetes reports.',
    example: 'FieldValueInvalid',
  },
  message: { type: 'string', description: 'What is wrong.', example: 'must be one of: Equal, Exists' },
  item: integer('For a snapshot: zero-based position of the object in the stream.'),
  kind: word('For a snapshot: kind of the object.'),
  namespace: word('For a snapshot: namespace of the object; absent for cluster-scoped objects.'),
  name: word('For a snapshot: name of the object.'),
  line: integer('For a snapshot: line where parsing stopped, counted from 1.'),
  column: integer('For a snapshot: column where parsing stopped, counted from 1.'),
  offset: integer('For a snapshot: zero-based offset of the uncompressed byte where parsing stopped.'),
});

export const partError = object(
  'PartError',
  'Why one part of a response is missing; the other parts are not affected.',
  {
    code: { type: ERROR_CODE, description: ERROR_CODE.description, example: 'no-snapshot' },
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
