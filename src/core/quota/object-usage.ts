import type { ClusterState } from '../cluster/cluster-state.js';
import { grouped } from './grouped.js';
import { KINDS, type KeptKind } from '../kubernetes/kinds.js';
import type { PersistentVolumeClaim } from '../kubernetes/objects/storage.js';
import { decodeQuantity, Quantity, QuantityError } from '../kubernetes/quantity.js';

/** How a quota resource that pods are not charged to is counted. */
export interface CountedObjects {
  readonly kind: KeptKind;
  /** The charge of one object. */
  readonly charge: (object: PersistentVolumeClaim) => Quantity | undefined;
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

/**
 * How a resource is counted; undefined if snapshots do not keep its objects (services, secrets, configmaps), and for
 * devices.
 *
 * A claim is charged its requested storage, in whole bytes. While a failed expansion is being reverted, Kubernetes
 * charges the allocated storage, which snapshots do not keep.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/quota/v1/evaluator/core, persistent_volume_claims.go and registry.go.
 */
export function countedObjects(resource: string): CountedObjects | undefined {
  const kind = COUNTS.get(resource);
  if (kind !== undefined) return { kind, charge: one };
  if (resource === STORAGE) return { kind: 'PersistentVolumeClaim', charge: storageOf };
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

const classOf = ({ metadata: { annotations }, spec }: PersistentVolumeClaim): string =>
  annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';

function storageOf({ spec }: PersistentVolumeClaim): Quantity | undefined {
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
  private readonly kinds = new Map<KeptKind, ReadonlyMap<string, readonly PersistentVolumeClaim[]>>();

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

  private objects(kind: KeptKind): ReadonlyMap<string, readonly PersistentVolumeClaim[]> {
    let byNamespace = this.kinds.get(kind);
    if (byNamespace === undefined) {
      // Only the charges of claims depend on more than the kind.
      const objects = this.state.objects(kind) as readonly PersistentVolumeClaim[];
      byNamespace = grouped(objects, ({ metadata }) => metadata.namespace ?? '');
      this.kinds.set(kind, byNamespace);
    }
    return byNamespace;
  }
}
