import { stepBudgetMatches } from '../../disruption/budget-matches.js';
import { budgetPodOf, byName } from '../../disruption/budget-standing.js';
import { expectedScale, expectPods, type BudgetPod } from '../../disruption/budget-status.js';
import type { ScaleSource } from '../../disruption/controller-scale.js';
import { stateScaleSource } from '../../disruption/state-scale-source.js';
import { controllerOf } from '../../kubernetes/controller-of.js';
import { FieldPath } from '../../kubernetes/field-path.js';
import type { PodDisruptionBudget } from '../../kubernetes/objects/policy.js';
import type { ClusterTaints } from '../cluster-taints.js';
import type { Finding } from '../finding.js';
import { OccurrenceCounter } from '../occurrence-counter.js';

/** Why a budget allows no eviction of a healthy pod, and what would change that. */
interface Block {
  readonly message: string;
  readonly suggestion: string;
}

/** Budgets between two steps of the generator. */
const STRIDE = 8;

const NUMERIC = 'Set minAvailable to a number: it then counts the pods themselves.';

/**
 * A PodDisruptionBudget that allows no eviction of a healthy pod even while all pods that its controllers want are
 * healthy. Only surplus pods, such as those of a rolling update, would make it allow one. Skipped where the number of
 * wanted pods is not known: custom resources, kinds that no snapshot contained, DaemonSets and Jobs with a numeric
 * `minAvailable`.
 *
 * The controller allows as many disruptions as pods are healthy beyond `desiredHealthy`, none without expected pods, and
 * none if it cannot compute them (k8s.io/kubernetes v1.36.2, pkg/controller/disruption/disruption.go, `trySync`,
 * `failSafe`, `updatePdbStatus`).
 */
export function* budgetNeverAllows({ state }: ClusterTaints): Generator<undefined, readonly Finding[]> {
  if (!state.loadedKinds.has('Pod')) return [];
  const matches = yield* stepBudgetMatches(state);
  const source = stateScaleSource(state);
  const found: Finding[] = [];
  for (const [index, budget] of matches.budgets.entries()) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    const counter = new OccurrenceCounter('Pod');
    const pods: BudgetPod[] = [];
    for (const pod of matches.podsOf(index)) {
      pods.push(budgetPodOf(state, pod));
      if (state.pods.active(pod)) counter.add(state.pods.key(pod));
    }
    if (counter.result.count === 0) continue;
    const block = blockOf(budget, pods.sort(byName), source);
    if (block === undefined) continue;
    const { namespace = 'default', name } = budget.metadata;
    const at = fieldOf(budget);
    found.push({
      code: 'budget-never-allows',
      severity: 'warning',
      subject: { kind: 'PodDisruptionBudget', namespace, name },
      field: at.toString(),
      pointer: at.toPointer(),
      message: block.message,
      suggestions: [{ text: block.suggestion }],
      budgets: [`${namespace}/${name}`],
      occurrences: counter.result,
    });
  }
  return found;
}

function fieldOf({ spec = {} }: PodDisruptionBudget): FieldPath {
  if (spec.maxUnavailable !== undefined) return FieldPath.of('spec', 'maxUnavailable');
  return spec.minAvailable === undefined ? FieldPath.of('spec') : FieldPath.of('spec', 'minAvailable');
}

function blockOf(budget: PodDisruptionBudget, pods: readonly BudgetPod[], source: ScaleSource): Block | undefined {
  const { spec = {}, metadata } = budget;
  const { maxUnavailable, minAvailable } = spec;
  const value = maxUnavailable ?? minAvailable;
  if (value === undefined) {
    return {
      message: 'The budget has neither minAvailable nor maxUnavailable, and then allows no eviction of a healthy pod.',
      suggestion: 'Set maxUnavailable, for example to 1.',
    };
  }
  const rule = `${maxUnavailable === undefined ? 'minAvailable' : 'maxUnavailable'} ${value}`;
  const expected = expectPods(budget, pods, source);
  if ('error' in expected) {
    return {
      message: `The disruption controller cannot compute ${rule}, and allows no eviction of a healthy pod: ${expected.error}.`,
      suggestion: NUMERIC,
    };
  }
  if ('unknown' in expected) {
    // Of any number of pods it requires all, unless some that nothing controls are healthy beyond them.
    const all = isZero(maxUnavailable) || (maxUnavailable === undefined && minAvailable === '100%');
    const managed = pods.every(({ ownerReferences }) => controllerOf(ownerReferences) !== undefined);
    return all && managed ? requiresAll(rule) : undefined;
  }
  const scale =
    typeof value === 'number' && maxUnavailable === undefined ? wantedOf(pods, metadata.namespace, source) : expected;
  if (scale === undefined) return undefined;
  const { desiredHealthy } = expected;
  if (expected.expectedPods <= 0) {
    if (scale.unmanagedPods.length < pods.length) return undefined;
    return {
      message: `None of the pods that the budget selects has a controller, so ${rule} expects no pods, and allows no eviction of a healthy pod.`,
      suggestion: NUMERIC,
    };
  }
  const wanted = scale.expectedPods + scale.unmanagedPods.length;
  if (wanted <= 0 || desiredHealthy < wanted) return undefined;
  if (scale.controllers.length === 0) return undefined;
  if (desiredHealthy === wanted) return requiresAll(rule, wanted);
  return {
    message: `${rule} requires ${desiredHealthy} healthy pods, but only ${wanted} are wanted: no eviction of a healthy pod is allowed.`,
    suggestion: `Set minAvailable below ${wanted}, or use maxUnavailable.`,
  };
}

/** The pods that the controllers want, and those without one; undefined if that is not known. */
function wantedOf(pods: readonly BudgetPod[], namespace: string | undefined, source: ScaleSource) {
  const scale = expectedScale(pods, namespace ?? '', source);
  return 'expectedPods' in scale ? scale : undefined;
}

function requiresAll(rule: string, wanted?: number): Block {
  const all =
    wanted === undefined ? 'every wanted pod' : wanted === 1 ? 'the only wanted pod' : `all ${wanted} wanted pods`;
  return {
    message: `${rule} requires ${all} to be healthy: no eviction of a healthy pod is allowed unless surplus pods are healthy, as in a rolling update. A drain waits for it forever.`,
    suggestion:
      wanted === 1 ? 'Run at least 2 replicas, or set maxUnavailable to 1.' : 'Set maxUnavailable, for example to 1.',
  };
}

const isZero = (value: number | string | undefined): boolean => value === 0 || value === '0%';
