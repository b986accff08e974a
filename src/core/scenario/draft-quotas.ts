import type { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { stepCountPods } from '../quota/count-pods.js';
import type { ChargingCluster } from '../quota/counted-objects.js';
import { objectCharge, withUsed } from '../quota/object-admission.js';
import { countedObjects, ObjectsByNamespace } from '../quota/object-usage.js';
import { podCharge } from '../quota/pod-charge.js';
import { QuotaUsage, usageOfObjects } from '../quota/quota-usage.js';
import { UsageSums, type CountedCharge } from '../quota/usage-sums.js';

/** Used as the current time: a pod that is being deleted always counts, because a scenario has no clock. */
const NO_TIME = 0;
/** Pods processed between two yields. */
const STRIDE = 256;

/** What quotas read of a scenario. */
export interface QuotaDraft {
  readonly base: ClusterState;
  /** With the changes so far, except those of nodes and pods. */
  readonly admissionState: ClusterState;
  /** The objects of a kind with the changes so far. */
  readonly objects: (kind: KeptKind) => readonly KubernetesObject[];
  readonly pod: (name: { readonly namespace: string; readonly name: string }) => Pod | undefined;
  readonly find: (kind: KeptKind, name: string, namespace?: string) => KubernetesObject | undefined;
}

interface Counts {
  readonly tally: readonly CountedCharge[];
  readonly objects: ObjectsByNamespace;
}

const NO_QUOTAS: ReadonlyMap<string, ResourceQuota> = new Map();

interface Difference {
  readonly pods: readonly CountedCharge[];
  readonly came: readonly KubernetesObject[];
  readonly left: readonly KubernetesObject[];
}

/**
 * The quotas of a scenario, with `status.used` as of the changes so far: each change is charged what those before it have left.
 *
 * A stored quota keeps its status, to which the difference that the changes make is added, so that earlier deviations of the status from the
 * real usage remain. A quota that the scenario put has the status that the controller would write.
 */
export class DraftQuotas {
  /** By namespace and name; only those of namespaces that somebody has asked for. */
  private readonly known = new Map<string, Map<string, ResourceQuota>>();
  /** Names of the pods that differ from the base state, by namespace. */
  private readonly pods = new Map<string, Set<string>>();
  /** The same of other objects. */
  private readonly objects = new Map<string, Map<string, { readonly kind: KeptKind; readonly name: string }>>();
  /** `namespace/name` of the quotas that the scenario put. */
  private readonly put = new Set<string>();
  private readonly charging: ChargingCluster;
  /** As they are in the objects of the scenario, by namespace and name. */
  private readonly stored = new Map<string, Map<string, ResourceQuota>>();
  /** What the quotas of a namespace limit, as far as somebody has asked; more after a change of a limit. */
  private readonly limited = new Map<string, Set<string>>();
  /** The pods of the base state, by namespace. */
  private readonly tallies = new Map<string, readonly CountedCharge[]>();

  constructor(private readonly draft: QuotaDraft) {
    for (const quota of draft.base.objects('ResourceQuota') as readonly ResourceQuota[]) {
      const { namespace = '', name } = quota.metadata;
      this.note(namespace, name, quota);
    }
    this.charging = {
      rules: draft.base.rules,
      now: NO_TIME,
      objects: (kind) => draft.objects(kind),
      pod: (namespace, name) => draft.pod({ namespace, name }),
    };
  }

  /** The quotas of a namespace. */
  *of(namespace: string): Generator<undefined, readonly ResourceQuota[]> {
    const stored = [...this.storedIn(namespace).values()];
    if (stored.length === 0) return stored;
    const known = this.known.get(namespace) ?? new Map<string, ResourceQuota>();
    const missing = stored.filter(({ metadata }) => !known.has(metadata.name));
    if (missing.length > 0) {
      const differences = yield* this.differencesIn(namespace);
      const counts = missing.some((quota) => this.isPut(quota)) ? yield* this.countsIn(namespace) : undefined;
      for (const [turn, quota] of missing.entries()) {
        if (turn % STRIDE === STRIDE - 1) yield undefined;
        const settled =
          counts !== undefined && this.isPut(quota)
            ? this.moved(this.counted(quota, counts), { pods: differences.pods, came: [], left: [] })
            : this.moved(quota, differences);
        known.set(quota.metadata.name, settled);
      }
      this.known.set(namespace, known);
    }
    return stored.map(({ metadata }) => known.get(metadata.name)!);
  }

  /** The quotas whose status is another one than in the objects of the scenario. */
  *changed(): Generator<undefined, readonly ResourceQuota[]> {
    const found: ResourceQuota[] = [];
    for (const namespace of new Set([...this.pods.keys(), ...this.objects.keys()])) {
      const settled = yield* this.of(namespace);
      const stored = this.storedIn(namespace);
      found.push(...settled.filter((quota) => quota !== stored.get(quota.metadata.name)));
    }
    return found;
  }

  /** The quotas of a namespace as they are in the objects of the scenario, by name. */
  private storedIn(namespace: string): ReadonlyMap<string, ResourceQuota> {
    return this.stored.get(namespace) ?? NO_QUOTAS;
  }

  private isPut({ metadata: { namespace = '', name } }: ResourceQuota): boolean {
    return this.put.has(`${namespace}/${name}`);
  }

  /** Whether a quota of its namespace limits what an object is charged. */
  mayCharge({ kind, metadata: { namespace = '' } }: KubernetesObject): boolean {
    let limited = this.limited.get(namespace);
    if (limited === undefined) {
      limited = new Set<string>();
      for (const { spec } of this.storedIn(namespace).values()) {
        for (const resource of Object.keys(spec?.hard ?? {})) limited.add(resource);
      }
      this.limited.set(namespace, limited);
    }
    return [...limited].some((resource) => countedObjects(resource, this.charging)?.kind === kind);
  }

  /** What a new object is charged of a quota. */
  readonly chargeOf = (quota: ResourceQuota, object: KubernetesObject): ResourceAmounts =>
    objectCharge(quota, object, this.charging);

  /** A pod is about to come, to change, or to leave. */
  podChanges(namespace: string, name: string, after: Pod | undefined): void {
    add(this.pods, namespace, name);
    const known = this.known.get(namespace);
    if (known === undefined) return;
    const before = this.draft.pod({ namespace, name });
    this.move(known, { pods: this.chargesOf(before, after), came: [], left: [] });
  }

  /** The same of another object. */
  objectChanges(kind: KeptKind, namespace: string, name: string, after: KubernetesObject | null): void {
    const own = this.objects.get(namespace) ?? new Map<string, { readonly kind: KeptKind; readonly name: string }>();
    this.objects.set(namespace, own.set(`${kind} ${name}`, { kind, name }));
    const known = this.known.get(namespace);
    const before = this.draft.find(kind, name, namespace);
    if (known !== undefined) {
      const difference = cameAndLeft(before, after ?? undefined);
      if ([...difference.came, ...difference.left].some((object) => this.mayCharge(object))) {
        this.move(known, { pods: [], ...difference });
      }
    }
    if (kind !== 'ResourceQuota') return;
    if (after !== null) this.put.add(`${namespace}/${name}`);
    this.note(namespace, name, after as ResourceQuota | null);
    known?.delete(name);
  }

  /** A quota is there, or is no more. */
  private note(namespace: string, name: string, quota: ResourceQuota | null): void {
    const ofNamespace = this.stored.get(namespace) ?? new Map<string, ResourceQuota>();
    if (quota === null) {
      ofNamespace.delete(name);
      this.limited.delete(namespace);
    } else {
      ofNamespace.set(name, quota);
      const limited = this.limited.get(namespace);
      for (const resource of Object.keys(quota.spec?.hard ?? {})) limited?.add(resource);
    }
    this.stored.set(namespace, ofNamespace);
  }

  private move(known: Map<string, ResourceQuota>, difference: Difference): void {
    for (const [name, quota] of known) known.set(name, this.moved(quota, difference));
  }

  /** What the changes so far have added to a namespace and taken from it. */
  private *differencesIn(namespace: string): Generator<undefined, Difference> {
    const { base } = this.draft;
    const pods: CountedCharge[] = [];
    let turn = 0;
    for (const name of this.pods.get(namespace) ?? []) {
      if (++turn % STRIDE === 0) yield undefined;
      const index = base.pods.indexOf(namespace, name);
      const before = index < 0 ? undefined : base.pods.pod(index);
      pods.push(...this.chargesOf(before, this.draft.pod({ namespace, name })));
    }
    const objects = [...(this.objects.get(namespace)?.values() ?? [])].map(({ kind, name }) =>
      cameAndLeft(base.find(kind, namespace, name), this.draft.find(kind, name, namespace)),
    );
    const charged = (list: readonly KubernetesObject[]): readonly KubernetesObject[] =>
      list.filter((object) => this.mayCharge(object));
    return {
      pods,
      came: charged(objects.flatMap(({ came }) => came)),
      left: charged(objects.flatMap(({ left }) => left)),
    };
  }

  /** The pods of the base state, and the other objects of the scenario. */
  private *countsIn(namespace: string): Generator<undefined, Counts> {
    const { base, admissionState } = this.draft;
    let tally = this.tallies.get(namespace);
    if (tally === undefined) {
      const counted = yield* stepCountPods(base, NO_TIME, new Set([namespace]));
      this.tallies.set(namespace, (tally = counted.tallies.get(namespace) ?? []));
    }
    return { tally, objects: new ObjectsByNamespace(admissionState, NO_TIME) };
  }

  /** A quota with the status that the controller would write. */
  private counted(quota: ResourceQuota, { tally, objects }: Counts): ResourceQuota {
    const sums = UsageSums.empty(quota, this.draft.base.rules).with(tally);
    const usage = new QuotaUsage(quota, sums, usageOfObjects(quota, objects));
    const used = usage.resources().flatMap(({ resource, used: amount, reported }) => {
      const known = amount ?? reported;
      return known === undefined ? [] : [[resource, known] as const];
    });
    return withUsed({ ...quota, status: { hard: quota.spec?.hard ?? {} } }, new Map(used));
  }

  private chargesOf(before: Pod | undefined, after: Pod | undefined): readonly CountedCharge[] {
    const { rules } = this.draft.base;
    return [
      { pod: before, count: -1 },
      { pod: after, count: 1 },
    ].flatMap(({ pod, count }): readonly CountedCharge[] => {
      if (pod === undefined) return [];
      const charge = podCharge(pod, rules);
      return [{ charge, active: charge.ended ? 0 : count, inactive: charge.ended ? count : 0 }];
    });
  }

  private moved(quota: ResourceQuota, { pods, came, left }: Difference): ResourceQuota {
    if (quota.status?.used === undefined || pods.length + came.length + left.length === 0) return quota;
    const sums = UsageSums.empty(quota, this.draft.base.rules).with(pods);
    const used = parseResourceList(quota.status.used);
    for (const [resource, amount] of used) used.set(resource, amount.add(sums.of(resource) ?? Quantity.ZERO));
    for (const [objects, sign] of [
      [came, 1],
      [left, -1],
    ] as const) {
      for (const object of objects) {
        for (const [resource, charge] of this.chargeOf(quota, object)) {
          const amount = used.get(resource);
          if (amount !== undefined) used.set(resource, sign > 0 ? amount.add(charge) : amount.sub(charge));
        }
      }
    }
    return withUsed(quota, used);
  }
}

const cameAndLeft = (
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): Pick<Difference, 'came' | 'left'> => ({
  came: after === undefined ? [] : [after],
  left: before === undefined ? [] : [before],
});

function add(sets: Map<string, Set<string>>, key: string, one: string): void {
  const found = sets.get(key);
  if (found === undefined) sets.set(key, new Set([one]));
  else found.add(one);
}
