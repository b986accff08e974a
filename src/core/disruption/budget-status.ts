import { defined } from '../collections/defined.js';
import { compileLabelSelector, type Selector } from '../kubernetes/label-selector.js';
import type { Int64, OwnerReference, Timestamp } from '../kubernetes/objects/meta.js';
import type { PodDisruptionBudget, StatusCondition } from '../kubernetes/objects/policy.js';
import { controllerOf } from '../kubernetes/controller-of.js';
import { findController, type ControllerScale, type ScaleSource } from './controller-scale.js';
import { scaledValue } from './scaled-value.js';

/** The fields of a pod that the disruption controller reads. */
export interface BudgetPod {
  readonly name: string;
  /** Whether it has a deletion timestamp. */
  readonly terminating: boolean;
  /** Whether the condition Ready is True. The phase does not matter. */
  readonly ready: boolean;
  readonly ownerReferences: readonly OwnerReference[];
}

/** The complete status of a budget. */
export interface BudgetStatus {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly disruptionsAllowed: number;
  readonly observedGeneration: Int64;
  /** The time at which each pod's eviction was granted, by pod name. */
  readonly disruptedPods: ReadonlyMap<string, Timestamp>;
  readonly conditions: readonly StatusCondition[];
}

export type BudgetEvent = 'NoPods' | 'CalculateExpectedPodCountFailed' | 'UnmanagedPods' | 'NotDeleted';

/** The inputs of a successful sync. */
export interface ExpectedPods {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  /** The controllers whose replicas make up `expectedPods`; empty if the pods were counted, or nothing was. */
  readonly controllers: readonly ControllerScale[];
  /** Pods without a controller, which do not count as expected, but as healthy. */
  readonly unmanagedPods: readonly string[];
}

/** The result of a budget's sync. Events are in the order in which they are recorded. */
export type BudgetSync =
  | {
      readonly outcome: 'synced';
      readonly status: BudgetStatus;
      readonly events: readonly BudgetEvent[];
      readonly expected: ExpectedPods;
      /**
       * When an entry of `disruptedPods` next expires, in milliseconds since the epoch; the controller then syncs
       * again.
       */
      readonly recheckAt?: number;
    }
  /** No disruption is allowed, and all other numbers are unchanged; `error` is the condition's message. */
  | {
      readonly outcome: 'failed';
      readonly status: BudgetStatus;
      readonly events: readonly BudgetEvent[];
      readonly error: string;
    }
  /** The result is not known; `reason` is what is missing. */
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * How long a pod whose eviction was granted counts as gone before its deletion is observed (`DeletionTimeout`), in
 * milliseconds.
 */
const DELETION_TIMEOUT_MS = 2 * 60 * 1000;

/** `policy/v1` DisruptionAllowedCondition. */
const DISRUPTION_ALLOWED = 'DisruptionAllowed';

/**
 * The pods that a budget selects, or why its selector cannot be read: an absent selector matches nothing, an empty one
 * everything.
 */
export function budgetSelector(
  budget: PodDisruptionBudget,
): { readonly selector: Selector } | { readonly error: string } {
  const compiled = compileLabelSelector(budget.spec?.selector);
  return 'selector' in compiled ? compiled : { error: compiled.message };
}

/**
 * The status that the disruption controller writes for a budget at `now` (milliseconds since the epoch).
 *
 * `selected` are the pods of its namespace that its selector matches, including finished and terminating ones, or the
 * reason why it could not be read. A failed sync (one pod whose controller is not found is enough) allows no disruption
 * and leaves the other numbers unchanged.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/disruption/disruption.go, `trySync`, `failSafe`, `updatePdbStatus`.
 */
export function syncBudget(
  budget: PodDisruptionBudget,
  selected: { readonly pods: readonly BudgetPod[] } | { readonly error: string },
  source: ScaleSource,
  now: number,
): BudgetSync {
  const before = statusOf(budget);
  if ('error' in selected) return failed(before, selected.error, ['NoPods'], now);
  const { pods } = selected;
  const events: BudgetEvent[] = pods.length === 0 ? ['NoPods'] : [];
  const expected = expectPods(budget, pods, source);
  if ('unknown' in expected) return { outcome: 'unknown', reason: expected.unknown };
  if ('error' in expected) return failed(before, expected.error, [...events, 'CalculateExpectedPodCountFailed'], now);
  if (expected.unmanagedPods.length > 0) events.push('UnmanagedPods');
  const disrupted = stillDisrupted(before.disruptedPods, pods, now);
  for (let i = 0; i < disrupted.overdue; i++) events.push('NotDeleted');
  const numbers = {
    currentHealthy: countHealthy(pods, disrupted.pods, now),
    desiredHealthy: expected.desiredHealthy,
    expectedPods: expected.expectedPods,
  };
  const spare = (numbers.currentHealthy - numbers.desiredHealthy) | 0;
  const status: BudgetStatus = {
    ...numbers,
    disruptionsAllowed: numbers.expectedPods <= 0 || spare <= 0 ? 0 : spare,
    observedGeneration: budget.metadata.generation ?? 0,
    disruptedPods: disrupted.pods,
    conditions: before.conditions,
  };
  const { recheckAt } = disrupted;
  return {
    outcome: 'synced',
    status: isUpToDate(before, status) ? before : withDisruptionAllowed(status, now),
    events,
    expected,
    ...defined({ recheckAt }),
  };
}

/** The stored status of a budget, with absent fields set to Go's zero values. */
export function statusOf({ status = {} }: PodDisruptionBudget): BudgetStatus {
  return {
    currentHealthy: status.currentHealthy ?? 0,
    desiredHealthy: status.desiredHealthy ?? 0,
    expectedPods: status.expectedPods ?? 0,
    disruptionsAllowed: status.disruptionsAllowed ?? 0,
    observedGeneration: status.observedGeneration ?? 0,
    disruptedPods: new Map(Object.entries(status.disruptedPods ?? {})),
    conditions: status.conditions ?? [],
  };
}

/** The condition DisruptionAllowed of a status. */
export function disruptionAllowedOf(status: Pick<BudgetStatus, 'conditions'>): StatusCondition | undefined {
  return status.conditions.find(({ type }) => type === DISRUPTION_ALLOWED);
}

/**
 * A status whose condition agrees with `disruptionsAllowed` (k8s.io/component-helpers v0.36.2,
 * apps/poddisruptionbudget/helpers.go).
 */
export function withDisruptionAllowed(status: BudgetStatus, now: number): BudgetStatus {
  return status.disruptionsAllowed > 0
    ? withCondition(status, { status: 'True', reason: 'SufficientPods', message: '' }, now)
    : withCondition(status, { status: 'False', reason: 'InsufficientPods', message: '' }, now);
}

function failed(before: BudgetStatus, error: string, events: readonly BudgetEvent[], now: number): BudgetSync {
  const status = withCondition(
    { ...before, disruptionsAllowed: 0 },
    { status: 'False', reason: 'SyncFailed', message: error },
    now,
  );
  return { outcome: 'failed', status, events, error };
}

/** `apimeta.SetStatusCondition`: the transition time changes only with the status value. */
function withCondition(
  status: BudgetStatus,
  condition: Pick<StatusCondition, 'status' | 'reason' | 'message'>,
  now: number,
): BudgetStatus {
  const former = disruptionAllowedOf(status);
  const transition = former?.status === condition.status ? former.lastTransitionTime : undefined;
  const next: StatusCondition = {
    type: DISRUPTION_ALLOWED,
    ...condition,
    observedGeneration: status.observedGeneration,
    lastTransitionTime: transition ?? new Date(Math.floor(now / 1000) * 1000).toISOString().replace('.000Z', 'Z'),
  };
  const conditions =
    former === undefined ? [...status.conditions, next] : status.conditions.map((old) => (old === former ? next : old));
  return { ...status, conditions };
}

/**
 * Whether the controller leaves a stored status unchanged, including the message of its condition (`updatePdbStatus`).
 */
function isUpToDate(before: BudgetStatus, after: BudgetStatus): boolean {
  const condition = disruptionAllowedOf(before);
  const [status, reason] = after.disruptionsAllowed > 0 ? ['True', 'SufficientPods'] : ['False', 'InsufficientPods'];
  return (
    before.currentHealthy === after.currentHealthy &&
    before.desiredHealthy === after.desiredHealthy &&
    before.expectedPods === after.expectedPods &&
    before.disruptionsAllowed === after.disruptionsAllowed &&
    BigInt(before.observedGeneration) === BigInt(after.observedGeneration) &&
    before.disruptedPods.size === after.disruptedPods.size &&
    condition?.status === status &&
    condition.reason === reason
  );
}

/**
 * The expected number of pods and of healthy pods (`getExpectedPodCount`). `maxUnavailable` takes precedence over
 * `minAvailable`; only a numeric `minAvailable` counts the pods themselves, everything else reads the scale of their
 * controllers.
 */
export function expectPods(
  { spec, metadata }: PodDisruptionBudget,
  pods: readonly BudgetPod[],
  source: ScaleSource,
): ExpectedPods | { readonly error: string } | { readonly unknown: string } {
  const { maxUnavailable, minAvailable } = spec ?? {};
  const none = { controllers: [], unmanagedPods: [] };
  if (maxUnavailable === undefined) {
    if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0, ...none };
    if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable, ...none };
  }
  const scale = expectedScale(pods, metadata.namespace ?? '', source);
  if (!('expectedPods' in scale)) return scale;
  const bound = scaledValue(maxUnavailable ?? minAvailable!, scale.expectedPods);
  if ('error' in bound) return bound;
  const desired = maxUnavailable === undefined ? bound.value : Math.max(0, (scale.expectedPods - bound.value) | 0);
  return { ...scale, desiredHealthy: desired };
}

/** The replicas of the controllers of pods, each controller once (`getExpectedScale`). */
export function expectedScale(
  pods: readonly BudgetPod[],
  namespace: string,
  source: ScaleSource,
): Omit<ExpectedPods, 'desiredHealthy'> | { readonly error: string } | { readonly unknown: string } {
  const controllers = new Map<string, ControllerScale>();
  const unmanagedPods: string[] = [];
  /**
   * Owner references already resolved: the pods of a Deployment name their ReplicaSet, whose UID is not among the
   * controllers.
   */
  const followed = new Set<string>();
  for (const { name, ownerReferences } of pods) {
    const reference = controllerOf(ownerReferences);
    if (reference === undefined) {
      unmanagedPods.push(name);
      continue;
    }
    if (controllers.has(reference.uid ?? '')) continue;
    const key = JSON.stringify([reference.apiVersion, reference.kind, reference.name, reference.uid]);
    if (followed.has(key)) continue;
    const found = findController(reference, namespace, source);
    if (!('controller' in found)) return found;
    if (found.controller === undefined) return { error: `found no controllers for pod "${name}"` };
    controllers.set(found.controller.uid, found.controller);
    followed.add(key);
  }
  let expectedPods = 0;
  for (const { replicas } of controllers.values()) expectedPods = (expectedPods + replicas) | 0;
  return { expectedPods, controllers: [...controllers.values()], unmanagedPods };
}

/**
 * The granted evictions that are still pending, how many expired, and when the next one expires
 * (`buildDisruptedPodMap`).
 */
function stillDisrupted(
  disruptedPods: ReadonlyMap<string, Timestamp>,
  pods: readonly BudgetPod[],
  now: number,
): { readonly pods: ReadonlyMap<string, Timestamp>; readonly overdue: number; readonly recheckAt?: number } {
  const kept = new Map<string, Timestamp>();
  let overdue = 0;
  let recheckAt: number | undefined;
  if (disruptedPods.size > 0) {
    for (const { name, terminating } of pods) {
      const time = disruptedPods.get(name);
      if (terminating || time === undefined) continue;
      const ends = Date.parse(time) + DELETION_TIMEOUT_MS;
      if (ends < now) {
        overdue += 1;
        continue;
      }
      recheckAt = recheckAt === undefined ? ends : Math.min(recheckAt, ends);
      kept.set(name, time);
    }
  }
  return { pods: kept, overdue, ...defined({ recheckAt }) };
}

/**
 * Ready, not terminating, and not about to be evicted (`countHealthyPods`). Exactly at the end of the two minutes, a
 * pod counts again.
 */
function countHealthy(pods: readonly BudgetPod[], disruptedPods: ReadonlyMap<string, Timestamp>, now: number): number {
  let healthy = 0;
  for (const { name, terminating, ready } of pods) {
    if (!ready || terminating) continue;
    const time = disruptedPods.get(name);
    if (time !== undefined && Date.parse(time) + DELETION_TIMEOUT_MS > now) continue;
    healthy += 1;
  }
  return healthy;
}
