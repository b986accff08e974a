import type { Cluster } from '../../storage/cluster-store.js';
import type { Revision } from '../../storage/revision.js';

/** A cluster and its newest revision; null while it has none. */
export interface Head {
  readonly cluster: Cluster;
  readonly revision: Revision | null;
}

/** Where heads are read from when the cache does not know. */
export interface HeadSource {
  /** Undefined when there is no such cluster. */
  read(clusterName: string): Promise<Head | undefined>;
}

/** What tells of changes that others make. `connection` is undefined while changes may be missed. */
export interface ChangeFeed {
  readonly connection: number | undefined;
}

interface Entry {
  readonly connection: number;
  readonly reading: Promise<Head | undefined>;
  /** Set once read. */
  head?: Head;
}

/** More names than any installation has; those beyond are read from the database each time. */
const MOST_CLUSTERS = 10_000;

/**
 * The heads of clusters by name, so that a question about a head needs no round trip to the database.
 *
 * An entry holds as long as the feed of changes has been listened to without a gap, and nothing was reported of its
 * cluster. While the feed is lost nothing is served from memory: every question goes to the database, and fails where
 * that is gone. What this process itself changes is forgotten before its caller is answered, so that one reads one's
 * own writes.
 */
export class HeadCache {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly source: HeadSource,
    private readonly feed: ChangeFeed,
  ) {}

  /** Undefined when there is no such cluster. */
  async get(clusterName: string): Promise<Head | undefined> {
    const { connection } = this.feed;
    if (connection === undefined) return this.source.read(clusterName);
    const known = this.entries.get(clusterName);
    if (known?.connection === connection) return known.head ?? known.reading;
    const entry: Entry = { connection, reading: this.source.read(clusterName) };
    this.entries.set(clusterName, entry);
    try {
      const head = await entry.reading;
      // What was forgotten while it was being read, or read across a gap of the feed, may be out of date already.
      const current = this.entries.get(clusterName) === entry && this.feed.connection === connection;
      if (current && head !== undefined && this.entries.size <= MOST_CLUSTERS) entry.head = head;
      return head;
    } finally {
      if (entry.head === undefined && this.entries.get(clusterName) === entry) this.entries.delete(clusterName);
    }
  }

  /** Forgets a cluster of which something changed; with `revision`, only what is older than that. */
  changed(clusterId: number, revision = Infinity): void {
    for (const [name, { head }] of this.entries) {
      // Whose it is that is being read is not known yet.
      const affected = head === undefined || (head.cluster.id === clusterId && head.cluster.headRevision < revision);
      if (affected) this.entries.delete(name);
    }
  }
}
