import { CelUnsupported } from '../../cel/errors.js';
import { CALL_LIMIT } from '../../cel/program.js';
import type { MatchCondition } from '../../kubernetes/objects/webhooks.js';
import type { CompiledPolicy } from './compile-policy.js';
import { evaluatorOf, OUT_OF_BUDGET, type Outcome, type PolicyInput } from './evaluator.js';

/** What all conditions of a policy or webhook may cost. Source: k8s.io/apiserver v0.36.2, pkg/apis/cel/config.go. */
const MATCH_BUDGET = 2_500_000;

export type Matching = { readonly matches: boolean } | { readonly error: string };

/**
 * Whether all match conditions of a policy or webhook hold. One that is false decides, whatever the others are; without one, those
 * that err are the error.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/webhook/matchconditions/matcher.go, `Match`. It has no namespace object.
 *
 * @throws {CelUnsupported} whether they hold depends on something that is not known or not evaluated here
 */
export function evaluateMatchConditions(
  conditions: readonly MatchCondition[] | undefined,
  compiled: Pick<CompiledPolicy, 'matchConditions' | 'variables'>,
  input: PolicyInput,
): Matching {
  if (conditions === undefined || conditions.length === 0) return { matches: true };
  const evaluator = evaluatorOf(
    compiled.matchConditions,
    compiled.variables,
    { ...input, namespace: undefined },
    MATCH_BUDGET,
  );
  const outcomes: Outcome[] = [];
  const unknown: CelUnsupported[] = [];
  for (const [index, { expression }] of conditions.entries()) {
    try {
      const outcome = evaluator.all([compiled.matchConditions[index]], [expression]);
      if (outcome === OUT_OF_BUDGET) return unknown[0] === undefined ? { error: OUT_OF_BUDGET } : refuse(unknown[0]);
      outcomes.push(...outcome);
    } catch (error) {
      if (!(error instanceof CelUnsupported)) throw error;
      unknown.push(error);
    }
  }
  // What is not known may cost so much that the API server comes to no result.
  const isAffordable = evaluator.budget >= unknown.length * 2 * CALL_LIMIT;
  if (
    isAffordable &&
    outcomes.some((outcome) => outcome !== undefined && 'value' in outcome && outcome.value === false)
  ) {
    return { matches: false };
  }
  if (unknown[0] !== undefined) return refuse(unknown[0]);
  const errors = [...new Set(outcomes.flatMap((outcome) => (outcome && 'error' in outcome ? [outcome.error] : [])))];
  if (errors.length === 0) return { matches: true };
  return { error: errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]` };
}

function refuse(unknown: CelUnsupported): never {
  throw unknown;
}
