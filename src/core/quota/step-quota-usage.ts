import { compare } from '../json/compare.js';
import { sameValue } from '../json/same-value.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { grouped } from './grouped.js';
import { ObjectsByNamespace } from './object-usage.js';
import { PodCharges, type PodCharge } from './pod-charge.js';
import { QuotaUsage, usageOfObjects } from './quota-usage.js';
import { canBeTakenAway, UsageSums, type CountedCharge } from './usage-sums.js';

/** Pods between two turns of the generator. */
const STRIDE = 1024;
/** Distinct charges that are held against quotas between two turns. */
const MATCHES = 256;

/** What every ResourceQuota of a state has used, as the resource quota controller would count it. */
export interface QuotaUsages {
  readonly state: ClusterState;
  /** The moment that it holds for, in milliseconds since the epoch: by then some pods that are being deleted count no more. */
  readonly now: number;
  /** By namespace and name. */
  readonly usages: readonly QuotaUsage[];
  /** By namespace, the indexes of its quotas. */
  readonly byNamespace: ReadonlyMap<string, readonly number[]>;
  /** Pods of these namespaces that will count no more from some moment on, or did until then. */
  readonly leaving: ReadonlyMap<string, LeavingPod>;
}

interface LeavingPod {
  readonly namespace: string;
  readonly name: string;
  /** In nanoseconds since the epoch. */
  readonly countsUntil: bigint;
}

/** An object that differs between two states: it came, went, or changed. */
export interface ChangedObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/**
 * What the quotas of a state have used. A generator, so that the caller can let others run in between; it yields nothing.
 *
 * Pods with one spec and one status are charged alike, so a namespace's pods are counted by those, and each that there is held
 * against the namespace's quotas once. The result is that of `recountQuota` for each quota.
 *
 * @param now in milliseconds since the epoch
 */
export function* stepQuotaUsage(
  state: ClusterState,
  { now }: { readonly now: number },
): Generator<undefined, QuotaUsages> {
  const quotas = quotasOf(state);
  const byNamespace = indexByNamespace(quotas);
  const counted = yield* stepCount(state, now, new Set(byNamespace.keys()));
  const objects = new ObjectsByNamespace(state);
  const usages: QuotaUsage[] = [];
  let steps = 0;
  for (const quota of quotas) {
    const tally = counted.tallies.get(namespaceOf(quota)) ?? [];
    steps += tally.length + 1;
    if (steps >= MATCHES) {
      steps = 0;
      yield undefined;
    }
    usages.push(new QuotaUsage(quota, UsageSums.empty(quota).with(tally), usageOfObjects(quota, objects)));
  }
  return { state, now, usages, byNamespace, leaving: counted.leaving };
}

/**
 * What the quotas have used after some objects have changed, or at another moment: quotas in whose namespace nothing has changed are taken
 * over, and those of a pod that has are charged with the difference, so that it costs what has changed.
 *
 * @param former of an earlier state
 * @param changed every Pod, ResourceQuota and counted object that differs between that state and this one; others may be among them
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
  const base = changes.quotas ? yield* stepQuotaChanges(former, state) : { former, byNamespace: former.byNamespace };
  const { byNamespace } = base;
  const leaving = new Map(base.former.leaving);
  const pods = new Map(changes.pods);
  for (const [key, pod] of leaving) if (counts(pod, former.now) !== counts(pod, now)) pods.set(key, pod);

  const usages = [...base.former.usages];
  const anew = new Set<string>();
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
    if (was !== undefined && !canBeTakenAway(was.charge)) anew.add(namespace);
    for (const row of rows) usages[row] = usages[row]!.withPods(difference);
    if (is?.countsUntil === undefined) leaving.delete(key);
    else leaving.set(key, { namespace, name, countsUntil: is.countsUntil });
  }

  if (anew.size > 0) {
    const { tallies } = yield* stepCount(state, now, anew);
    for (const namespace of anew) {
      for (const row of byNamespace.get(namespace) ?? []) {
        yield undefined;
        const { quota, objects } = usages[row]!;
        usages[row] = new QuotaUsage(quota, UsageSums.empty(quota).with(tallies.get(namespace) ?? []), objects);
      }
    }
  }

  const objects = new ObjectsByNamespace(state);
  for (const { namespace, kinds } of changes.objects.values()) {
    for (const row of byNamespace.get(namespace) ?? []) {
      yield undefined;
      const usage = usages[row]!;
      usages[row] = usage.withObjects(usageOfObjects(usage.quota, objects, { kinds, former: usage.objects }));
    }
  }
  yield undefined;
  return { state, now, usages, byNamespace, leaving };
}

const namespaceOf = ({ metadata }: ResourceQuota): string => metadata.namespace ?? '';

const quotasOf = (state: ClusterState): readonly ResourceQuota[] =>
  state.objects('ResourceQuota') as readonly ResourceQuota[];

function indexByNamespace(quotas: readonly ResourceQuota[]): ReadonlyMap<string, readonly number[]> {
  return grouped(quotas.keys(), (index) => namespaceOf(quotas[index]!));
}

interface Counted {
  readonly tallies: ReadonlyMap<string, readonly CountedCharge[]>;
  readonly leaving: ReadonlyMap<string, LeavingPod>;
}

type Tally = { -readonly [Key in keyof CountedCharge]: CountedCharge[Key] };

/** Counts the pods of some namespaces by what they are charged. */
function* stepCount(state: ClusterState, now: number, namespaces: ReadonlySet<string>): Generator<undefined, Counted> {
  const tallies = new Map<string, Map<PodCharge, Tally>>([...namespaces].map((namespace) => [namespace, new Map()]));
  const leaving = new Map<string, LeavingPod>();
  const { pods } = state;
  const charges = new PodCharges(pods);
  for (let pod = 0; pod < pods.count && tallies.size > 0; pod++) {
    if (pod % STRIDE === 0) yield undefined;
    const namespace = pods.namespace(pod);
    const ofNamespace = tallies.get(namespace);
    if (ofNamespace === undefined) continue;
    const charge = charges.of(pod);
    let tally = ofNamespace.get(charge);
    if (tally === undefined) ofNamespace.set(charge, (tally = { charge, active: 0, inactive: 0 }));
    const countsUntil = charge.ended ? undefined : charges.countsUntil(pod);
    if (countsUntil !== undefined) leaving.set(pods.key(pod), { namespace, name: pods.name(pod), countsUntil });
    if (charge.ended || (countsUntil !== undefined && !counts({ countsUntil }, now))) tally.inactive += 1;
    else tally.active += 1;
  }
  return { tallies: new Map([...tallies].map(([namespace, tally]) => [namespace, [...tally.values()]])), leaving };
}

const counts = ({ countsUntil }: { readonly countsUntil: bigint }, now: number): boolean =>
  BigInt(Math.floor(now)) * 1_000_000n <= countsUntil;

interface SortedChanges {
  readonly quotas: boolean;
  readonly pods: ReadonlyMap<string, { readonly namespace: string; readonly name: string }>;
  /** By namespace, kinds whose objects may be counted. */
  readonly objects: ReadonlyMap<string, { readonly namespace: string; readonly kinds: ReadonlySet<string> }>;
}

function sortChanges(changed: Iterable<ChangedObject>): SortedChanges {
  const pods = new Map<string, { readonly namespace: string; readonly name: string }>();
  const objects = new Map<string, { readonly namespace: string; readonly kinds: Set<string> }>();
  let quotas = false;
  for (const { kind, namespace = '', name } of changed) {
    if (kind === 'Pod') {
      pods.set(`${namespace}/${name}`, { namespace, name });
      continue;
    }
    if (kind === 'ResourceQuota') quotas = true;
    let ofNamespace = objects.get(namespace);
    if (ofNamespace === undefined) objects.set(namespace, (ofNamespace = { namespace, kinds: new Set() }));
    ofNamespace.kinds.add(kind);
  }
  return { quotas, pods, objects };
}

/**
 * The former usages, of the quotas that there are now. What pods have used of a quota that came, or that bounds other things
 * or pods than before, is counted from the former state's.
 */
function* stepQuotaChanges(
  former: QuotaUsages,
  state: ClusterState,
): Generator<undefined, { readonly former: QuotaUsages; readonly byNamespace: QuotaUsages['byNamespace'] }> {
  const known = new Map(former.usages.map((usage) => [keyOf(usage.quota), usage]));
  const quotas = quotasOf(state);
  const kept = quotas.map((quota) => {
    const usage = known.get(keyOf(quota));
    return usage !== undefined && countsTheSame(usage.quota, quota) ? usage.of(quota) : undefined;
  });
  const anew = new Set(quotas.filter((_, index) => kept[index] === undefined).map(namespaceOf));
  const counted = yield* stepCount(former.state, former.now, anew);
  const objects = new ObjectsByNamespace(state);
  const usages: QuotaUsage[] = [];
  for (const [index, quota] of quotas.entries()) {
    const usage = kept[index];
    if (usage !== undefined) {
      usages.push(usage);
      continue;
    }
    yield undefined;
    const sums = UsageSums.empty(quota).with(counted.tallies.get(namespaceOf(quota)) ?? []);
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

interface ReadPod {
  readonly charge: PodCharge;
  readonly active: boolean;
  readonly countsUntil: bigint | undefined;
}

const counted = ({ charge, active }: ReadPod, count: 1 | -1): CountedCharge => ({
  charge,
  active: active ? count : 0,
  inactive: active ? 0 : count,
});

/** What single pods of a state are charged at a moment. */
class PodReader {
  private readonly charges: PodCharges;

  constructor(
    private readonly state: ClusterState,
    private readonly now: number,
  ) {
    this.charges = new PodCharges(state.pods);
  }

  read(namespace: string, name: string): ReadPod | undefined {
    const pod = this.state.pods.indexOf(namespace, name);
    if (pod < 0) return undefined;
    const charge = this.charges.of(pod);
    const countsUntil = charge.ended ? undefined : this.charges.countsUntil(pod);
    const overdue = countsUntil !== undefined && !counts({ countsUntil }, this.now);
    return { charge, active: !charge.ended && !overdue, countsUntil };
  }
}
