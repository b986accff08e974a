import { sameValue } from '../json/same-value.js';

/** An owner reference as far as permissions hang on it. */
interface GivenOwner {
  readonly kind: string;
  readonly name: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/**
 * The first owner reference for which OwnerReferencesPermissionEnforcement asks what the sender may do: of a new object one that blocks
 * the deletion of its owner, of a changed one any as soon as they have changed. Controllers of Kubernetes may set theirs.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/gc/gc_admission.go, `Validate`.
 *
 * @param former those of the stored object; undefined for a new one
 * @param isWhole whether `blockOwnerDeletion` is known; it is not stored
 */
export function questionedOwner(
  owners: readonly GivenOwner[],
  former: readonly GivenOwner[] | undefined,
  isWhole: boolean,
): GivenOwner | undefined {
  if (former !== undefined) return sameValue(owners, former) ? undefined : (owners[0] ?? former[0]);
  return owners.find((owner) => (isWhole ? owner.blockOwnerDeletion === true : owner.controller !== true));
}
