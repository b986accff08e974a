import { ERROR_CLASSES } from './generated/errors.js';
import { type ErrorAnswer, type Problem, ServiceError, UnexpectedAnswerError } from './service-error.js';

/** The error that an answer contains. */
export async function errorOf(response: Response): Promise<ServiceError | UnexpectedAnswerError> {
  const text = await response.text();
  const answer: ErrorAnswer = {
    status: response.status,
    retryAfter: secondsOf(response.headers.get('retry-after')),
    requestId: response.headers.get('x-request-id') ?? undefined,
  };
  const problem = problemIn(text);
  return problem === undefined ? new UnexpectedAnswerError(answer, text) : errorFor(problem, answer);
}

/** The error of its code's class. */
export function errorFor(problem: Problem, answer: Pick<ErrorAnswer, 'retryAfter' | 'requestId'>): ServiceError {
  // A newer service may have more codes.
  const known: Partial<Record<string, new (given: never, of: typeof answer) => ServiceError>> = ERROR_CLASSES;
  const Class = Object.hasOwn(ERROR_CLASSES, problem.code) ? known[problem.code]! : ServiceError;
  return new Class(problem as never, answer);
}

function problemIn(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isProblem = typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;
    return isProblem ? (value as Problem) : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` (RFC 9110, 10.2.3): seconds or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

/** Media types of one JSON value. */
const JSON_TYPE = /^application\/(?:[^;]+\+)?json\s*(?:;|$)/i;

export type ReadAs = 'json' | 'text' | 'stream';

/**
 * The body of a successful answer. JSON is parsed unless it is wanted as text.
 * @throws {UnexpectedAnswerError} for a page for people: a login, or the notice of a proxy
 */
export async function bodyOf(response: Response, as: ReadAs): Promise<unknown> {
  if (as === 'stream') return response.body;
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text();
  if (as === 'text') return text;
  if (JSON_TYPE.test(type)) return text === '' ? undefined : JSON.parse(text);
  if (type.startsWith('text/html')) {
    throw new UnexpectedAnswerError({ status: response.status, retryAfter: undefined, requestId: undefined }, text);
  }
  return text === '' ? undefined : text;
}
