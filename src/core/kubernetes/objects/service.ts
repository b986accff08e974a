import type { KubernetesObject, Labels } from './meta.js';

/** `v1` Service, as far as default spread constraints go by it. */
export interface Service extends KubernetesObject {
  readonly kind: 'Service';
  /** Without a selector a service selects no pods. */
  readonly spec?: { readonly selector?: Labels };
}
