import { controllerOf } from '../kubernetes/controller-of.js';
import { criticalPodReason } from '../kubernetes/critical-pod.js';
import type { Pool } from './pool.js';
import type { PoolPod } from './pool-user.js';

/** Why a pool ignores a pod. */
export type Exemption = 'namespace' | 'daemonSet' | 'static';

/**
 * Pods that a pool neither changes nor refuses: pods of an exempt namespace; pods of a DaemonSet, which name their node
 * and run next to the pods of the pool; static pods and their mirrors, which their kubelet runs regardless of the API.
 */
export function exemptionOf(pool: Pool, { metadata, spec }: PoolPod): Exemption | undefined {
  if (pool.exemptNamespaces.includes(metadata.namespace ?? 'default')) return 'namespace';
  const controller = controllerOf(metadata.ownerReferences);
  if (controller?.kind === 'DaemonSet' && controller.apiVersion.startsWith('apps/')) return 'daemonSet';
  const reason = criticalPodReason({ metadata, spec });
  return reason === 'static' || reason === 'mirror' ? 'static' : undefined;
}
