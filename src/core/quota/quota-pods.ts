import type { ClusterState } from '../cluster/cluster-state.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity, QuantityError } from '../kubernetes/quantity.js';
import { isCharged, PodCharges, type QuotaCounting } from './pod-charge.js';
import { activePodUsage } from './pod-usage.js';
import { POD_OBJECT_COUNT, podQuotaResources } from './quota-resources.js';
import { UsageSums } from './usage-sums.js';

/** Pods between two steps of the generator. */
const STRIDE = 1024;

/** A pod that matches a quota's scopes. */
export interface QuotaPod {
  /** Index into `state.pods`. */
  readonly pod: number;
  readonly counting: QuotaCounting;
  /** Its charge for the resources that the quota limits. */
  readonly charged: ReadonlyMap<string, Quantity>;
  /** For a pod that does not count: its former charge. */
  readonly released: ReadonlyMap<string, Quantity>;
  /** For a pod that counts: the excess of its charge over its spec, because its status reports more. */
  readonly beyondSpec: ReadonlyMap<string, Quantity>;
}

const NOTHING: ReadonlyMap<string, Quantity> = new Map();

/**
 * The pods that match a quota's scopes, in the order of `state.pods`: the items that `stepQuotaUsage` sums up.
 *
 * @param now in milliseconds since the epoch
 * @param among the pods of the quota's namespace, if they are known
 */
export function* stepQuotaPods(
  state: ClusterState,
  quota: ResourceQuota,
  { now, among: candidates }: { readonly now: number; readonly among?: readonly number[] },
): Generator<undefined, readonly QuotaPod[]> {
  const { pods } = state;
  const namespace = quota.metadata.namespace ?? '';
  const bounded = new Set(podQuotaResources(Object.keys(quota.spec?.hard ?? {}), state.rules));
  const sums = UsageSums.empty(quota, state.rules);
  const charges = new PodCharges(state);
  const found: QuotaPod[] = [];
  const count = candidates?.length ?? pods.count;
  for (let turn = 0; turn < count; turn++) {
    if (turn % STRIDE === 0) yield undefined;
    const pod = candidates?.[turn] ?? turn;
    if (pods.namespace(pod) !== namespace) continue;
    const charge = charges.of(pod);
    if (!sums.matches(charge)) continue;
    const { counting } = charges.standingOf(pod, now);
    const usage = among(charge.usage, bounded);
    if (isCharged({ counting })) {
      const beyondSpec = excess(usage, specUsage(state, pod));
      found.push({ pod, counting, charged: usage, released: NOTHING, beyondSpec });
    } else {
      const [charged, released] = [new Map<string, Quantity>(), new Map<string, Quantity>()];
      for (const [name, amount] of usage) (name === POD_OBJECT_COUNT ? charged : released).set(name, amount);
      found.push({ pod, counting, charged, released, beyondSpec: NOTHING });
    }
  }
  yield undefined;
  return found;
}

const among = (usage: ResourceAmounts, names: ReadonlySet<string>): ReadonlyMap<string, Quantity> =>
  new Map([...usage].filter(([name]) => names.has(name)));

/** The charge of a pod by its spec alone; undefined if its status has no resources. */
function specUsage({ pods, rules }: ClusterState, pod: number): ResourceAmounts | undefined {
  const status = pods.statusOf(pods.statusId(pod));
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  if (!statuses.some(({ resources }) => resources !== undefined)) return undefined;
  try {
    return activePodUsage({ spec: pods.specOf(pods.specId(pod)) }, rules);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

function excess(
  usage: ReadonlyMap<string, Quantity>,
  asked: ResourceAmounts | undefined,
): ReadonlyMap<string, Quantity> {
  if (asked === undefined) return NOTHING;
  const beyond = [...usage].map(([name, amount]) => [name, amount.sub(asked.get(name) ?? Quantity.ZERO)] as const);
  return new Map(beyond.filter(([, amount]) => amount.sign() > 0));
}
