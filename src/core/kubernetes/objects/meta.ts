/**
 * A signed 64-bit integer of the Kubernetes API: a `number` while it is a safe integer, a `bigint` beyond. Never rounded.
 * Convert with `BigInt(value)` before arithmetic that may leave the safe range.
 */
export type Int64 = number | bigint;

/** `intstr.IntOrString`: an int32, or a text such as `25%`. */
export type IntOrString = number | string;

/** A point in time as the API writes it, RFC 3339, for instance `2026-06-26T10:12:19Z`. */
export type Timestamp = string;

/** A resource quantity as it was written, for instance `1500m`, `2Gi`, `1e3`. Parse with `parseQuantity`. */
export type QuantityString = string;

/** Resource name to quantity, as in `requests`, `limits`, `allocatable`, `overhead`. */
export type ResourceList = Readonly<Record<string, QuantityString>>;

export type Labels = Readonly<Record<string, string>>;

/** `metadata.ownerReferences[]`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid?: string;
  readonly controller?: boolean;
}

/** The owner of a node's taints as server-side apply tracks it: an entry of `metadata.managedFields` that owns `f:taints`. */
export interface TaintOwnership {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: Timestamp;
  /** Which of the node's fields that matter here the entry owns, for instance `['spec.taints', 'spec.unschedulable']`. */
  readonly owns: readonly string[];
}

/** The part of `metadata` that is kept. Annotations are only those that have a meaning here. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  /** Absent for kinds that are not namespaced; filled with `default` where a namespaced object names none. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: Int64;
  readonly creationTimestamp?: Timestamp;
  readonly deletionTimestamp?: Timestamp;
  readonly deletionGracePeriodSeconds?: Int64;
  readonly labels?: Labels;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** An object of a kind that the service keeps. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}
