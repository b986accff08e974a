/** What is known of a taint key, or of every key with a prefix. Texts are sentences without a subject, for a reader. */
export interface WellKnownTaint {
  /** The key, or the prefix of the keys. */
  readonly key: string;
  readonly match: 'exact' | 'prefix';
  /** The product whose key it is. */
  readonly product: string;
  /** The effects it is set with; several where one occasion brings several taints or where they differ by occasion. */
  readonly effects: readonly ('NoSchedule' | 'PreferNoSchedule' | 'NoExecute')[];
  /** The value it is set with, where it has one that matters: literal, or in angle brackets what it stands for. */
  readonly value?: string;
  readonly setBy: string;
  readonly when: string;
  readonly removedBy: string;
  /** The first version that sets it (by default, unless it says otherwise), of Kubernetes or of the product. */
  readonly since?: string;
  /** The last version that sets it. Absent: it still does. */
  readonly until?: string;
  /** True for a key that comes and goes with the state of its node; false for one that marks a kind of node. */
  readonly transient: boolean;
  /** True for a key that nothing sets any more: in v1.36 it matches as any other string, and means nothing. */
  readonly legacy: boolean;
  /** The key that took its place. */
  readonly replacedBy?: string;
  readonly notes?: string;
  /** Where this was read: a package and version, or a vendor's documentation. */
  readonly source: string;
}
