import type { ErrorCode } from '../../contract/error-code.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { ERROR_TABLE } from '../errors/error-table.js';
import { takesIdempotencyKey } from './idempotent-operation.js';
import { problemType, PROBLEM_MEDIA_TYPE } from '../errors/problem.js';
import type { OperationInfo } from './operation.js';
import type { PermissionRequirement } from '../access/require-permission.js';
import { pascalCase } from './pascal-case.js';
import { headersNamed } from './response-headers.js';

/** What any operation can answer, whatever its use case. */
const ALWAYS: readonly ErrorCode[] = [
  ...(['invalid-request', 'malformed-url', 'malformed-http', 'expectation-failed'] as const),
  ...(['database-unavailable', 'internal', 'shutting-down'] as const),
];
/** All but health, which says nothing that is worth hiding. */
const WITH_GUARD: readonly ErrorCode[] = ['cross-site-request', 'host-not-allowed'];
const WITH_CALLER: readonly ErrorCode[] = [
  'unauthenticated',
  'rate-limited',
  'identity-provider-unavailable',
  'answer-too-large',
];
const WITH_BODY: readonly ErrorCode[] = [
  'malformed-json',
  'malformed-yaml',
  'json-reader-busy',
  'yaml-reader-busy',
  'body-too-large',
  'body-incomplete',
  'body-required',
  'request-timeout',
  'unsupported-media-type',
  'too-many-questions',
  'unsupported-text-encoding',
];
const WITH_KEY: readonly ErrorCode[] = ['idempotency-key-reused', 'idempotency-key-in-use'];
/** They do not tell two responses of one status apart. */
const COMMON = new Set<ErrorCode>([...ALWAYS, ...WITH_GUARD, ...WITH_CALLER, ...WITH_BODY, ...WITH_KEY, 'forbidden']);

const UNGUARDED = new Set(['/healthz', '/readyz']);

export function errorsByStatus({
  method,
  operation,
  path,
  need,
}: {
  readonly method: string;
  readonly operation: OperationInfo;
  readonly path: string;
  readonly need: PermissionRequirement | undefined;
}): Map<number, ErrorCode[]> {
  const codes = new Set([...operation.errors, ...ALWAYS, ...(operation.body === undefined ? [] : WITH_BODY)]);
  if (takesIdempotencyKey(method, operation, need)) for (const code of WITH_KEY) codes.add(code);
  if (!UNGUARDED.has(path)) for (const code of WITH_GUARD) codes.add(code);
  if (need?.permission !== 'nobody') for (const code of WITH_CALLER) codes.add(code);
  if (need !== undefined && 'place' in need && need.place !== 'each') codes.add('forbidden');
  // A cluster that the caller may not see is not there, whatever else the operation would make of that.
  if (need !== undefined && 'place' in need && need.place === 'cluster') codes.add('cluster-not-found');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes].sort()) {
    const { status } = ERROR_TABLE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

const PHRASES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  403: 'Forbidden',
  503: 'ServiceUnavailable',
};

/** Names for a response with these errors, the best first. */
export function namesOfErrors(status: number, codes: readonly ErrorCode[]): string[] {
  const phrase = PHRASES[status] ?? `Status${status}`;
  const [first = 'internal'] = codes;
  if (codes.length === 1) return [pascalCase(first), `${pascalCase(first)}Only`];
  const own = codes.filter((code) => !COMMON.has(code));
  const name = own.length === 0 ? phrase : own.map(pascalCase).join('Or');
  const hasBody = codes.some((code) => WITH_BODY.includes(code));
  if (codes.some((code) => WITH_KEY.includes(code))) return [`${name}OfWrite`, `${name}OfWriteWithBody`];
  return hasBody ? [`${name}OfBody`, `${name}OfLongBody`] : [name, `${name}WithoutCaller`, `${name}${status}`];
}

export function problemResponse(status: number, codes: readonly ErrorCode[]): JsonObject {
  const own = codes.filter((code) => !COMMON.has(code));
  return {
    // What each means stands in its example; those of what any operation answers are components.
    description: codes.map((code) => `\`${code}\``).join(', '),
    ...headersOf(status, codes),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          (own.length > 0 ? own : codes.slice(0, 1)).map((code) => [
            code,
            { $ref: `#/components/examples/${pascalCase(code)}` },
          ]),
        ),
      },
    },
  };
}

function headersOf(status: number, codes: readonly ErrorCode[]): JsonObject {
  if (status === 401) return headersNamed(['WWW-Authenticate']);
  if (codes.includes('idempotency-key-in-use')) return headersNamed(['Retry-After']);
  return headersNamed(status === 429 || status === 503 ? ['Retry-After'] : []);
}

/** A problem document of each code. */
export const PROBLEM_EXAMPLES: JsonObject = Object.fromEntries(
  (Object.keys(ERROR_TABLE) as ErrorCode[]).map((code) => [pascalCase(code), { value: exampleProblem(code) }]),
);

function exampleProblem(code: ErrorCode): JsonObject {
  const { title, description, status } = ERROR_TABLE[code];
  return { type: problemType(code), title, status, detail: description, code, requestId: 'a-request-id', errors: [] };
}

const text = (description: string): JsonObject => ({ type: 'string', description });

const PROBLEM_MEMBERS: JsonObject = {
  type: text('Where the code is explained.'),
  title: text('The same for every error of this code.'),
  status: { type: 'integer', description: 'The HTTP status.' },
  detail: text('What is wrong this time.'),
  code: { $ref: '#/components/schemas/ErrorCode' },
  instance: text('The path of the request.'),
  requestId: text('What the log of the service has the request under; also in the X-Request-Id header.'),
  errors: {
    type: 'array',
    description: 'Everything that is wrong, all at once.',
    items: { $ref: '#/components/schemas/ProblemDetail' },
  },
};

const REQUIRED = ['type', 'title', 'status', 'detail', 'code', 'requestId', 'errors'];

export const PROBLEM_SCHEMAS: JsonObject = {
  ErrorCode: {
    type: 'string',
    description: 'What kind of error it is: stable, for programs. `/docs/errors` explains each.',
    enum: Object.keys(ERROR_TABLE).sort(),
  },
  Problem: { type: 'object', description: 'An error (RFC 9457).', required: REQUIRED, properties: PROBLEM_MEMBERS },
  EndOfStream: {
    type: 'object',
    description: 'Why the service ended a stream of events, and the id to go on from.',
    required: [...REQUIRED, 'resumeAfter'],
    properties: { ...PROBLEM_MEMBERS, resumeAfter: text('What to send as `Last-Event-ID` to lose nothing.') },
  },
  ProblemDetail: {
    type: 'object',
    description: 'One thing that is wrong with a request.',
    required: ['code', 'message'],
    properties: {
      pointer: text(
        'The place in the body as a JSON pointer (RFC 6901), or in a snapshot the place in the object that is named ' +
          'beside it; absent for query parameters, but for those that hold JSON.',
      ),
      field: text('The same place as people write it, or the name of the parameter.'),
      code: text("What kind of fault; Kubernetes' own causes where Kubernetes validates."),
      message: text('In words.'),
      item: { type: 'integer', description: 'In a snapshot: the position of the object in the stream, from 0.' },
      kind: text('In a snapshot: the kind of the object.'),
      namespace: text('In a snapshot: its namespace; absent where it has none.'),
      name: text('In a snapshot: its name.'),
      line: { type: 'integer', description: 'In a snapshot: the line where reading stopped, from 1.' },
      column: { type: 'integer', description: 'In a snapshot: the column where reading stopped, from 1.' },
      offset: { type: 'integer', description: 'In a snapshot: the unpacked byte where reading stopped, from 0.' },
    },
  },
};
