import { stringMapOf } from './containers.js';

/**
 * The annotations that some rule reads. All others are dropped, because they may contain anything, including secrets.
 */
const KEPT = new Set([
  'kubernetes.io/config.source',
  'kubernetes.io/config.mirror',
  'kubernetes.io/config.hash',
  'kubernetes.io/enforce-mountable-secrets',
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'pv.kubernetes.io/provisioned-by',
  'volume.beta.kubernetes.io/storage-class',
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/selected-node',
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
  'storage.alpha.kubernetes.io/migrated-plugins',
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
  'cluster.x-k8s.io/taints-from-machine',
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size',
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size',
  'cluster.x-k8s.io/cluster-name',
  'cluster.x-k8s.io/owner-kind',
  'cluster.x-k8s.io/owner-name',
  'cluster.x-k8s.io/paused',
  'machine.openshift.io/GPU',
  'machine.openshift.io/cluster-api-autoscaler-node-group-max-size',
  'machine.openshift.io/cluster-api-autoscaler-node-group-min-size',
  'machine.openshift.io/machine',
  'machine.openshift.io/maxPods',
  'machine.openshift.io/memoryMb',
  'machine.openshift.io/vCPU',
  'karpenter.sh/do-not-disrupt',
  'kueue.x-k8s.io/pod-group-total-count',
  'karpenter.sh/do-not-evict',
  'deprecated.daemonset.template.generation',
  'resource.kubernetes.io/pod-claim-name',
  'resource.kubernetes.io/extended-resource-claim',
  'seccomp.security.alpha.kubernetes.io/pod',
]);

const KEPT_PREFIXES = [
  'capacity.cluster-autoscaler.kubernetes.io/',
  'scheduler.alpha.kubernetes.io/',
  'container.apparmor.security.beta.kubernetes.io/',
  'container.seccomp.security.alpha.kubernetes.io/',
];

export const isKeptAnnotation = (key: string): boolean =>
  KEPT.has(key) || KEPT_PREFIXES.some((prefix) => key.startsWith(prefix));

/** `metadata.annotations` with only the kept keys. */
export const keptAnnotations = stringMapOf(isKeptAnnotation);
