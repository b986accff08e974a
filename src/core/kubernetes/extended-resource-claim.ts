import type { ResourceClaim } from './objects/dra.js';
import type { Pod } from './objects/pod.js';

/** The annotation of the claim that the scheduler makes for a pod's extended resources (`resourceapi.ExtendedResourceClaimAnnotation`). */
const ANNOTATION = 'resource.kubernetes.io/extended-resource-claim';
export const MARK_OF_EXTENDED: Readonly<Record<string, string>> = { [ANNOTATION]: 'true' };

/** Whether the scheduler has made the claim for extended resources of a pod. */
export const isForExtendedResources = ({ metadata }: ResourceClaim): boolean =>
  metadata.annotations?.[ANNOTATION] === 'true';

/** Whether the scheduler has made the claim for extended resources of this pod. */
export const isExtendedClaimOf = (claim: ResourceClaim, { metadata }: Pod): boolean =>
  isForExtendedResources(claim) &&
  (claim.metadata.ownerReferences ?? []).some(
    ({ name, uid, controller }) => name === metadata.name && controller === true && uid === metadata.uid,
  );
