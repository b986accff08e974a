import type { Int64, Timestamp } from './meta.js';

/** `v1.Taint`. The effect is unchanged from the object: a stored node may have one that Kubernetes does not know. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: Timestamp;
}

/** `v1.Toleration`. An absent or empty operator means Equal; an absent or empty effect means all effects. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  /** In seconds; only with effect NoExecute. Zero and negative values mean immediately. */
  readonly tolerationSeconds?: Int64;
}
