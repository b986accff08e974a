import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';

/** The default and the maximum of `timeoutSeconds` (admissionregistration.k8s.io/v1). */
const USUAL_MS = 10_000;
const MAX_MS = 30_000;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
]);

/**
 * How long an API server waits, from the parameter that it adds to the webhook URL, such as `10s`.
 * @throws {InvalidRequestError}
 */
export function webhookTimeoutMs(text: string | undefined): number {
  if (text === undefined) return USUAL_MS;
  const parts = [...text.matchAll(/(\d{1,6}(?:\.\d{1,9})?)(ms|s|m)/g)];
  const length = parts.reduce((sum, [part]) => sum + part.length, 0);
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS.get(unit!) ?? 0), 0);
  if (parts.length === 0 || length !== text.length || ms <= 0) {
    const message = "must be a positive duration in Go's format, such as 10s";
    throw new InvalidRequestError([{ field: 'timeout', code: 'isDuration', message }]);
  }
  return Math.min(ms, MAX_MS);
}
