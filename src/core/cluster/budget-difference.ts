import type { IntOrString } from '../kubernetes/objects/meta.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import { labelSelectorText } from '../kubernetes/selector-text.js';
import { change, objectChange, type Change, type ObjectChange } from './object-change.js';

/** How the spec of one PodDisruptionBudget differs; each member is null where it is the same. */
export interface BudgetDifference {
  readonly namespace: string;
  readonly name: string;
  readonly change: ObjectChange;
  readonly minAvailable: Change<string> | null;
  readonly maxUnavailable: Change<string> | null;
  /** In kubectl's syntax; the empty text selects every pod of the namespace, null none. */
  readonly selector: Change<string> | null;
  /** An absent policy counts as `IfHealthyBudget`, which it means. */
  readonly unhealthyPodEvictionPolicy: Change<string> | null;
}

/** The difference of a budget in two states, at least one of which has it; undefined if the specs mean the same. */
export function budgetDifference(
  before: PodDisruptionBudget | undefined,
  after: PodDisruptionBudget | undefined,
): BudgetDifference | undefined {
  if (before === after) return undefined;
  const { namespace = 'default', name } = (after ?? before)!.metadata;
  const parts = {
    minAvailable: change(text(before?.spec?.minAvailable), text(after?.spec?.minAvailable)),
    maxUnavailable: change(text(before?.spec?.maxUnavailable), text(after?.spec?.maxUnavailable)),
    selector: change(selectorOf(before), selectorOf(after)),
    unhealthyPodEvictionPolicy: change(policyOf(before), policyOf(after)),
  };
  const kind = objectChange(before, after);
  if (kind === 'changed' && Object.values(parts).every((part) => part === null)) return undefined;
  return { namespace, name, change: kind, ...parts };
}

const text = (value: IntOrString | undefined): string | undefined => (value === undefined ? undefined : String(value));

function selectorOf(budget: PodDisruptionBudget | undefined): string | undefined {
  const selector = budget?.spec?.selector;
  return selector === undefined ? undefined : labelSelectorText(selector);
}

const policyOf = (budget: PodDisruptionBudget | undefined): string | undefined =>
  budget && (budget.spec?.unhealthyPodEvictionPolicy ?? 'IfHealthyBudget');
