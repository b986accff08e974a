import type { ClusterState } from '../cluster/cluster-state.js';
import { grouped } from './grouped.js';
import { KINDS, type KeptKind } from '../kubernetes/kinds.js';
import type { PersistentVolumeClaim } from '../kubernetes/objects/storage.js';
import { decodeQuantity, Quantity, QuantityError } from '../kubernetes/quantity.js';

/** How a resource of a quota is counted that pods are not charged to. */
export interface CountedObjects {
  readonly kind: KeptKind;
  /** What one object is charged. */
  readonly charge: (object: PersistentVolumeClaim) => Quantity | undefined;
}

const ONE = Quantity.of(1);
const one = (): Quantity => ONE;

/** Object counts of every kept kind that has namespaces, and the short names that some of them have from before. */
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
 * How a resource is counted; undefined for one whose objects no snapshot keeps (services, secrets, configmaps), and for devices.
 *
 * A claim is charged the storage that it asks for, in whole bytes. While an expansion that failed is being taken back Kubernetes
 * charges what is allocated, which no snapshot keeps.
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

/** Objects of the kinds that quotas count, by namespace; each kind is gone through once, when it is asked for first. */
export class ObjectsByNamespace {
  private readonly kinds = new Map<KeptKind, ReadonlyMap<string, readonly PersistentVolumeClaim[]>>();

  constructor(private readonly state: ClusterState) {}

  /** What a namespace's objects add up to; undefined where their kind is not among those loaded. */
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
      // Only the charges of claims look beyond the kind.
      const objects = this.state.objects(kind) as readonly PersistentVolumeClaim[];
      byNamespace = grouped(objects, ({ metadata }) => metadata.namespace ?? '');
      this.kinds.set(kind, byNamespace);
    }
    return byNamespace;
  }
}
