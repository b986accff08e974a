import { GuardrailBudget, stepGuardrails } from './apply-guardrails.js';
import { factsOfTest } from './facts.js';
import type { Guardrail, GuardrailOutcome } from './guardrail.js';

/** How a case went. */
export interface GuardrailCaseResult {
  readonly rule: string;
  readonly test: string;
  readonly passed: boolean;
  readonly expected: GuardrailOutcome;
  readonly outcome: GuardrailOutcome;
  readonly expectedMessage: string | null;
  readonly message: string | null;
  /** Where the case is in the document. */
  readonly pointer: string;
}

/** Runs the tests of all rules. Runs in steps, one a case; yields nothing. */
export function* stepGuardrailTests(guardrails: readonly Guardrail[]): Generator<undefined, GuardrailCaseResult[]> {
  const budget = new GuardrailBudget();
  const results: GuardrailCaseResult[] = [];
  for (const [place, guardrail] of guardrails.entries()) {
    for (const [index, { name, given = {}, expect, message }] of (guardrail.tests ?? []).entries()) {
      const [result] = yield* stepGuardrails([guardrail], factsOfTest(given), budget);
      const { outcome, message: said } = result!;
      results.push({
        rule: guardrail.name,
        test: name,
        passed: outcome === expect && (message === undefined || message === said),
        expected: expect,
        outcome,
        expectedMessage: message ?? null,
        message: said,
        pointer: `/guardrails/${place}/tests/${index}`,
      });
    }
  }
  return results;
}
