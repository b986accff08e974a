import {
  budgetSelector,
  disruptionAllowedOf,
  statusOf,
  syncBudget,
  type BudgetPod,
  type BudgetStatus,
} from '../../../src/core/disruption/budget-status.js';
import type { Scalable, ScaleSource } from '../../../src/core/disruption/controller-scale.js';
import { guardOf, reviewEviction, type EvictedPod } from '../../../src/core/disruption/eviction-review.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { PodDisruptionBudget } from '../../../src/core/kubernetes/objects/policy.js';
import type { Op } from '../op.js';

interface PdbInput {
  readonly pdb: PodDisruptionBudget;
  readonly pods: readonly Pod[];
  readonly now: string;
  readonly replicaSets?: readonly Scalable[];
  readonly deployments?: readonly Scalable[];
  readonly statefulSets?: readonly Scalable[];
  readonly replicationControllers?: readonly Scalable[];
  readonly scales?: readonly Scalable[];
  readonly otherPDBs?: readonly PodDisruptionBudget[];
  readonly evict?: { readonly pod: string; readonly status: 'synced' | 'given' };
}

export const pdb: Op = {
  answer: (given) => {
    const input = given as unknown as PdbInput;
    const { pdb: budget, evict } = input;
    const now = Date.parse(input.now);
    const compiled = budgetSelector(budget);
    const selected =
      'error' in compiled ? compiled : { pods: input.pods.filter((pod) => matches(budget, pod)).map(readPod) };
    const sync = syncBudget(budget, selected, scaleSource(input), now);
    if (sync.outcome === 'unknown') throw new Error(sync.reason);
    const eviction =
      evict === undefined
        ? null
        : evicted(input, evict.pod, evict.status === 'synced' ? sync.status : statusOf(budget), now);
    return { status: statusInVector(sync.status), events: [...sync.events].sort(), eviction };
  },
};

function evicted(input: PdbInput, name: string, status: BudgetStatus, now: number): unknown {
  const { pdb: budget, otherPDBs = [] } = input;
  const pod = input.pods.find(({ metadata }) => metadata.name === name);
  if (pod === undefined) throw new Error(`no pod ${name}`);
  const guards = [
    ...(matches(budget, pod) ? [guardOf(budget, status)] : []),
    ...otherPDBs.filter((other) => matches(other, pod)).map((other) => guardOf(other)),
  ];
  const review = reviewEviction(readPod(pod), guards, now);
  const left = review.allowed && matches(budget, pod) ? review.status : undefined;
  const disruptionsAllowedAfter = (left ?? status).disruptionsAllowed;
  if (review.allowed) return { allowed: true, disruptionsAllowedAfter };
  const { code, reason, message, causes, retryAfterSeconds } = review;
  return {
    allowed: false,
    disruptionsAllowedAfter,
    code,
    reason,
    message,
    causes,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

function matches(budget: PodDisruptionBudget, { metadata }: Pod): boolean {
  const compiled = budgetSelector(budget);
  return (
    budget.metadata.namespace === metadata.namespace &&
    'selector' in compiled &&
    compiled.selector.matches(metadata.labels ?? {})
  );
}

function readPod({ metadata, status }: Pod): BudgetPod & EvictedPod {
  return {
    name: metadata.name,
    terminating: metadata.deletionTimestamp !== undefined,
    phase: status?.phase ?? '',
    ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True',
    ownerReferences: metadata.ownerReferences ?? [],
  };
}

/** The kinds that the vectors' API server knows, with the resource that the scale subresource would be of. */
function scaleSource(input: PdbInput): ScaleSource {
  const lists = {
    ReplicaSet: input.replicaSets,
    Deployment: input.deployments,
    StatefulSet: input.statefulSets,
    ReplicationController: input.replicationControllers,
  };
  const find = (list: readonly Scalable[] = [], namespace: string, name: string): Scalable | undefined =>
    list.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  const scaled = new Map<string, readonly Scalable[] | undefined>([
    ['apps/v1 ReplicaSet', input.replicaSets],
    ['apps/v1 Deployment', input.deployments],
    ['apps/v1 StatefulSet', input.statefulSets],
    ['/v1 ReplicationController', input.replicationControllers],
    ['argoproj.io/v1alpha1 Rollout', input.scales],
  ]);
  const unscaled = new Map([
    ['apps/v1 DaemonSet', 'daemonsets.apps'],
    ['batch/v1 Job', 'jobs.batch'],
  ]);
  return {
    find: (kind, namespace, name) => ({ object: find(lists[kind], namespace, name) }),
    scale: (group, version, kind, namespace, name) => {
      const key = `${group}/${version} ${kind}`;
      if (scaled.has(key)) return { scale: find(scaled.get(key), namespace, name) };
      const resource = unscaled.get(key);
      if (resource !== undefined) return { error: `${resource} does not implement the scale subresource` };
      return { error: `no matches for kind "${kind}" in version "${group === '' ? '' : `${group}/`}${version}"` };
    },
  };
}

function statusInVector(status: BudgetStatus): unknown {
  const condition = disruptionAllowedOf(status);
  return {
    currentHealthy: status.currentHealthy,
    desiredHealthy: status.desiredHealthy,
    expectedPods: status.expectedPods,
    disruptionsAllowed: status.disruptionsAllowed,
    observedGeneration: status.observedGeneration,
    disruptedPods: [...status.disruptedPods.keys()].sort(),
    condition:
      condition === undefined
        ? null
        : { status: condition.status, reason: condition.reason ?? '', message: condition.message ?? '' },
  };
}
