import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import { decodeObject } from '../../../src/core/kubernetes/decode.js';
import { compareFieldErrors, type FieldError } from '../../../src/core/kubernetes/field-error.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import type { Op } from '../op.js';
import { sameJson } from '../same-json.js';

/** A manifest that strict decoding refuses. */
class Undecodable extends Error {
  override readonly name = 'Undecodable';
}

/** Decodes a whole manifest of the vectors, strictly. */
export function decodeManifest(given: JsonValue | undefined): KubernetesObject {
  const decoded = decodeObject(given ?? null, { strict: true, whole: true });
  if (decoded.outcome === 'object') return decoded.object;
  throw new Undecodable(
    decoded.outcome === 'invalid' ? decoded.errors.map(({ message }) => message).join(', ') : 'unknown kind',
  );
}

/** An op that lists which fields are refused, and why; `{decodeError}` if the manifest cannot be decoded. */
export const refusedFields = (validate: (input: JsonObject) => readonly FieldError[]): Op => ({
  answer: (input) => {
    try {
      return causes(validate(input));
    } catch (error) {
      if (error instanceof Undecodable) return { decodeError: error.message };
      throw error;
    }
  },
  // For what cannot be decoded, the vectors only require a refusal.
  agree: (want, got) => (isRefused(want) ? isRefused(got) : sameJson(want, got)),
});

/** Errors as the vectors list them: sorted, each once, a message of several lines cut at its first line break. */
const causes = (errors: readonly FieldError[]): object[] => {
  const cut = errors.map((error) => ({ ...error, message: error.message.split('\n', 1)[0] ?? '' }));
  return cut
    .sort(compareFieldErrors)
    .filter((error, index, all) => index === 0 || compareFieldErrors(all[index - 1]!, error) !== 0)
    .map(({ type, field, message }) => ({ type, field, message }));
};

const isRefused = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'decodeError');
