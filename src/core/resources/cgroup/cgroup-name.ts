import type { Pod } from '../../kubernetes/objects/pod.js';
import { podQos } from '../qos.js';

/** The names of cgroups from the root down, as the kubelet keeps them for itself. */
export type CgroupName = readonly string[];

const NODE_ALLOCATABLE = 'kubepods';

/** Guaranteed pods stand directly below the node's allocatable cgroup; the other classes have one of their own there. */
const PARENTS: ReadonlyMap<string, CgroupName> = new Map([
  ['Guaranteed', [NODE_ALLOCATABLE]],
  ['Burstable', [NODE_ALLOCATABLE, 'burstable']],
  ['BestEffort', [NODE_ALLOCATABLE, 'besteffort']],
]);

/** On the mirror pod that stands in the API for a static pod: the UID that the static pod has at its kubelet. */
const MIRROR = 'kubernetes.io/config.mirror';

/**
 * The pod's own cgroup, for a kubelet with cgroup root `/` and cgroups per QoS (both the defaults).
 *
 * The kubelet goes by the UID that it knows: a static pod's is not that of its mirror pod in the API.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/pod_container_manager_linux.go, `GetPodContainerName`;
 * pkg/kubelet/config/common.go, `applyDefaults`; pkg/kubelet/pod/mirror_client.go, `CreateMirrorPod`.
 */
export function podCgroupName(pod: Pick<Pod, 'metadata' | 'spec' | 'status'>): CgroupName {
  const { annotations = {}, uid = '' } = pod.metadata;
  const mirrored = Object.hasOwn(annotations, MIRROR) ? annotations[MIRROR] : undefined;
  return [...(PARENTS.get(podQos(pod)) ?? []), `pod${mirrored ?? uid}`];
}

/** Where a cgroup is below the mounts with the driver `cgroupfs`: `/kubepods/burstable/pod1234-5` (`ToCgroupfs`). */
export function cgroupfsPath(name: CgroupName): string {
  return `/${name.join('/')}`;
}

/**
 * Where it is with the driver `systemd`: each slice repeats the names above it, and a dash in a name becomes an underscore:
 * `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234_5.slice` (`ToSystemd`).
 */
export function systemdPath(name: CgroupName): string {
  const escaped = name.map((part) => part.replaceAll('-', '_'));
  return escaped.map((_, index) => `/${escaped.slice(0, index + 1).join('-')}.slice`).join('');
}
