import type { WholePodSpec, WholeVolume } from '../kubernetes/objects/whole-pod.js';

/**
 * The names of the secrets that a pod refers to; empty ones do not count.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/api/pod/util.go, `VisitPodSecretNames`.
 */
export function podSecretNames(spec: WholePodSpec): readonly string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  return [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...containers.flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(volumeSecretNames),
  ].filter((name): name is string => name !== undefined && name !== '');
}

function volumeSecretNames(volume: WholeVolume): readonly (string | undefined)[] {
  const { secret, azureFile, projected, csi } = volume;
  const { cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos } = volume;
  return [
    secret?.secretName,
    azureFile?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
    ...[cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos].map((source) => source?.secretRef?.name),
  ];
}
