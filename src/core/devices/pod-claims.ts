import { controllerOf } from '../kubernetes/controller-of.js';
import type { ResourceClaim } from '../kubernetes/objects/dra.js';
import type { Pod, PodResourceClaim } from '../kubernetes/objects/pod.js';

/** The ResourceClaim that an entry of `spec.resourceClaims` stands for. */
export type ClaimName =
  /** `isFromTemplate`: the claim was made for the pod, which has to own it. */
  | { readonly name: string; readonly isFromTemplate: boolean }
  /** A claim was not needed, so none was made. */
  | { readonly name: undefined }
  | { readonly problem: string };

/**
 * Finds the name of a pod's claim. A claim from a template is the one that the pod's status names.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, resourceclaim/resourceclaim.go, `Name`.
 */
export function claimName(pod: Pod, entry: PodResourceClaim): ClaimName {
  if (entry.resourceClaimName !== undefined) return { name: entry.resourceClaimName, isFromTemplate: false };
  const { namespace = '', name } = pod.metadata;
  if (entry.resourceClaimTemplateName === undefined) {
    return {
      problem: `pod "${namespace}/${name}", spec.resourceClaim "${entry.name}": none of the supported fields are set`,
    };
  }
  const status = pod.status?.resourceClaimStatuses?.find((one) => one.name === entry.name);
  if (status === undefined) return { problem: `pod "${namespace}/${name}": ResourceClaim not created yet` };
  return status.resourceClaimName === undefined
    ? { name: undefined }
    : { name: status.resourceClaimName, isFromTemplate: true };
}

/** The claims of a pod that exist, that for its extended resources included. */
export function claimsThere(pod: Pod, find: (name: string) => ResourceClaim | undefined): readonly ResourceClaim[] {
  const names = (pod.spec.resourceClaims ?? []).map((entry) => {
    const found = claimName(pod, entry);
    return 'problem' in found ? undefined : found.name;
  });
  return [...names, pod.status?.extendedResourceClaimStatus?.resourceClaimName].flatMap((name) => {
    const claim = name === undefined ? undefined : find(name);
    return claim === undefined ? [] : [claim];
  });
}

/** Whether the pod is the claim's controller (`IsForPod`; claims of PodGroups are off by default). */
export function isClaimOfPod(pod: Pod, claim: ResourceClaim): boolean {
  const owner = controllerOf(claim.metadata.ownerReferences);
  return owner !== undefined && owner.uid === pod.metadata.uid;
}

/** `IsReservedForPod`. */
export function isReservedForPod(pod: Pod, claim: ResourceClaim): boolean {
  return (claim.status?.reservedFor ?? []).some(({ uid }) => uid === pod.metadata.uid);
}
