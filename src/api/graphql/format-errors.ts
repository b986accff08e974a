import { GraphQLError } from 'graphql';
import type { ErrorCode } from '../../contract/error-code.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { defined } from '../../core/collections/defined.js';
import { renamedMember } from '../contract/object-classes.js';
import { ERROR_TABLE } from '../errors/error-table.js';
import { problemOf } from '../errors/problem.js';
import { transportErrorOf } from '../errors/transport-error-of.js';

export interface ShapedErrors {
  readonly errors: readonly Readonly<Record<string, unknown>>[];
  /** The original errors, for the log. */
  readonly causes: readonly ServiceError[];
  /** The most severe HTTP status among them. */
  readonly status: number;
}

/**
 * Formats errors like the problem documents of REST, inside `extensions`; `locations` and `path` are those of GraphQL.
 */
export function formatErrors(thrown: readonly unknown[], requestId: string): ShapedErrors {
  const flat = thrown.flatMap(unwrapped);
  const causes = flat.map(serviceErrorOfGraphql);
  const errors = flat.map((error, index) => {
    const cause = causes[index]!;
    const { detail, ...extensions } = problemOf(cause, requestId);
    const { code } = cause;
    const { locations, path } = error instanceof GraphQLError ? error.toJSON() : {};
    return {
      message: detail,
      ...defined({ locations, path }),
      extensions: { ...extensions, code: APOLLO_CODES[code] ?? code },
    };
  });
  return { errors, causes, status: Math.max(...causes.map(({ code }) => ERROR_TABLE[code].status)) };
}

/** Codes that clients know under Apollo's names. */
const APOLLO_CODES: Partial<Record<ErrorCode, string>> = {
  'persisted-query-not-found': 'PERSISTED_QUERY_NOT_FOUND',
  'persisted-query-not-supported': 'PERSISTED_QUERY_NOT_SUPPORTED',
};

/** Codes of errors that this API throws as GraphQL errors. */
const OWN_CODES: readonly ErrorCode[] = [
  'graphql-limit-exceeded',
  'persisted-query-not-found',
  'persisted-query-not-supported',
];

/** Mercurius wraps the errors of graphql-js in a single error. */
function unwrapped(error: unknown): unknown[] {
  const original = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const { code, errors } = original as { code?: unknown; errors?: unknown };
  return code === 'MER_ERR_GQL_VALIDATION' && Array.isArray(errors) ? errors.flatMap(unwrapped) : [error];
}

function serviceErrorOfGraphql(error: unknown): ServiceError {
  if (!(error instanceof GraphQLError)) return ofMercurius(error) ?? transportErrorOf(error);
  const { originalError } = error;
  // The message already contains the scalar's own error.
  if (originalError !== undefined && !(originalError instanceof GraphQLError)) {
    return ofMercurius(originalError) ?? transportErrorOf(originalError);
  }
  return new ServiceError(codeOf(error), withNewName(error.message));
}

/** graphql-js suggests similar names; it does not know renamed ones. */
function withNewName(message: string): string {
  const [, member = '', input = ''] = /Field "(\w+)" is not defined by type "(\w+)"/.exec(message) ?? [];
  const now = renamedMember(input, member);
  return now === undefined ? message : `${message} It is now called "${now}".`;
}

function codeOf({ extensions, message }: GraphQLError): ErrorCode {
  const own = OWN_CODES.find((code) => code === extensions['code']);
  if (own !== undefined) return own;
  if (/^Syntax Error: Document contains more (that|than) \d+ tokens/.test(message)) return 'graphql-limit-exceeded';
  return message.startsWith('Syntax Error') ? 'graphql-syntax' : 'graphql-validation';
}

/** Errors of Mercurius itself, by their codes. */
function ofMercurius(error: unknown): ServiceError | undefined {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code !== 'string' || !code.startsWith('MER_ERR_') || typeof message !== 'string') {
    // Ajv's error about the envelope of the request.
    return (error as { validation?: unknown }).validation === undefined
      ? undefined
      : new ServiceError('graphql-validation', `The request is not a GraphQL request: ${String(message)}.`);
  }
  if (code === 'MER_ERR_GQL_QUERY_DEPTH') return new ServiceError('graphql-limit-exceeded', message);
  if (code === 'MER_ERR_METHOD_NOT_ALLOWED') return new ServiceError('method-not-allowed', message);
  return new ServiceError('graphql-validation', message === 'Unknown query' ? 'The request has no query.' : message);
}
