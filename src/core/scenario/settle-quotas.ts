import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { stepCountPods } from '../quota/count-pods.js';
import { ObjectsByNamespace } from '../quota/object-usage.js';
import { isCharged, PodCharges } from '../quota/pod-charge.js';
import { QuotaUsage, usageOfObjects } from '../quota/quota-usage.js';
import { namespaceOf, quotasOf } from '../quota/step-quota-usage.js';
import { UsageSums, type CountedCharge } from '../quota/usage-sums.js';
import type { PodName } from './scenario-draft.js';

/** Used as the current time: a pod that is being deleted always counts, because a scenario has no clock. */
const NO_TIME = 0;
/** Pods processed between two yields. */
const STRIDE = 1024;

/**
 * The state with `status.used` of its quotas adjusted to the scenario's changes. The difference that the touched pods make is
 * added, so that earlier deviations of the status from the real usage remain. A quota that the scenario put has the status
 * that the controller would write.
 */
export function* settleQuotas(
  base: ClusterState,
  state: ClusterState,
  touched: Iterable<PodName>,
  put: readonly PodName[],
): Generator<undefined, ClusterState> {
  const quotas = quotasOf(state);
  if (quotas.length === 0) return state;
  const fresh = new Set(put.map(({ namespace, name }) => `${namespace}/${name}`));
  const isFresh = (quota: ResourceQuota): boolean => fresh.has(`${namespaceOf(quota)}/${quota.metadata.name}`);
  const differences = yield* differencesIn(base, state, touched, new Set(quotas.map(namespaceOf)));
  const { tallies } = yield* stepCountPods(state, NO_TIME, new Set(quotas.filter(isFresh).map(namespaceOf)));
  const objects = new ObjectsByNamespace(state, NO_TIME);
  const upserts: ResourceQuota[] = [];
  for (const quota of quotas) {
    yield undefined;
    if (isFresh(quota)) {
      const sums = UsageSums.empty(quota, state.rules).with(tallies.get(namespaceOf(quota)) ?? []);
      upserts.push(counted(new QuotaUsage(quota, sums, usageOfObjects(quota, objects))));
      continue;
    }
    const difference = differences.get(namespaceOf(quota));
    if (difference !== undefined && quota.status?.used !== undefined)
      upserts.push(moved(quota, difference, state.rules));
  }
  return upserts.length === 0 ? state : state.apply({ upserts });
}

/** The charges that the touched pods remove and add, by namespace. */
function* differencesIn(
  base: ClusterState,
  state: ClusterState,
  touched: Iterable<PodName>,
  namespaces: ReadonlySet<string>,
): Generator<undefined, ReadonlyMap<string, readonly CountedCharge[]>> {
  const differences = new Map<string, CountedCharge[]>();
  const sides = [
    { pods: base.pods, charges: new PodCharges(base), sign: -1 },
    { pods: state.pods, charges: new PodCharges(state), sign: 1 },
  ];
  let turn = 0;
  for (const { namespace, name } of touched) {
    if (++turn % STRIDE === 0) yield undefined;
    if (!namespaces.has(namespace)) continue;
    const own = differences.get(namespace) ?? [];
    differences.set(namespace, own);
    for (const { pods, charges, sign } of sides) {
      const pod = pods.indexOf(namespace, name);
      if (pod < 0) continue;
      const active = isCharged(charges.standingOf(pod, NO_TIME));
      own.push({ charge: charges.of(pod), active: active ? sign : 0, inactive: active ? 0 : sign });
    }
  }
  return differences;
}

function moved(quota: ResourceQuota, difference: readonly CountedCharge[], rules: KubernetesRules): ResourceQuota {
  const sums = UsageSums.empty(quota, rules).with(difference);
  const used = [...parseResourceList(quota.status?.used)].map(
    ([resource, amount]) => [resource, amount.add(sums.of(resource) ?? Quantity.ZERO).toString()] as const,
  );
  return { ...quota, status: { ...quota.status, used: Object.fromEntries(used) } };
}

function counted(usage: QuotaUsage): ResourceQuota {
  const { quota } = usage;
  const used = usage.resources().flatMap(({ resource, used: amount, reported }) => {
    const known = amount ?? reported;
    return known === undefined ? [] : [[resource, known.toString()] as const];
  });
  return { ...quota, status: { hard: quota.spec?.hard ?? {}, used: Object.fromEntries(used) } };
}
