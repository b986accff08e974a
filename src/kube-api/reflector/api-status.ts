/** What an API server says of a failure; parts that it does not say are empty. */
export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly string[];
  /** Seconds. */
  readonly retryAfter: number | undefined;
}

interface Status {
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: {
    readonly retryAfterSeconds?: unknown;
    readonly causes?: readonly { readonly reason?: unknown }[] | null;
  } | null;
}

const MOST_MESSAGE = 1000;

/** Reads a Status object. Source of the form: k8s.io/apimachinery v0.36.2, pkg/apis/meta/v1/types.go, `Status`. */
export function readStatus(value: unknown, code = 0): ApiStatus {
  const status = (typeof value === 'object' && value !== null ? value : {}) as Status;
  const { details } = status;
  const causes = Array.isArray(details?.causes) ? (details.causes as readonly { readonly reason?: unknown }[]) : [];
  return {
    code: typeof status.code === 'number' ? status.code : code,
    reason: textOf(status.reason),
    message: textOf(status.message).slice(0, MOST_MESSAGE),
    causes: causes.map((cause) => textOf(cause?.reason)),
    retryAfter: typeof details?.retryAfterSeconds === 'number' ? details.retryAfterSeconds : undefined,
  };
}

/** Reads the body of an answer that is no success: a Status, or plain text. */
export function readFailure(code: number, body: string): ApiStatus {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { code, reason: '', message: body.trim().slice(0, MOST_MESSAGE), causes: [], retryAfter: undefined };
  }
  return { ...readStatus(parsed, code), code };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A resourceVersion, or a continue token, is too old. */
export const isExpired = ({ code, reason }: ApiStatus): boolean =>
  code === 410 || reason === 'Expired' || reason === 'Gone';

/** The server does not know the resourceVersion yet: it is behind another, or its data were restored from a backup. */
export const isFromTheFuture = ({ causes, message }: ApiStatus): boolean =>
  causes.includes('ResourceVersionTooLarge') || message.includes('Too large resource version');

/** The server cannot read the resourceVersion. A watch answers 500 to it. */
export const isUnreadableVersion = ({ code, message }: ApiStatus): boolean =>
  code >= 400 && /^(resourceVersion: Invalid value|invalid resource version)/.test(message);
