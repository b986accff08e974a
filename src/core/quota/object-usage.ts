import type { ClusterState } from '../cluster/cluster-state.js';
import type { ChargingCluster, CountedObjects } from './counted-objects.js';
import { countedDevices } from './device-usage.js';
import { grouped } from './grouped.js';
import { KINDS, type KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { PersistentVolumeClaim } from '../kubernetes/objects/storage.js';
import { decodeQuantity, Quantity, QuantityError } from '../kubernetes/quantity.js';

/** A state as the cluster in which objects are charged. */
export const chargingIn = (state: ClusterState, now: number): ChargingCluster => ({
  rules: state.rules,
  now,
  objects: (kind) => state.objects(kind),
  pod: (namespace, name) => state.find('Pod', namespace, name) as Pod | undefined,
});

const ONE = Quantity.of(1);
const one = (): Quantity => ONE;

/** Object counts of every stored namespaced kind, and the older short names that some of them have. */
const COUNTS: ReadonlyMap<string, KeptKind> = new Map<string, KeptKind>([
  ...KINDS.filter(({ namespaced, kind }) => namespaced && kind !== 'Pod').map(
    ({ kind, plural, apiVersions: [version] }) => {
      const group = version.includes('/') ? `.${version.slice(0, version.indexOf('/'))}` : '';
      return [`count/${plural}${group}`, kind] as const;
    },
  ),
  ['persistentvolumeclaims', 'PersistentVolumeClaim'],
  ['replicationcontrollers', 'ReplicationController'],
  ['resourcequotas', 'ResourceQuota'],
]);

const STORAGE = 'requests.storage';
const CLAIMS = 'persistentvolumeclaims';
const BY_CLASS = '.storageclass.storage.k8s.io/';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/**
 * How a resource is counted; undefined if snapshots do not keep its objects (services, secrets, configmaps).
 *
 * A claim for a volume is charged its requested storage, in whole bytes. While a failed expansion is being reverted, Kubernetes
 * charges the allocated storage, which snapshots do not keep.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/quota/v1/evaluator/core, persistent_volume_claims.go and registry.go.
 */
export function countedObjects(resource: string, cluster: ChargingCluster): CountedObjects | undefined {
  const kind = COUNTS.get(resource);
  if (kind !== undefined) return { kind, charge: one };
  if (resource === STORAGE) return { kind: 'PersistentVolumeClaim', charge: storageOf };
  const ofDevices = countedDevices(resource, cluster);
  if (ofDevices !== undefined) return ofDevices;
  const at = resource.lastIndexOf(BY_CLASS);
  if (at <= 0) return undefined;
  const [className, rest] = [resource.slice(0, at), resource.slice(at + BY_CLASS.length)];
  const ofClass =
    (charge: CountedObjects['charge']): CountedObjects['charge'] =>
    (claim) =>
      classOf(claim) === className ? charge(claim) : undefined;
  if (rest === CLAIMS) return { kind: 'PersistentVolumeClaim', charge: ofClass(one) };
  return rest === STORAGE ? { kind: 'PersistentVolumeClaim', charge: ofClass(storageOf) } : undefined;
}

function classOf(claim: KubernetesObject): string {
  const { metadata, spec } = claim as PersistentVolumeClaim;
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';
}

function storageOf(claim: KubernetesObject): Quantity | undefined {
  const { spec } = claim as PersistentVolumeClaim;
  const asked = spec?.resources?.requests?.['storage'];
  if (asked === undefined) return undefined;
  try {
    return decodeQuantity(asked).roundUp(0);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** Whether the state has what is counted. */
export const isCountable = ({ kind, dependsOn = [] }: CountedObjects, { loadedKinds }: ClusterState): boolean =>
  [kind, ...dependsOn].every((one) => loadedKinds.has(one));

/** Objects of the kinds that quotas count, by namespace; each kind is read once, on first use. */
export class ObjectsByNamespace {
  private readonly kinds = new Map<KeptKind, ReadonlyMap<string, readonly KubernetesObject[]>>();

  readonly cluster: ChargingCluster;

  /** @param now in milliseconds since the epoch */
  constructor(
    private readonly state: ClusterState,
    now: number,
  ) {
    this.cluster = chargingIn(state, now);
  }

  /** The total of a namespace's objects; undefined if what is needed was never loaded. */
  usageOf(counted: CountedObjects, namespace: string): Quantity | undefined {
    if (!isCountable(counted, this.state)) return undefined;
    const { kind, charge } = counted;
    let sum = Quantity.ZERO;
    for (const object of this.objects(kind).get(namespace) ?? []) {
      const amount = charge(object);
      if (amount !== undefined) sum = sum.add(amount);
    }
    return sum;
  }

  private objects(kind: KeptKind): ReadonlyMap<string, readonly KubernetesObject[]> {
    let byNamespace = this.kinds.get(kind);
    if (byNamespace === undefined) {
      byNamespace = grouped(this.state.objects(kind), ({ metadata }) => metadata.namespace ?? '');
      this.kinds.set(kind, byNamespace);
    }
    return byNamespace;
  }
}
