import type { KubernetesObject, Labels } from './meta.js';

/** `v1` Service, with the fields that default spread constraints use. */
export interface Service extends KubernetesObject {
  readonly kind: 'Service';
  /** Without a selector a service selects no pods. */
  readonly spec?: { readonly selector?: Labels };
}
