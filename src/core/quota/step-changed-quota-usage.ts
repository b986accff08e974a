import type { ClusterState } from '../cluster/cluster-state.js';
import { compare } from '../json/compare.js';
import { sameValue } from '../json/same-value.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { stepCountPods } from './count-pods.js';
import { ObjectsByNamespace } from './object-usage.js';
import { isCharged, PodCharges, type PodCharge, type PodStanding } from './pod-charge.js';
import { isPast } from './pod-usage.js';
import { QuotaUsage, usageOfObjects } from './quota-usage.js';
import { indexByNamespace, namespaceOf, quotasOf, type QuotaUsages } from './step-quota-usage.js';
import { canBeTakenAway, UsageSums, type CountedCharge } from './usage-sums.js';

/** Pods between two steps of the generator. */
const STRIDE = 1024;

/** An object that differs between two states: added, removed or changed. */
export interface ChangedObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/**
 * The usage of the quotas after some objects have changed, or at another time. Quotas of namespaces without changes are
 * copied, and the others are charged the differences, so the cost depends on the changes.
 *
 * @param former the usage of an earlier state
 * @param changed every Pod, ResourceQuota and counted object that differs between that state and this one; may contain
 * others
 */
export function* stepChangedQuotaUsage(
  former: QuotaUsages,
  {
    state,
    now,
    changed,
  }: { readonly state: ClusterState; readonly now: number; readonly changed: Iterable<ChangedObject> },
): Generator<undefined, QuotaUsages> {
  const changes = sortChanges(changed);
  const base = changes.quotas
    ? yield* stepQuotaChanges(former, state, now)
    : { former, byNamespace: former.byNamespace };
  const { byNamespace } = base;
  const leaving = new Map(base.former.leaving);
  const pods = new Map(changes.pods);
  for (const [key, pod] of leaving) {
    if (isPast(pod.countsUntil, former.now) !== isPast(pod.countsUntil, now)) pods.set(key, pod);
  }

  const usages = [...base.former.usages];
  const recounted = new Set<string>();
  const before = new PodReader(former.state, former.now);
  const after = new PodReader(state, now);
  let steps = 0;
  for (const [key, { namespace, name }] of pods) {
    if (++steps % STRIDE === 0) yield undefined;
    const rows = byNamespace.get(namespace);
    if (rows === undefined) continue;
    const was = before.read(namespace, name);
    const is = after.read(namespace, name);
    const difference = [
      ...(was === undefined ? [] : [counted(was, -1)]),
      ...(is === undefined ? [] : [counted(is, 1)]),
    ];
    if (was !== undefined && !canBeTakenAway(was.charge)) recounted.add(namespace);
    for (const row of rows) usages[row] = usages[row]!.withPods(difference);
    if (is?.countsUntil === undefined) leaving.delete(key);
    else leaving.set(key, { namespace, name, countsUntil: is.countsUntil });
  }

  if (recounted.size > 0) {
    const { tallies } = yield* stepCountPods(state, now, recounted);
    for (const namespace of recounted) {
      for (const row of byNamespace.get(namespace) ?? []) {
        yield undefined;
        const { quota, objects } = usages[row]!;
        usages[row] = new QuotaUsage(
          quota,
          UsageSums.empty(quota, state.rules).with(tallies.get(namespace) ?? []),
          objects,
        );
      }
    }
  }

  const objects = new ObjectsByNamespace(state, now);
  const ofPods = new Set([...pods.values()].map(({ namespace }) => namespace));
  for (const [namespace, rows] of byNamespace) {
    const kinds = new Set(changes.objects.get(namespace));
    if (ofPods.has(namespace)) kinds.add('Pod');
    if (changes.deviceClasses) kinds.add('DeviceClass');
    if (kinds.size === 0) continue;
    for (const row of rows) {
      yield undefined;
      const usage = usages[row]!;
      usages[row] = usage.withObjects(usageOfObjects(usage.quota, objects, { kinds, former: usage.objects }));
    }
  }
  yield undefined;
  return { state, now, usages, byNamespace, leaving };
}

interface SortedChanges {
  readonly quotas: boolean;
  readonly pods: ReadonlyMap<string, { readonly namespace: string; readonly name: string }>;
  /** Whether claims may be charged under other names. */
  readonly deviceClasses: boolean;
  /** By namespace, the kinds whose objects may be counted. */
  readonly objects: ReadonlyMap<string, ReadonlySet<string>>;
}

function sortChanges(changed: Iterable<ChangedObject>): SortedChanges {
  const pods = new Map<string, { readonly namespace: string; readonly name: string }>();
  const objects = new Map<string, Set<string>>();
  let quotas = false;
  let deviceClasses = false;
  for (const { kind, namespace = '', name } of changed) {
    if (kind === 'Pod') {
      pods.set(`${namespace}/${name}`, { namespace, name });
      continue;
    }
    if (kind === 'ResourceQuota') quotas = true;
    if (kind === 'DeviceClass') deviceClasses = true;
    let kinds = objects.get(namespace);
    if (kinds === undefined) objects.set(namespace, (kinds = new Set()));
    kinds.add(kind);
  }
  return { quotas, pods, deviceClasses, objects };
}

/**
 * The former usages of the present quotas. The pod usage of a new quota, or of one that now limits other things or
 * pods, is counted from the former state.
 */
function* stepQuotaChanges(
  former: QuotaUsages,
  state: ClusterState,
  now: number,
): Generator<undefined, { readonly former: QuotaUsages; readonly byNamespace: QuotaUsages['byNamespace'] }> {
  const known = new Map(former.usages.map((usage) => [keyOf(usage.quota), usage]));
  const quotas = quotasOf(state);
  const kept = quotas.map((quota) => {
    const usage = known.get(keyOf(quota));
    return usage !== undefined && countsTheSame(usage.quota, quota) ? usage.of(quota) : undefined;
  });
  const recounted = new Set(quotas.filter((_, index) => kept[index] === undefined).map(namespaceOf));
  const counted = yield* stepCountPods(former.state, former.now, recounted);
  const objects = new ObjectsByNamespace(state, now);
  const usages: QuotaUsage[] = [];
  for (const [index, quota] of quotas.entries()) {
    const usage = kept[index];
    if (usage !== undefined) {
      usages.push(usage);
      continue;
    }
    yield undefined;
    const sums = UsageSums.empty(quota, state.rules).with(counted.tallies.get(namespaceOf(quota)) ?? []);
    usages.push(new QuotaUsage(quota, sums, usageOfObjects(quota, objects)));
  }
  const byNamespace = indexByNamespace(quotas);
  const leaving = new Map(
    [...former.leaving, ...counted.leaving].filter(([, { namespace }]) => byNamespace.has(namespace)),
  );
  return { former: { ...former, usages, byNamespace, leaving }, byNamespace };
}

const keyOf = (quota: ResourceQuota): string => `${namespaceOf(quota)}/${quota.metadata.name}`;

function countsTheSame(a: ResourceQuota, b: ResourceQuota): boolean {
  if (a === b) return true;
  const names = ({ spec }: ResourceQuota): readonly string[] => Object.keys(spec?.hard ?? {}).sort(compare);
  return (
    sameValue(names(a), names(b)) &&
    sameValue(a.spec?.scopes, b.spec?.scopes) &&
    sameValue(a.spec?.scopeSelector, b.spec?.scopeSelector)
  );
}

interface ReadPod extends PodStanding {
  readonly charge: PodCharge;
}

const counted = (pod: ReadPod, count: 1 | -1): CountedCharge => {
  const { charge } = pod;
  return isCharged(pod) ? { charge, active: count, inactive: 0 } : { charge, active: 0, inactive: count };
};

/** The charges of single pods of a state at a time. */
class PodReader {
  private readonly charges: PodCharges;

  constructor(
    private readonly state: ClusterState,
    private readonly now: number,
  ) {
    this.charges = new PodCharges(state);
  }

  read(namespace: string, name: string): ReadPod | undefined {
    const pod = this.state.pods.indexOf(namespace, name);
    return pod < 0 ? undefined : { charge: this.charges.of(pod), ...this.charges.standingOf(pod, this.now) };
  }
}
