const MIB = 1024 * 1024;

/** What one stream may cost. Sizes in bytes. */
export interface IngestLimits {
  /** Bytes as received, compressed or not. */
  readonly maxBodyBytes: number;
  /** Bytes after decompression. */
  readonly maxDecodedBytes: number;
  /** Decoded bytes for each compressed one, looked at from `ratioGraceBytes` decoded bytes on. Real dumps reach 60. */
  readonly maxCompressionRatio: number;
  readonly ratioGraceBytes: number;
  /** One object as it is sent, indented and with all its fields; also what surrounds the `items` of a list. */
  readonly maxItemBytes: number;
  /** One object as it is kept. etcd takes 1.5 MiB by default. */
  readonly maxKeptBytes: number;
  /** The same for YAML, whose parser takes a hundred times the text's size in memory. */
  readonly maxYamlItemBytes: number;
  /** Nesting of objects and arrays. */
  readonly maxDepth: number;
  readonly maxItems: number;
  /** Objects of kinds that are of no use here. */
  readonly maxIgnored: number;
  /** Objects that cannot be read; a stream with more is given up. */
  readonly maxUnread: number;
  /** Whitespace and comments in a row between values. */
  readonly maxWhitespaceBytes: number;
  /** Nodes that YAML aliases may stand for in one document. */
  readonly maxAliasedNodes: number;
  /** Bad fields reported by name; the rest are counted. */
  readonly maxReportedErrors: number;
  /** Duplicates, findings, unknown paths and the like reported by name; the rest are counted. */
  readonly maxReported: number;
}

/** `kubectl get -o json` of 5,000 nodes and 150,000 pods comes to 2.3 GB. */
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
