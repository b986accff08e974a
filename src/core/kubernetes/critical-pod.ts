import type { Pod } from './objects/pod.js';

/** Why the kubelet never evicts a pod. */
export type CriticalPodReason = 'static' | 'mirror' | 'priority';

/** The lowest critical priority (`scheduling.SystemCriticalPriority`): twice the highest that a user may define. */
export const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

/**
 * Why a pod is critical to its kubelet, or undefined: it does not come from the API server, it is the mirror of such a pod, or
 * it has a priority of at least 2000000000, whatever its class.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/types/pod_update.go, `IsCriticalPod`.
 */
export function criticalPodReason({ metadata, spec }: Pick<Pod, 'metadata' | 'spec'>): CriticalPodReason | undefined {
  const annotations = metadata.annotations ?? {};
  const source = Object.hasOwn(annotations, 'kubernetes.io/config.source')
    ? annotations['kubernetes.io/config.source']
    : undefined;
  if (source !== undefined && source !== 'api') return 'static';
  if (Object.hasOwn(annotations, 'kubernetes.io/config.mirror')) return 'mirror';
  return (spec.priority ?? 0) >= SYSTEM_CRITICAL_PRIORITY ? 'priority' : undefined;
}
