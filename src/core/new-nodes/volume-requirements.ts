import type { ClusterState } from '../cluster/cluster-state.js';
import type { PoolRequirement } from '../kubernetes/objects/karpenter.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { claimVolumes, classOfClaim, VolumeObjects } from '../placement/volumes/pod-claims.js';
import { isWellKnown, usualKey } from './label-requirements.js';

const HOSTNAME = 'kubernetes.io/hostname';

/**
 * What the volumes of a pod require of the labels of its node, as Karpenter adds it to the pod's own requirements: the first term of a bound
 * volume, or of the topologies in which the class of an unbound claim allows volumes. Keys of CSI drivers that Karpenter does not know are left
 * to the filters.
 *
 * Source: sigs.k8s.io/karpenter v1.9.1, pkg/controllers/provisioning/scheduling/volumetopology.go, `GetRequirements`. Karpenter does not look at the
 * hostname that local volumes require, but the scheduler does.
 */
export function volumeRequirements(state: ClusterState, pod: Pod): readonly PoolRequirement[] {
  const objects = new VolumeObjects(state);
  const required = claimVolumes(pod).flatMap(({ claimName }): readonly PoolRequirement[] => {
    const claim = objects.claim(pod.metadata.namespace ?? '', claimName);
    if (claim === undefined) return [];
    const volumeName = claim.spec?.volumeName ?? '';
    if (volumeName !== '') {
      return objects.volume(volumeName)?.spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions ?? [];
    }
    const [topology] = objects.storageClass(classOfClaim(claim))?.allowedTopologies ?? [];
    return (topology?.matchLabelExpressions ?? []).map(({ key, values }) => ({ key, operator: 'In', values }));
  });
  return required.filter(({ key }) => key === HOSTNAME || isWellKnown(usualKey(key)));
}
