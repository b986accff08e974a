import type { KubernetesObject } from './meta.js';

/**
 * `v1.ConfigMap`, as far as policies take it as a parameter. One that no policy takes is stored without `data` and `binaryData`; one that
 * is stored whole always has `data`, which is then empty where the object has none.
 */
export interface ConfigMap extends KubernetesObject {
  readonly kind: 'ConfigMap';
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}
