import type { NewPod } from '../admission/admission-chain.js';
import { podOfManifest } from '../admission/pod-of-template.js';
import { withName, type Placeable } from '../admission/read-pod-manifest.js';
import { decodeObject } from '../kubernetes/decode.js';
import type { ManifestObject } from '../kubernetes/manifests/manifest-object.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';

/** Of the owner of a pod: it must have one. */
const ANY_UID = '00000000-0000-4000-8000-000000000000';

/** The pod that a manifest says to the API server of a minor version, as its controller sends it, if all of it can be decoded. */
export function newPodOf(object: ManifestObject, minor: number): NewPod | undefined {
  const decoded = decodeObject(withName(object.value), { whole: true, minor });
  if (decoded.outcome !== 'object') return undefined;
  const { metadata } = decoded.object;
  const manifest = {
    ...decoded.object,
    metadata: { ...metadata, namespace: object.namespace ?? 'default', uid: ANY_UID },
  } as Placeable;
  const pod = podOfManifest(manifest);
  if (pod === undefined) return undefined;
  return {
    operation: 'create',
    pod: pod as unknown as WholePod,
    without: ['ResourceQuota'],
    ...(manifest.kind !== 'Pod' && { workload: manifest }),
  };
}
