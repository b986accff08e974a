import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.js';
import type { ApiAnswer } from '../api-client.js';

/** What the answer to a write means for what to do next; a dry run and a no-op are answered like a write that was done. */
export type Verdict =
  | 'accepted'
  /** Somebody else was faster: read the object again, and decide again. */
  | 'conflict'
  /** The same request is always refused. */
  | 'refused'
  /** An eviction that a PodDisruptionBudget forbids now; the API server is not overloaded. */
  | 'budget'
  /** Nothing was done; the same request may succeed later. */
  | 'later'
  /** Perhaps it was done: read the object again. */
  | 'unknown';

export interface JudgedAnswer {
  readonly verdict: Verdict;
  /** The HTTP status; null without an answer. */
  readonly code: number | null;
  /** In the words of the API server; null if it accepted. */
  readonly message: string | null;
  /** How long to wait, in seconds, if the API server said so. */
  readonly retryAfter: number | null;
}

/** Messages can quote a whole object. */
const MOST_MESSAGE = 1_000;

/**
 * Judges the answer of an API server to a write.
 *
 * A failed `test` of a JSON Patch is 422 without causes, an object that validation refuses is 422 with causes. A conflict of
 * server-side apply does not end by reading again. A 429 is from before the request was executed, and so is an admission webhook that
 * could not be called. After other errors of the server or of what is in front of it, the write may have happened.
 *
 * Sources: k8s.io/apimachinery v0.36.2, pkg/api/errors/errors.go; k8s.io/apiserver v0.36.2, pkg/endpoints/handlers/patch.go,
 * `applyJSPatch`; pkg/admission/plugin/webhook/errors/statuserror.go; k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/storage/eviction.go.
 */
export function judgeAnswer({ status, body, retryAfter, text }: ApiAnswer): JudgedAnswer {
  const details = objectIn(body?.['details']);
  const causes = Array.isArray(details?.['causes']) ? details['causes'].map(objectIn) : [];
  const said = body?.['message'];
  const message = typeof said === 'string' && said !== '' ? said : (text ?? '');
  const after = retryAfter ?? details?.['retryAfterSeconds'];
  return {
    verdict: verdictOf(status, causes, message),
    code: status,
    message: status < 300 && status >= 200 ? null : shortened(message === '' ? `HTTP status ${status}` : message),
    retryAfter: typeof after === 'number' ? after : null,
  };
}

function verdictOf(status: number, causes: readonly (JsonObject | undefined)[], message: string): Verdict {
  const caused = (reason: string): boolean => causes.some((cause) => cause?.['reason'] === reason);
  if (status === 200 || status === 201 || status === 202) return 'accepted';
  switch (status) {
    case 409:
      return caused('FieldManagerConflict') ? 'refused' : 'conflict';
    case 422:
      return causes.length === 0 ? 'conflict' : 'refused';
    case 429:
      return caused('DisruptionBudget') ? 'budget' : 'later';
    // The credentials may be rotated.
    case 401:
    case 408:
      return 'later';
    case 500:
      return message.includes(WEBHOOK_FAILED) ? 'later' : 'unknown';
    default:
      return status >= 400 && status < 500 ? 'refused' : 'unknown';
  }
}

const WEBHOOK_FAILED = 'failed calling webhook';

const shortened = (text: string): string => (text.length > MOST_MESSAGE ? `${text.slice(0, MOST_MESSAGE)}...` : text);

const objectIn = (value: JsonValue | undefined): JsonObject | undefined => (isJsonObject(value) ? value : undefined);
