import type { KubernetesObject } from './meta.js';

/** `v1` Namespace. */
export interface Namespace extends KubernetesObject {
  readonly kind: 'Namespace';
  readonly status?: { readonly phase?: string };
}
