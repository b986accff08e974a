import { controllerOf } from '../kubernetes/controller-of.js';
import { criticalPodReason } from '../kubernetes/critical-pod.js';
import type { Pool } from './pool.js';
import type { PoolPod } from './pool-user.js';

/** Why a pool leaves a pod alone whatever it is. */
export type Exemption = 'namespace' | 'daemonSet' | 'static';

/**
 * Pods that a pool neither changes nor refuses: of a namespace that it exempts; of a DaemonSet, which bring their own node and run
 * beside the pods of the pool; static pods and their mirrors, which their kubelet runs whatever the API says.
 */
export function exemptionOf(pool: Pool, { metadata, spec }: PoolPod): Exemption | undefined {
  if (pool.exemptNamespaces.includes(metadata.namespace ?? 'default')) return 'namespace';
  const controller = controllerOf(metadata.ownerReferences);
  if (controller?.kind === 'DaemonSet' && controller.apiVersion.startsWith('apps/')) return 'daemonSet';
  const reason = criticalPodReason({ metadata, spec });
  return reason === 'static' || reason === 'mirror' ? 'static' : undefined;
}
