import type { components } from './generated/schema.js';

export type Problem = components['schemas']['Problem'];
export type ProblemDetail = components['schemas']['ProblemDetail'];

/** What came with an answer that is an error. */
export interface ErrorAnswer {
  readonly status: number;
  /** Seconds to wait before the next attempt, from `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** Id of the request in the log of the service. */
  readonly requestId: string | undefined;
}

/** The service answered with an error. Each code has a class of its own; an error of this class itself has a code that the client does not know. */
export class ServiceError<Code extends string = string> extends Error {
  override readonly name: string = 'ServiceError';
  readonly code: Code;
  /** HTTP status. */
  readonly status: number;
  /** The same for every error with this code. */
  readonly title: string;
  /** Every error in the request, with its JSON pointer or field. */
  readonly errors: readonly ProblemDetail[];
  readonly requestId: string | undefined;
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number | undefined;

  constructor(
    /** The whole problem document (RFC 9457). */
    readonly problem: Omit<Problem, 'code'> & { readonly code: Code },
    { retryAfter, requestId }: Pick<ErrorAnswer, 'retryAfter' | 'requestId'>,
  ) {
    super(problem.detail);
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId ?? requestId;
    this.retryAfter = retryAfter;
  }
}

/** The answer is not one of the service: a proxy in between failed, or the address is that of something else. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    { status, requestId, retryAfter }: ErrorAnswer,
    /** The body of the answer. */
    readonly body: string,
  ) {
    super(`The answer has status ${status} and is not one of the service.`);
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** No answer came, or only a part of one: the cause says why. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(cause: unknown) {
    const reason = reasonOf(cause);
    super(`The service does not answer${reason === undefined ? '' : `: ${reason}`}.`, { cause });
  }
}

/** The last cause. An exception of `fetch` itself, all that browsers have, says nothing. */
function reasonOf(thrown: unknown): string | undefined {
  const { cause, message, code } = thrown as { cause?: unknown; message?: string; code?: string };
  if (typeof cause === 'object' && cause !== null) return reasonOf(cause);
  if (thrown instanceof TypeError) return undefined;
  return [message, code].find((text) => text !== undefined && text !== '') ?? String(thrown);
}
