import type { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { grouped } from '../quota/grouped.js';
import { stepCountPods } from '../quota/count-pods.js';
import type { ChargingCluster } from '../quota/counted-objects.js';
import { objectCharge, withUsed } from '../quota/object-admission.js';
import { ObjectsByNamespace } from '../quota/object-usage.js';
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
  /** By namespace; undefined after a change of a quota. */
  private stored: ReadonlyMap<string, readonly ResourceQuota[]> | undefined;

  constructor(private readonly draft: QuotaDraft) {
    this.charging = {
      rules: draft.base.rules,
      now: NO_TIME,
      objects: (kind) => draft.objects(kind),
      pod: (namespace, name) => draft.pod({ namespace, name }),
    };
  }

  /** The quotas of a namespace. */
  *of(namespace: string): Generator<undefined, readonly ResourceQuota[]> {
    const stored = this.storedIn(namespace);
    if (stored.length === 0) return stored;
    const known = this.known.get(namespace) ?? new Map<string, ResourceQuota>();
    const settled: ResourceQuota[] = [];
    for (const quota of stored) {
      const { name } = quota.metadata;
      const found = known.get(name) ?? (yield* this.settle(quota, namespace));
      known.set(name, found);
      settled.push(found);
    }
    this.known.set(namespace, known);
    return settled;
  }

  /** The quotas whose status is another one than in the objects of the scenario. */
  *changed(): Generator<undefined, readonly ResourceQuota[]> {
    const found: ResourceQuota[] = [];
    for (const namespace of new Set([...this.pods.keys(), ...this.objects.keys()])) {
      const settled = yield* this.of(namespace);
      const stored = this.storedIn(namespace);
      found.push(...settled.filter((quota, index) => quota !== stored[index]));
    }
    return found;
  }

  /** The quotas of a namespace as they are in the objects of the scenario. */
  private storedIn(namespace: string): readonly ResourceQuota[] {
    this.stored ??= grouped(
      this.draft.objects('ResourceQuota') as readonly ResourceQuota[],
      ({ metadata }) => metadata.namespace ?? '',
    );
    return this.stored.get(namespace) ?? [];
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
    if (kind === 'ResourceQuota') {
      if (after !== null) this.put.add(`${namespace}/${name}`);
      known?.delete(name);
      this.stored = undefined;
    }
    if (known === undefined) return;
    const before = this.draft.find(kind, name, namespace);
    this.move(known, { pods: [], ...cameAndLeft(before, after ?? undefined) });
  }

  private move(known: Map<string, ResourceQuota>, difference: Difference): void {
    for (const [name, quota] of known) known.set(name, this.moved(quota, difference));
  }

  private *settle(quota: ResourceQuota, namespace: string): Generator<undefined, ResourceQuota> {
    const isPut = this.put.has(`${namespace}/${quota.metadata.name}`);
    const start = isPut ? yield* this.counted(quota, namespace) : quota;
    const pods: CountedCharge[] = [];
    let turn = 0;
    for (const name of this.pods.get(namespace) ?? []) {
      if (++turn % STRIDE === 0) yield undefined;
      const index = this.draft.base.pods.indexOf(namespace, name);
      const before = index < 0 ? undefined : this.draft.base.pods.pod(index);
      pods.push(...this.chargesOf(before, this.draft.pod({ namespace, name })));
    }
    const objects = isPut
      ? []
      : [...(this.objects.get(namespace)?.values() ?? [])].map(({ kind, name }) =>
          cameAndLeft(this.draft.base.find(kind, namespace, name), this.draft.find(kind, name, namespace)),
        );
    return this.moved(start, {
      pods,
      came: objects.flatMap(({ came }) => came),
      left: objects.flatMap(({ left }) => left),
    });
  }

  /** A quota with the status that the controller would write for the pods of the base state and the other objects of the scenario. */
  private *counted(quota: ResourceQuota, namespace: string): Generator<undefined, ResourceQuota> {
    const { base, admissionState } = this.draft;
    const { tallies } = yield* stepCountPods(base, NO_TIME, new Set([namespace]));
    const sums = UsageSums.empty(quota, base.rules).with(tallies.get(namespace) ?? []);
    const usage = new QuotaUsage(quota, sums, usageOfObjects(quota, new ObjectsByNamespace(admissionState, NO_TIME)));
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
