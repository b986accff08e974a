import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ClaimToMake, PersistentVolumeClaimSpec, StorageClass } from '../kubernetes/objects/storage.js';
import type { VolumeClaimTemplate, Workload } from '../kubernetes/objects/workloads.js';

/** The claim templates of a workload; only StatefulSets have any. */
export function claimTemplatesOf(object: Pod | Workload): readonly VolumeClaimTemplate[] {
  return object.kind === 'StatefulSet' ? (object.spec?.volumeClaimTemplates ?? []) : [];
}

/** The pod under another name, with the volumes of its workload's claim templates renamed after it. */
export function podNamed(pod: Pod, name: string, templates: readonly VolumeClaimTemplate[]): Pod {
  const named = { ...pod, metadata: { ...pod.metadata, name } };
  if (templates.length === 0) return named;
  const ofTemplates = new Set(templates.map(({ metadata }) => metadata?.name));
  const volumes = (pod.spec.volumes ?? []).map((volume) =>
    ofTemplates.has(volume.name)
      ? { ...volume, persistentVolumeClaim: { claimName: `${volume.name}-${name}` } }
      : volume,
  );
  return { ...named, spec: { ...pod.spec, volumes } };
}

/**
 * The claims that controllers make before the scheduler can place a pod, as far as they do not exist yet: one for each claim template
 * of its StatefulSet, and one for each ephemeral volume. Each has the class that the API server gives it by default.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/statefulset/stateful_set_utils.go, `getPersistentVolumeClaims`;
 * pkg/controller/volume/ephemeral/controller.go, `handleVolume`.
 */
export function claimsToMake(
  state: ClusterState,
  pod: Pod,
  templates: readonly VolumeClaimTemplate[],
): readonly ClaimToMake[] {
  if (!state.loadedKinds.has('PersistentVolumeClaim')) return [];
  const { name: podName, namespace = 'default', uid } = pod.metadata;
  const claims: ClaimToMake[] = [];
  const make = (name: string, spec: PersistentVolumeClaimSpec | undefined, metadata: object = {}): void => {
    if (state.find('PersistentVolumeClaim', namespace, name) !== undefined) return;
    claims.push({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { ...metadata, name, namespace },
      spec: withDefaultClass(state, spec ?? {}, metadata),
      status: { phase: 'Pending' },
      isToBeMade: true,
    });
  };
  for (const { metadata, spec } of templates) {
    if (metadata?.name === undefined) continue;
    make(`${metadata.name}-${podName}`, spec, defined({ labels: metadata.labels, annotations: metadata.annotations }));
  }
  for (const { name, ephemeral, persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (ephemeral === undefined || persistentVolumeClaim !== undefined) continue;
    const owner = { apiVersion: 'v1', kind: 'Pod', name: podName, controller: true, ...defined({ uid }) };
    make(`${podName}-${name}`, ephemeral.volumeClaimTemplate?.spec, { ownerReferences: [owner] });
  }
  return claims;
}

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

function withDefaultClass(
  state: ClusterState,
  spec: PersistentVolumeClaimSpec,
  { annotations }: { readonly annotations?: Readonly<Record<string, string>> },
): PersistentVolumeClaimSpec {
  if (spec.storageClassName !== undefined || Object.hasOwn(annotations ?? {}, BETA_CLASS)) return spec;
  return { ...spec, ...defined({ storageClassName: defaultStorageClass(state)?.metadata.name }) };
}

/**
 * The class of claims that name none: the newest of those that are marked as default, of equally new ones the first by name.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/volume/util/storageclass.go, `GetDefaultClass`.
 */
export function defaultStorageClass(state: ClusterState): StorageClass | undefined {
  const classes = state.objects('StorageClass') as readonly StorageClass[];
  const madeAt = ({ metadata }: StorageClass): string => metadata.creationTimestamp ?? '';
  return classes
    .filter(isDefault)
    .sort((a, b) => compare(madeAt(b), madeAt(a)) || compare(a.metadata.name, b.metadata.name))[0];
}

const DEFAULT_MARKS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const isDefault = ({ metadata: { annotations = {} } }: StorageClass): boolean =>
  DEFAULT_MARKS.some((mark) => Object.hasOwn(annotations, mark) && annotations[mark] === 'true');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
