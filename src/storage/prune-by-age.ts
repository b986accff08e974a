import type { SettingKind } from '../core/cluster/setting.js';

/** How many seconds the records of a cluster are kept; null: for ever. */
export type KeptFor = number | null;

/** The setting that says how long the records of a cluster are kept. */
export const RETENTION_SETTING: SettingKind = 'DecisionRetention';

/** Number of records that one statement removes. */
export const AT_ONCE = 1_000;

/** A cluster with records. */
export interface ClusterRow {
  readonly clusterId: string;
  readonly clusterName: string;
  /** The cluster's setting as stored; null if it has none, or is deleted. */
  readonly content: string | null;
}

/** What was removed from one cluster. */
export interface Pruned {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly count: number;
}

/**
 * Removes the records of each cluster that are older than it keeps them. Everything that is removed with an earlier `now` is also
 * removed with a later one, so a clock that is behind keeps more, never less.
 *
 * @param keptFor the limit of a cluster, from the content of its setting (undefined without a setting)
 * @param removeSome removes at most `AT_ONCE` records from before a time, and resolves to how many
 */
export async function pruneByAge(
  {
    clusters,
    now,
    keptFor,
    failed,
  }: {
    readonly clusters: readonly ClusterRow[];
    readonly now: Date;
    readonly keptFor: (setting: string | undefined) => KeptFor;
    readonly failed: (error: unknown) => void;
  },
  removeSome: (clusterId: string, before: Date) => Promise<number>,
): Promise<readonly Pruned[]> {
  const reports: Pruned[] = [];
  for (const { clusterId, clusterName, content } of clusters) {
    const seconds = keptFor(content ?? undefined);
    if (seconds === null) continue;
    const before = new Date(now.getTime() - seconds * 1000);
    let count = 0;
    try {
      for (let removed = AT_ONCE; removed === AT_ONCE; count += removed) removed = await removeSome(clusterId, before);
    } catch (error) {
      failed(error);
    }
    if (count > 0) reports.push({ clusterId: Number(clusterId), clusterName, count });
  }
  return reports;
}
