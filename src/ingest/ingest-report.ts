/** The name of an object in a stream. `namespace` and `name` are empty if the object has none. */
export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One invalid field of one item. */
export interface InvalidItem extends ObjectName {
  /** Position of the item in the whole stream, from 0. */
  readonly item: number;
  /** JSON pointer into the object; empty for the object itself. */
  readonly pointer: string;
  /** The field in Kubernetes notation, such as `spec.taints[0].key`. */
  readonly field: string;
  /** The cause as the API server names it, such as `FieldValueInvalid`. */
  readonly type: string;
  readonly message: string;
}

/** The first entries, and the number of all entries. */
export interface Counted<T> {
  readonly count: number;
  readonly first: readonly T[];
}

/** An object that occurs more than once. The last occurrence is stored. */
export interface DuplicateObject extends ObjectName {
  readonly item: number;
}

/** A finding about an accepted snapshot. */
export type SnapshotFinding =
  | {
      readonly code: 'pod-on-absent-node';
      readonly node: string;
      /** The pods that name the node, as `namespace/name`. */
      readonly pods: Counted<string>;
      readonly message: string;
    }
  | { readonly code: 'node-without-status'; readonly node: string; readonly message: string }
  | {
      readonly code: 'unknown-field';
      readonly kind: string;
      /** The path without indices: `spec.template.spec.toleration`. */
      readonly field: string;
      /** The known field of the same place with the nearest name. */
      readonly suggestion: string;
      readonly message: string;
    };

/** The result of reading a stream. Lists are in order of first appearance unless stated otherwise. */
export interface IngestReport {
  /** Bytes as received. */
  readonly bytesRead: number;
  /** Bytes after decompression. */
  readonly bytesDecoded: number;
  /** The number of objects of any kind in the stream. */
  readonly items: number;
  /** The number of stored objects by kind, in code unit order of the kinds. Duplicates count once. */
  readonly kept: readonly { readonly kind: string; readonly count: number }[];
  /** The number of objects by kind that is not stored, in descending order. */
  readonly ignored: readonly { readonly apiVersion: string; readonly kind: string; readonly count: number }[];
  /** The number of known fields that are not stored. */
  readonly droppedFields: number;
  /** Fields unknown to the kind, by path. Paths that differ only in indices are the same. */
  readonly unknownFields: Counted<string>;
  readonly duplicates: Counted<DuplicateObject>;
  /** Empty unless the caller chose to keep what can be decoded. */
  readonly invalid: Counted<InvalidItem>;
  readonly findings: Counted<SnapshotFinding>;
  /**
   * The range of kubelet versions in the nodes; null if no node has one. A dump does not contain the API server's version,
   * which is at least that of the newest kubelet.
   */
  readonly kubeletVersions: { readonly oldest: string; readonly newest: string } | null;
  /** Kinds with at least one stored object, or with an empty list of that kind in the stream. In code unit order. */
  readonly kinds: readonly string[];
  /**
   * Kinds with an object that could not be stored, so that the stream does not show all objects of the kind. In code unit
   * order.
   */
  readonly incompleteKinds: readonly string[];
  /** Namespaces with at least one stored object. In code unit order. */
  readonly namespaces: readonly string[];
  /** The resourceVersions of the lists that name their kind, as `PodList` does; kinds with several different ones are left out. */
  readonly positions: readonly { readonly kind: string; readonly resourceVersion: string }[];
}
