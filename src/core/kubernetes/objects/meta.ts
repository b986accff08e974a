/**
 * A signed 64-bit integer of the Kubernetes API: a `number` if it is a safe integer, otherwise a `bigint`. Never rounded.
 * Convert it with `BigInt(value)` before arithmetic that may leave the safe range.
 */
export type Int64 = number | bigint;

/** `intstr.IntOrString`: an int32, or a string such as `25%`. */
export type IntOrString = number | string;

/** A time in the API's notation, RFC 3339, for instance `2026-06-26T10:12:19Z`. */
export type Timestamp = string;

/** A resource quantity as written, for instance `1500m`, `2Gi`, `1e3`. Parse it with `parseQuantity`. */
export type QuantityString = string;

/** A map from resource name to quantity, as in `requests`, `limits`, `allocatable`, `overhead`. */
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

/** An owner of a node's taints, cordon or labels: the entry of `metadata.managedFields` that owns the fields in `owns`. */
export interface TaintOwnership {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: Timestamp;
  /** The fields that the entry owns, of those that matter here, for instance `['spec.taints', 'spec.unschedulable']`. */
  readonly owns: readonly string[];
}

/** The kept part of `metadata`. Only annotations with a meaning here are kept. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  /** Absent for kinds that are not namespaced; `default` if a namespaced object has none. */
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

/** An object of a kept kind. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** With the managed-fields entries that own what the audit trail records. */
export interface WithTaintOwnership extends ObjectMeta {
  readonly taintOwnership?: readonly TaintOwnership[];
}
