import type { Pod } from '../kubernetes/objects/pod.js';
import { admitPod, type NewPod } from './admission-chain.js';
import type { ClusterAdmission } from './admission-in.js';
import { podOfManifest } from './pod-of-template.js';
import type { Placeable } from './read-pod-manifest.js';

/** What the API server makes of a changed manifest: the pod as the scheduler would be given it, or why there is none. */
export type ReadmittedManifest =
  | { readonly outcome: 'admitted'; readonly pod: Pod }
  | { readonly outcome: 'refused'; readonly pod: Pod; readonly message: string };

export type ReadmissionOptions = Pick<NewPod, 'skipAdmission' | 'without' | 'whole'>;

/**
 * Changes the pod of a manifest, and admits it as if it were sent like that.
 *
 * @param object a manifest that was admitted, and has a pod
 * @param change of the pod's spec, as it stands in the manifest
 */
export function readmitManifest(
  object: Placeable,
  change: (pod: Pod) => Pod,
  into: ClusterAdmission,
  { whole, ...options }: ReadmissionOptions,
): ReadmittedManifest {
  const pod = change(podOfManifest(object)!);
  const admission = admitPod(
    {
      operation: 'create',
      pod,
      known: 'kept',
      ...(object.kind !== 'Pod' && { workload: object }),
      ...(whole !== undefined && { whole: change(whole as Pod) }),
      allowMissingRuntimeClass: true,
      ...options,
    },
    into,
  );
  if (admission.outcome === 'refused') return { outcome: 'refused', pod, message: admission.refusal.message };
  return { outcome: 'admitted', pod: admission.pod };
}
