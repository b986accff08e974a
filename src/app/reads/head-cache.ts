import type { Cluster } from '../../storage/cluster-store.js';
import type { Revision } from '../../storage/revision.js';

/** A cluster and its newest revision; null if it has none. */
export interface Head {
  readonly cluster: Cluster;
  readonly revision: Revision | null;
  /** The time up to which it is known to be the newest state of the cluster; null if nobody follows the cluster. */
  readonly currentAt: Date | null;
}

/** The source of heads that are not cached. */
export interface HeadSource {
  /** Undefined if the cluster does not exist. */
  read(clusterName: string): Promise<Head | undefined>;
}

/** Notifies of changes by other processes. `connection` is undefined while notifications may be missed. */
export interface ChangeFeed {
  readonly connection: number | undefined;
}

interface Entry {
  readonly connection: number;
  readonly reading: Promise<Head | undefined>;
  /** Set once the read has finished. */
  head?: Head;
  /** The head has moved to this revision, the one after it, of which nothing else is known. */
  next?: number;
}

/** More clusters than any installation has; the heads of further ones are read from the database each time. */
const MAX_CLUSTERS = 50_000;

/**
 * Caches the heads of clusters by name, so that a request for a head needs no database round trip.
 *
 * An entry is valid while the change feed has been connected without a gap and has reported no change of the cluster.
 * While the feed is disconnected, every request reads from the database, and fails if that is unavailable. Changes by
 * this process invalidate the entry before the response is sent, so that clients read their own writes.
 */
export class HeadCache {
  private readonly entries = new Map<string, Entry>();
  /** The names of the clusters whose heads are known, by their ids: what happens in one of many clusters concerns its entry alone. */
  private readonly names = new Map<number, string>();
  /** The names of entries that are being read. Of which cluster is not known yet. */
  private readonly pending = new Set<string>();
  /** The commits of this process that are under way, by the id of their cluster. */
  private readonly underway = new Map<number, Promise<void>>();

  constructor(
    private readonly source: HeadSource,
    private readonly feed: ChangeFeed,
  ) {}

  /** Undefined if the cluster does not exist. */
  async get(clusterName: string): Promise<Head | undefined> {
    const { connection } = this.feed;
    if (connection === undefined) return this.source.read(clusterName);
    const known = this.entries.get(clusterName);
    if (known?.connection === connection && known.next === undefined) return known.head ?? known.reading;
    const entry: Entry = { connection, reading: this.source.read(clusterName) };
    this.put(clusterName, entry);
    try {
      const head = await entry.reading;
      // A read that was invalidated, or that spans a gap in the feed, may be outdated.
      const current = this.entries.get(clusterName) === entry && this.feed.connection === connection;
      if (current && head !== undefined && this.entries.size <= MAX_CLUSTERS) this.put(clusterName, { ...entry, head });
      return head;
    } finally {
      if (this.entries.get(clusterName) === entry) this.remove(clusterName);
    }
  }

  /** Notes that the head of a cluster was still the newest state at a time. */
  current(clusterId: number, at: Date): void {
    this.removePending();
    const entry = this.entryOf(clusterId);
    if (entry?.head !== undefined && (entry.head.currentAt ?? at) <= at) entry.head = { ...entry.head, currentAt: at };
  }

  /** Invalidates the entry of a cluster; with `revision`, only if it is older. */
  changed(clusterId: number, revision = Infinity): void {
    this.removePending();
    const entry = this.entryOf(clusterId);
    if (entry?.head === undefined) return;
    const { cluster } = entry.head;
    if ((entry.next ?? cluster.headRevision) >= revision) return;
    if (revision === cluster.headRevision + 1) entry.next = revision;
    else this.remove(cluster.name);
  }

  /**
   * Notes that this process is committing a revision of a cluster: the feed may tell of it before the database has answered.
   * @returns a function to call after `advance`, or after the commit has failed
   */
  committing(clusterId: number): () => void {
    let end = (): void => undefined;
    const commit = new Promise<void>((resolve) => {
      end = resolve;
    });
    const before = this.underway.get(clusterId);
    const all = before === undefined ? commit : Promise.all([before, commit]).then(() => undefined);
    this.underway.set(clusterId, all);
    return () => {
      if (this.underway.get(clusterId) === all) this.underway.delete(clusterId);
      end();
    };
  }

  /** Resolves once the commits of this process that are under way have succeeded or failed; undefined if there are none. */
  settled(clusterId: number): Promise<void> | undefined {
    return this.underway.get(clusterId);
  }

  /**
   * Replaces a head by the revision after it, which this process has just stored. Without effect, except that the entry is invalidated, if
   * anything else has become known of the cluster since that head was read.
   */
  advance({ cluster, revision }: Pick<Head, 'cluster' | 'revision'>, made: Revision): void {
    const entry = this.entries.get(cluster.name);
    const { connection } = this.feed;
    const head = entry?.head;
    const follows =
      head?.cluster.id === cluster.id &&
      head.revision?.number === revision?.number &&
      made.number === head.cluster.headRevision + 1;
    if (entry === undefined || head === undefined || !follows || entry.connection !== connection) {
      this.changed(cluster.id);
      return;
    }
    const { currentAt } = head;
    const advanced = { cluster: { ...head.cluster, headRevision: made.number }, revision: made, currentAt };
    this.put(cluster.name, { connection, reading: Promise.resolve(advanced), head: advanced });
  }

  /** The revision of a cluster with a number, if it is the head and cached. */
  known(clusterId: number, revision: number): Revision | undefined {
    const { connection, head, next } = this.entryOf(clusterId) ?? {};
    if (connection !== this.feed.connection || next !== undefined) return undefined;
    return head?.revision?.number === revision ? head.revision : undefined;
  }

  private entryOf(clusterId: number): Entry | undefined {
    const name = this.names.get(clusterId);
    return name === undefined ? undefined : this.entries.get(name);
  }

  private put(name: string, entry: Entry): void {
    this.remove(name);
    this.entries.set(name, entry);
    if (entry.head === undefined) this.pending.add(name);
    else this.names.set(entry.head.cluster.id, name);
  }

  private remove(name: string): void {
    const head = this.entries.get(name)?.head;
    this.entries.delete(name);
    this.pending.delete(name);
    if (head !== undefined) this.names.delete(head.cluster.id);
  }

  private removePending(): void {
    for (const name of this.pending) this.entries.delete(name);
    this.pending.clear();
  }
}
