import type { KubernetesObject, ObjectMeta, OwnerReference } from './meta.js';

/** An object as in a manifest, decoded whole. A stored object is one, too. */
export type Manifest<T extends KubernetesObject> = Omit<T, 'metadata'> & { readonly metadata: ManifestMeta };

/** `metadata` of a manifest decoded whole, including fields that stored objects lack. */
export interface ManifestMeta extends ObjectMeta {
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly (OwnerReference & { readonly blockOwnerDeletion?: boolean })[];
  readonly managedFields?: readonly { readonly operation?: string; readonly fieldsType?: string }[];
}
