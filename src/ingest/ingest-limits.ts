const MIB = 1024 * 1024;

/** Limits for one stream. Sizes are in bytes. */
export interface IngestLimits {
  /** Size as received, compressed or not. */
  readonly maxBodyBytes: number;
  /** Size after decompression. */
  readonly maxDecodedBytes: number;
  /** Ratio of decoded to compressed bytes, checked from `ratioGraceBytes` decoded bytes on. Real dumps reach 60. */
  readonly maxCompressionRatio: number;
  readonly ratioGraceBytes: number;
  /** One object as sent, with indentation and all fields; also the text around the `items` of a list. */
  readonly maxItemBytes: number;
  /** One object as stored. etcd allows 1.5 MiB by default. */
  readonly maxKeptBytes: number;
  /** One YAML object. The parser needs a hundred times the text's size in memory. */
  readonly maxYamlItemBytes: number;
  /** Nesting depth of objects and arrays. */
  readonly maxDepth: number;
  readonly maxItems: number;
  /** The number of objects of kinds that are not stored. */
  readonly maxIgnored: number;
  /** The number of invalid objects; a stream with more is rejected. */
  readonly maxUnread: number;
  /** Consecutive white space and comments between values. */
  readonly maxWhitespaceBytes: number;
  /** The number of nodes that YAML aliases may expand to in one document. */
  readonly maxAliasedNodes: number;
  /** The number of invalid fields reported by name; the rest are only counted. */
  readonly maxReportedErrors: number;
  /**
   * The number of duplicates, findings, unknown paths and similar entries reported by name; the rest are only counted.
   */
  readonly maxReported: number;
}

/** For comparison: `kubectl get -o json` of 5,000 nodes and 150,000 pods is 2.3 GB. */
export const DEFAULT_INGEST_LIMITS: IngestLimits = {
  maxBodyBytes: 4096 * MIB,
  maxDecodedBytes: 8192 * MIB,
  maxCompressionRatio: 250,
  ratioGraceBytes: 16 * MIB,
  maxItemBytes: 8 * MIB,
  maxKeptBytes: 1.5 * MIB,
  maxYamlItemBytes: 2 * MIB,
  maxDepth: 200,
  maxItems: 5_000_000,
  maxIgnored: 1_000_000,
  maxUnread: 10_000,
  maxWhitespaceBytes: MIB,
  maxAliasedNodes: 100_000,
  maxReportedErrors: 1000,
  maxReported: 100,
};
