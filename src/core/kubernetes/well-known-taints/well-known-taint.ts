/** What is known about a taint key, or about all keys with a prefix. Texts are sentences without a subject. */
export interface WellKnownTaint {
  /** The key, or the prefix of the keys. */
  readonly key: string;
  readonly match: 'exact' | 'prefix';
  /** The product that owns the key. */
  readonly product: string;
  /**
   * The effects with which it is set; several if it is set with several at once, or with different ones in different
   * cases.
   */
  readonly effects: readonly ('NoSchedule' | 'PreferNoSchedule' | 'NoExecute')[];
  /** The value with which it is set, if it matters: literal, or a description in angle brackets. */
  readonly value?: string;
  readonly setBy: string;
  readonly when: string;
  readonly removedBy: string;
  /** The controller that takes the taint away, or puts it back, if somebody else edits it; absent if none does. */
  readonly keptBy?: string;
  /** The first version of Kubernetes or of the product that sets it (by default, unless stated otherwise). */
  readonly since?: string;
  /** The last version that sets it; absent if current versions do. */
  readonly until?: string;
  /** Whether the key depends on the state of its node; false for a key that marks a kind of node. */
  readonly transient: boolean;
  /** Whether nothing sets the key any more: in v1.36 it is an ordinary string without a meaning. */
  readonly legacy: boolean;
  /** The key that replaced it. */
  readonly replacedBy?: string;
  readonly notes?: string;
  /** The source of the entry: a package and version, or a vendor's documentation. */
  readonly source: string;
}
