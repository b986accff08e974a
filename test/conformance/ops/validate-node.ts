import { decodeObject } from '../../../src/core/kubernetes/decode.js';
import { compareFieldErrors, type FieldError } from '../../../src/core/kubernetes/field-error.js';
import { validateNode as validate, type NodeManifest } from '../../../src/core/kubernetes/validation/node.js';
import type { Op } from '../op.js';
import { sameJson } from '../same-json.js';

export const validateNode: Op = {
  answer: (input) => {
    const decoded = decodeObject(input['node'] ?? null, { strict: true, whole: true });
    if (decoded.outcome === 'object') return causes(validate(decoded.object as NodeManifest));
    return {
      decodeError: decoded.outcome === 'invalid' ? decoded.errors.map(({ message }) => message).join(', ') : '',
    };
  },
  agree: (want, got) => (isRefused(want) ? isRefused(got) : sameJson(want, got)),
};

/** Errors as the vectors list them: sorted, each once, a message of several lines cut at its first line break. */
const causes = (errors: readonly FieldError[]): object[] => {
  const cut = errors.map((error) => ({ ...error, message: error.message.split('\n', 1)[0] ?? '' }));
  return cut
    .sort(compareFieldErrors)
    .filter((error, index, all) => index === 0 || compareFieldErrors(all[index - 1]!, error) !== 0)
    .map(({ type, field, message }) => ({ type, field, message }));
};

/** Of what cannot be decoded the vectors want only that it is refused. */
const isRefused = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'decodeError');
