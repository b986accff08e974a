import { counted } from '../collections/counted.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import { compare } from '../json/compare.js';
import { compileLabelSelector } from '../kubernetes/label-selector.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import { SelectorIndex } from '../kubernetes/selector-index.js';
import type { LabelledEvictions } from './evictions.js';
import type { BudgetAtRisk } from './taint-effects.js';
import { type Warnings } from './warnings.js';

/** Budgets between two steps of the generator. */
const STRIDE = 256;

/**
 * Warns of PodDisruptionBudgets whose pods NoExecute deletes: unlike the Eviction API, the taint eviction controller
 * deletes pods without checking budgets. A selector without requirements selects every pod of its namespace
 * (policy/v1).
 */
export function* stepBudgetWarnings(
  state: ClusterState,
  evictions: readonly LabelledEvictions[],
  warnings: Warnings,
): Generator<undefined, void> {
  if (evictions.length === 0) return;
  const byNamespace = new Map<string, SelectorIndex<PodDisruptionBudget>>(
    [...new Set(evictions.map(({ namespace }) => namespace))].map((namespace) => [namespace, new SelectorIndex()]),
  );
  let looked = 0;
  for (const object of state.objects('PodDisruptionBudget')) {
    if (++looked % STRIDE === 0) yield undefined;
    const index = byNamespace.get(object.metadata.namespace ?? 'default');
    if (index === undefined) continue;
    const budget = object as PodDisruptionBudget;
    const compiled = compileLabelSelector(budget.spec?.selector);
    if ('selector' in compiled) index.add(compiled.selector, budget);
  }
  const hit = new Map<PodDisruptionBudget, { now: number; after: number }>();
  for (const { namespace, labels, now, after } of evictions) {
    for (const budget of byNamespace.get(namespace)!.matching(labels)) {
      if (++looked % STRIDE === 0) yield undefined;
      if (budget === undefined) continue;
      const pods = hit.get(budget);
      if (pods === undefined) hit.set(budget, { now, after });
      else {
        pods.now += now;
        pods.after += after;
      }
    }
  }
  yield undefined;
  const nameOf = ({ metadata }: PodDisruptionBudget): string => `${metadata.namespace ?? 'default'}/${metadata.name}`;
  const worstFirst = [...hit].sort(
    ([a, left], [b, right]) => right.now - left.now || right.after - left.after || compare(nameOf(a), nameOf(b)),
  );
  for (const [budget, pods] of worstFirst) {
    warnings.add('pdb-not-respected', () => {
      const atRisk = budgetAtRisk(budget, pods);
      return { message: messageOn(atRisk), budget: atRisk };
    });
  }
}

function budgetAtRisk(
  { metadata, spec, status }: PodDisruptionBudget,
  { now, after }: { readonly now: number; readonly after: number },
): BudgetAtRisk {
  const { minAvailable, maxUnavailable } = spec ?? {};
  const { currentHealthy, disruptionsAllowed } = status ?? {};
  return {
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    ...defined({ minAvailable, maxUnavailable }),
    now,
    after,
    ...defined({ currentHealthy, disruptionsAllowed }),
  };
}

function messageOn(budget: BudgetAtRisk): string {
  const { namespace, name, minAvailable, maxUnavailable, now, after, currentHealthy, disruptionsAllowed } = budget;
  const limits = [
    ...(minAvailable === undefined ? [] : [`minAvailable ${minAvailable}`]),
    ...(maxUnavailable === undefined ? [] : [`maxUnavailable ${maxUnavailable}`]),
  ].join(', ');
  const go = [
    ...(now > 0 ? [`${counted(now, 'pod')} immediately`] : []),
    ...(after > 0 ? [`${counted(after, 'pod')} when their tolerations run out`] : []),
  ].join(' and ');
  const stands =
    disruptionsAllowed === undefined
      ? ''
      : ` It currently allows ${counted(disruptionsAllowed, 'disruption')}${currentHealthy === undefined ? '' : `, with ${currentHealthy} healthy`}.`;
  return (
    `PodDisruptionBudget ${namespace}/${name}${limits === '' ? '' : ` (${limits})`} does not protect its pods from NoExecute, which deletes ` +
    `${go}.${stands} kubectl drain would wait for it.`
  );
}
