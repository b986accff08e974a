import type { Int64, Timestamp } from './meta.js';

/** `v1.Taint`. The effect is whatever was written: a stored node may carry one that Kubernetes does not know. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: Timestamp;
}

/** `v1.Toleration`. An absent or empty operator means Equal, an absent or empty effect every effect. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  /** Seconds; only with effect NoExecute. Zero and negative values mean at once. */
  readonly tolerationSeconds?: Int64;
}
