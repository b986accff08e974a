import type { Pod } from '../../kubernetes/objects/pod.js';
import { podQos } from '../qos.js';

/** The names of cgroups from the root down, as the kubelet represents them. */
export type CgroupName = readonly string[];

const NODE_ALLOCATABLE = 'kubepods';

/** Guaranteed pods are directly below the node's allocatable cgroup; each other QoS class has its own cgroup there. */
const PARENTS: ReadonlyMap<string, CgroupName> = new Map([
  ['Guaranteed', [NODE_ALLOCATABLE]],
  ['Burstable', [NODE_ALLOCATABLE, 'burstable']],
  ['BestEffort', [NODE_ALLOCATABLE, 'besteffort']],
]);

/** The annotation of a static pod's mirror pod: the UID of the static pod at its kubelet. */
const MIRROR = 'kubernetes.io/config.mirror';

/**
 * The pod's own cgroup, for a kubelet with cgroup root `/` and cgroups per QoS class (both are defaults).
 *
 * The kubelet uses the UID that it knows: that of a static pod differs from the UID of its mirror pod.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/pod_container_manager_linux.go, `GetPodContainerName`;
 * pkg/kubelet/config/common.go, `applyDefaults`; pkg/kubelet/pod/mirror_client.go, `CreateMirrorPod`.
 */
export function podCgroupName(pod: Pick<Pod, 'metadata' | 'spec' | 'status'>): CgroupName {
  const { annotations = {}, uid = '' } = pod.metadata;
  const mirrored = Object.hasOwn(annotations, MIRROR) ? annotations[MIRROR] : undefined;
  return [...(PARENTS.get(podQos(pod)) ?? []), `pod${mirrored ?? uid}`];
}

/** The path of a cgroup below the mounts with the driver `cgroupfs`: `/kubepods/burstable/pod1234-5` (`ToCgroupfs`). */
export function cgroupfsPath(name: CgroupName): string {
  return `/${name.join('/')}`;
}

/**
 * The same path with the driver `systemd`: each slice repeats the names above it, and dashes in names become underscores:
 * `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234_5.slice` (`ToSystemd`).
 */
export function systemdPath(name: CgroupName): string {
  const escaped = name.map((part) => part.replaceAll('-', '_'));
  return escaped.map((_, index) => `/${escaped.slice(0, index + 1).join('-')}.slice`).join('');
}
