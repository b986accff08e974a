import type { Pod } from './objects/pod.js';

/** Why the kubelet never evicts a pod. */
export type CriticalPodReason = 'static' | 'mirror' | 'priority';

/** The lowest priority that is critical (`scheduling.SystemCriticalPriority`): twice the highest that a user may define. */
export const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

/**
 * Why a pod is critical to its kubelet, or undefined: it came from elsewhere than the API server, mirrors such a pod, or has a
 * priority of at least 2000000000, whatever its class is called.
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
