import type { GuardrailResult } from '../../core/guardrails/guardrail.js';
import { ServiceError } from '../errors/service-error.js';

/**
 * Refuses a change that guardrails refuse.
 * @throws {ServiceError} `guardrail-refused`, with each rule
 */
export function refuseByGuardrails(results: readonly GuardrailResult[]): void {
  const refused = results.filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return;
  throw new ServiceError(
    'guardrail-refused',
    `Nothing was changed. ${refused.map(({ rule, message }) => `${rule}: ${message ?? 'refused'}`).join('; ')}`.slice(
      0,
      2000,
    ),
    {
      details: refused.map(({ rule, message }) => ({
        code: 'guardrail-refused',
        kind: 'Guardrail',
        name: rule,
        message: message ?? 'refused',
      })),
    },
  );
}

/**
 * Refuses to have a change written that was made before, if it would need approval now: what was made cannot wait.
 * @throws {ServiceError} `guardrail-refused`, with each rule
 */
export function refuseApplication(results: readonly GuardrailResult[]): void {
  refuseByGuardrails(
    results.map((result) =>
      result.outcome === 'approvalNeeded'
        ? {
            ...result,
            outcome: 'refused',
            message: `${result.message ?? ''} (to be written, the change needs approval: revert it, and ask for it again with apply)`,
          }
        : result,
    ),
  );
}

export const needsApproval = (results: readonly GuardrailResult[]): boolean =>
  results.some(({ outcome }) => outcome === 'approvalNeeded');
