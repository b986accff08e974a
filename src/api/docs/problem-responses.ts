import type { ErrorCode } from '../../contract/error-code.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { ERROR_TABLE } from '../errors/error-table.js';
import { takesIdempotencyKey } from './idempotent-operation.js';
import { problemType, PROBLEM_MEDIA_TYPE } from '../errors/problem.js';
import type { OperationInfo } from './operation.js';
import type { PermissionRequirement } from '../access/require-permission.js';
import { pascalCase } from './pascal-case.js';
import { headersNamed } from './response-headers.js';

/** Errors that any operation can return. */
const ALWAYS: readonly ErrorCode[] = [
  ...(['invalid-request', 'malformed-url', 'malformed-http', 'expectation-failed'] as const),
  ...(['database-unavailable', 'internal', 'shutting-down'] as const),
];
/** Returned by all operations except health checks, which expose nothing sensitive. */
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
/** Errors that do not distinguish two responses with the same status. */
const COMMON = new Set<ErrorCode>([...ALWAYS, ...WITH_GUARD, ...WITH_CALLER, ...WITH_BODY, ...WITH_KEY, 'forbidden']);

export const isCommon = (code: ErrorCode): boolean => COMMON.has(code);

const UNGUARDED = new Set(['/healthz', '/readyz']);

export function errorsByStatus({
  method,
  operation,
  path,
  requirement,
}: {
  readonly method: string;
  readonly operation: OperationInfo;
  readonly path: string;
  readonly requirement: PermissionRequirement | undefined;
}): Map<number, ErrorCode[]> {
  const codes = new Set([...operation.errors, ...ALWAYS, ...(operation.body === undefined ? [] : WITH_BODY)]);
  if (takesIdempotencyKey(method, operation, requirement)) for (const code of WITH_KEY) codes.add(code);
  if (!UNGUARDED.has(path)) for (const code of WITH_GUARD) codes.add(code);
  if (requirement?.permission !== 'nobody') for (const code of WITH_CALLER) codes.add(code);
  if (requirement !== undefined && 'place' in requirement && requirement.place !== 'each') codes.add('forbidden');
  // A cluster that the caller may not see is reported as not found.
  if (requirement !== undefined && 'place' in requirement && requirement.place === 'cluster')
    codes.add('cluster-not-found');
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

/** The errors that do not depend on what an operation does: they stand here alone, also those of a status that it lists. */
export function commonResponse(codes: readonly ErrorCode[]): JsonObject {
  const statuses = [...new Set(codes.map((code) => ERROR_TABLE[code].status))].sort((a, b) => a - b);
  const codesOf = (status: number): readonly ErrorCode[] => codes.filter((code) => ERROR_TABLE[code].status === status);
  return {
    description: statuses.map((status) => `${status} ${quoted(codesOf(status))}`).join('; '),
    ...headersNamed(codes.includes('unauthenticated') ? ['Retry-After', 'WWW-Authenticate'] : ['Retry-After']),
    content: problemContent(COMMON_EXAMPLES.filter((code) => codes.includes(code))),
  };
}

const COMMON_EXAMPLES: readonly ErrorCode[] = ['invalid-request', 'unauthenticated', 'rate-limited', 'internal'];

export function namesOfCommon(codes: readonly ErrorCode[]): string[] {
  const has = (some: readonly ErrorCode[]): boolean => codes.some((code) => some.includes(code));
  const what = has(WITH_KEY) ? (has(WITH_BODY) ? 'OfWriteWithBody' : 'OfWrite') : has(WITH_BODY) ? 'OfBody' : '';
  const whose = !has(WITH_CALLER) ? 'WithoutCaller' : has(['forbidden']) ? '' : 'AcrossClusters';
  return [`Error${what}${whose}`, `Error${what}${whose}Unguarded`];
}

/** Candidate names for a response with these errors, best first. */
export function namesOfErrors(status: number, codes: readonly ErrorCode[]): string[] {
  const phrase = PHRASES[status] ?? `Status${status}`;
  const own = codes.filter((code) => !isCommon(code));
  const name = own.length === 0 ? phrase : joined(own.map(pascalCase));
  return [name, `${name}OfWrite`, `${name}${status}`];
}

const NOT_FOUND = 'NotFound';

/** `NoSnapshot`, `ClusterNotFound` and `ObjectNotFound` are `NoSnapshotOrClusterOrObjectNotFound`. */
function joined(names: readonly string[]): string {
  const missing = names.filter((name) => name.endsWith(NOT_FOUND)).map((name) => name.slice(0, -NOT_FOUND.length));
  if (missing.length === 0) return names.join('Or');
  return `${[...names.filter((name) => !name.endsWith(NOT_FOUND)), ...missing].join('Or')}${NOT_FOUND}`;
}

export function problemResponse(status: number, codes: readonly ErrorCode[]): JsonObject {
  const own = codes.filter((code) => !isCommon(code));
  return {
    // What each means stands in its example.
    description: quoted(own.length > 0 ? own : codes),
    ...headersOf(status, codes),
    content: problemContent(own.length > 0 ? own : codes.slice(0, 1)),
  };
}

const quoted = (codes: readonly ErrorCode[]): string => codes.map((code) => `\`${code}\``).join(', ');

function problemContent(shown: readonly ErrorCode[]): JsonObject {
  return {
    [PROBLEM_MEDIA_TYPE]: {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(shown.map((code) => [code, { $ref: `#/components/examples/${pascalCase(code)}` }])),
    },
  };
}

function headersOf(status: number, codes: readonly ErrorCode[]): JsonObject {
  if (status === 401) return headersNamed(['WWW-Authenticate']);
  if (codes.includes('idempotency-key-in-use')) return headersNamed(['Retry-After']);
  return headersNamed(status === 429 || status === 503 ? ['Retry-After'] : []);
}

/** An example problem document for each code. */
export const PROBLEM_EXAMPLES: JsonObject = Object.fromEntries(
  (Object.keys(ERROR_TABLE) as ErrorCode[]).map((code) => [pascalCase(code), { value: exampleProblem(code) }]),
);

function exampleProblem(code: ErrorCode): JsonObject {
  const { title, description, status } = ERROR_TABLE[code];
  return { type: problemType(code), title, status, detail: description, code, requestId: 'a-request-id', errors: [] };
}

const text = (description: string): JsonObject => ({ type: 'string', description });

const PROBLEM_MEMBERS: JsonObject = {
  type: text("URL of the code's documentation."),
  title: text('Title of the error; the same for every error with this code.'),
  status: { type: 'integer', description: 'HTTP status code.' },
  detail: text('Explanation of this occurrence.'),
  code: { $ref: '#/components/schemas/ErrorCode' },
  instance: text('Path of the request.'),
  requestId: text('Id of the request in the log of the service; also in the X-Request-Id header.'),
  errors: {
    type: 'array',
    description: 'Every error in the request.',
    items: { $ref: '#/components/schemas/ProblemDetail' },
  },
};

const REQUIRED = ['type', 'title', 'status', 'detail', 'code', 'requestId', 'errors'];

export const PROBLEM_SCHEMAS: JsonObject = {
  Problem: { type: 'object', description: 'An error (RFC 9457).', required: REQUIRED, properties: PROBLEM_MEMBERS },
  EndOfStream: {
    type: 'object',
    description: 'The error that ended an event stream, and the id from which to resume.',
    required: [...REQUIRED, 'resumeAfter'],
    properties: {
      ...PROBLEM_MEMBERS,
      resumeAfter: text('Send this as `Last-Event-ID` to resume without losing events.'),
    },
  },
};
