import type { KubernetesObject } from './meta.js';

/** `v1.ServiceAccount`, which pods run as. Secrets are only named. */
export interface ServiceAccount extends KubernetesObject {
  readonly kind: 'ServiceAccount';
  readonly automountServiceAccountToken?: boolean;
  /** Added to the pods that name none of their own. */
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  /** Those that its pods may mount, if the annotation `kubernetes.io/enforce-mountable-secrets` restricts them. */
  readonly secrets?: readonly { readonly name?: string }[];
}
