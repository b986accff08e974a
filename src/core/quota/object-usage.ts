import type { ClusterState } from '../cluster/cluster-state.js';
import { grouped } from './grouped.js';
import { KINDS, type KeptKind } from '../kubernetes/kinds.js';
import type { DeviceRequest, ExactDeviceRequest, ResourceClaim } from '../kubernetes/objects/dra.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { PersistentVolumeClaim } from '../kubernetes/objects/storage.js';
import { decodeQuantity, Quantity, QuantityError } from '../kubernetes/quantity.js';

/** How a quota resource that pods are not charged to is counted. */
export interface CountedObjects {
  readonly kind: KeptKind;
  /** The charge of one object of the kind. */
  readonly charge: (object: KubernetesObject) => Quantity | undefined;
}

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
const DEVICES_OF_CLASS = '.deviceclass.resource.k8s.io/devices';
/** What a request for all devices is charged: an allocation has no more (`AllocationResultsMaxSize`). */
const MOST_DEVICES = 32n;

/**
 * How a resource is counted; undefined if snapshots do not keep its objects (services, secrets, configmaps).
 *
 * A claim for a volume is charged its requested storage, in whole bytes. While a failed expansion is being reverted, Kubernetes
 * charges the allocated storage, which snapshots do not keep.
 *
 * A claim for devices is charged, by class, what it asks for: of alternatives the greatest number, and for all devices 32.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/quota/v1/evaluator/core, persistent_volume_claims.go, resource_claims.go and registry.go.
 */
export function countedObjects(resource: string): CountedObjects | undefined {
  const kind = COUNTS.get(resource);
  if (kind !== undefined) return { kind, charge: one };
  if (resource === STORAGE) return { kind: 'PersistentVolumeClaim', charge: storageOf };
  if (resource.endsWith(DEVICES_OF_CLASS)) {
    const deviceClass = resource.slice(0, -DEVICES_OF_CLASS.length);
    return { kind: 'ResourceClaim', charge: (claim) => devicesOf(claim, deviceClass) };
  }
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

/** The devices of a class that a claim is charged; undefined if it asks for none. */
function devicesOf(claim: KubernetesObject, deviceClass: string): Quantity | undefined {
  const requests = (claim as ResourceClaim).spec?.devices?.requests ?? [];
  const charges = requests.flatMap((request) => {
    const asked = alternativesOf(request).filter(({ deviceClassName }) => deviceClassName === deviceClass);
    return asked.length === 0 ? [] : [asked.map(countOf).reduce((most, count) => (count > most ? count : most))];
  });
  return charges.length === 0 ? undefined : Quantity.of(charges.reduce((sum, count) => sum + count));
}

const alternativesOf = ({ exactly, firstAvailable = [] }: DeviceRequest): readonly ExactDeviceRequest[] =>
  firstAvailable.length > 0 || exactly === undefined ? firstAvailable : [exactly];

function countOf({ allocationMode, count = 0 }: ExactDeviceRequest): bigint {
  if (allocationMode === 'All') return MOST_DEVICES;
  return allocationMode === 'ExactCount' ? BigInt(count) : 0n;
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

/** Objects of the kinds that quotas count, by namespace; each kind is read once, on first use. */
export class ObjectsByNamespace {
  private readonly kinds = new Map<KeptKind, ReadonlyMap<string, readonly KubernetesObject[]>>();

  constructor(private readonly state: ClusterState) {}

  /** The total of a namespace's objects; undefined if their kind was never loaded. */
  usageOf({ kind, charge }: CountedObjects, namespace: string): Quantity | undefined {
    if (!this.state.loadedKinds.has(kind)) return undefined;
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
