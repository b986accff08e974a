/** The name of an object in a stream. `namespace` and `name` are empty where the object has none. */
export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One bad field of one item. */
export interface InvalidItem extends ObjectName {
  /** Position of the item in the whole stream, from 0. */
  readonly item: number;
  /** JSON pointer into the object; empty for the object itself. */
  readonly pointer: string;
  /** The field in Kubernetes' notation, `spec.taints[0].key`. */
  readonly field: string;
  /** The cause in the API server's terms, `FieldValueInvalid` for instance. */
  readonly type: string;
  readonly message: string;
}

/** As many as are named, and how many there are in all. */
export interface Counted<T> {
  readonly count: number;
  readonly first: readonly T[];
}

/** A place where one object's content hides another's: the later one is kept. */
export interface DuplicateObject extends ObjectName {
  readonly item: number;
}

/** What is worth knowing of a snapshot that is accepted all the same. */
export type SnapshotFinding =
  | {
      readonly code: 'pod-on-absent-node';
      readonly node: string;
      /** How many pods name the node, and a few of them as `namespace/name`. */
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

/** What became of a stream. Lists are in order of first appearance unless they say otherwise. */
export interface IngestReport {
  /** Bytes as received. */
  readonly bytesRead: number;
  /** Bytes after decompression. */
  readonly bytesDecoded: number;
  /** Objects that the stream held, of whatever kind. */
  readonly items: number;
  /** Objects kept, by kind; of duplicates one is counted. By kind in code unit order. */
  readonly kept: readonly { readonly kind: string; readonly count: number }[];
  /** Objects of kinds that are of no use here. By count, largest first. */
  readonly ignored: readonly { readonly apiVersion: string; readonly kind: string; readonly count: number }[];
  /** Fields that are known and not kept. */
  readonly droppedFields: number;
  /** Fields that the kind does not have, by path without indices repeated. */
  readonly unknownFields: Counted<string>;
  readonly duplicates: Counted<DuplicateObject>;
  /** Empty unless the caller asked to keep what can be decoded. */
  readonly invalid: Counted<InvalidItem>;
  readonly findings: Counted<SnapshotFinding>;
  /**
   * The versions of the cluster's kubelets, as the nodes state them; null when no node states one. The API server's own
   * version is not in a dump; it is at least the newest kubelet's.
   */
  readonly kubeletVersions: { readonly oldest: string; readonly newest: string } | null;
  /** Kinds of which at least one object was kept, or that a list of the stream without items names. In code unit order. */
  readonly kinds: readonly string[];
  /** Kinds of which the stream brought an object that could not be kept: it does not tell which there are. In code unit order. */
  readonly incompleteKinds: readonly string[];
  /** Namespaces of which at least one object was kept. In code unit order. */
  readonly namespaces: readonly string[];
}
