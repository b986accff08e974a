import type { SettingKind } from '../../core/cluster/setting.js';
import { Database } from '../database.js';

/** How many seconds the decisions of a cluster are kept; null: for ever. */
export type KeptFor = number | null;

/** The decisions that were removed from one cluster. */
export interface RemovedDecisions {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly decisions: number;
}

/** Number of decisions that one statement removes. */
const AT_ONCE = 1_000;

const KIND: SettingKind = 'DecisionRetention';

interface ClusterRow {
  readonly clusterId: string;
  readonly clusterName: string;
  /** The cluster's setting as stored; null if it has none, or is deleted. */
  readonly content: string | null;
}

/** Removes old decisions. */
export class DecisionRetention {
  constructor(private readonly database: Database) {}

  /**
   * Removes decisions that were asked for longer ago than their cluster keeps them; reports the clusters that lost any. Everything that is
   * removed with an earlier `now` is also removed with a later one, so a clock that is behind keeps more, never less.
   * @param keptFor the limit of a cluster, from the content of its setting (undefined without a setting)
   */
  async prune(now: Date, keptFor: (setting: string | undefined) => KeptFor): Promise<readonly RemovedDecisions[]> {
    const reports: RemovedDecisions[] = [];
    for (const { clusterId, clusterName, content } of await this.clusters()) {
      const seconds = keptFor(content ?? undefined);
      if (seconds === null) continue;
      const decisions = await this.remove(clusterId, new Date(now.getTime() - seconds * 1000));
      if (decisions > 0) reports.push({ clusterId: Number(clusterId), clusterName, decisions });
    }
    return reports;
  }

  /** Every cluster with decisions, existing or deleted, with its setting. */
  private async clusters(): Promise<readonly ClusterRow[]> {
    return this.database.query<ClusterRow>(
      `with recursive ids as (
         (select cluster_id as id from decisions order by cluster_id limit 1)
         union all
         select (select cluster_id from decisions where cluster_id > i.id order by cluster_id limit 1)
         from ids i where i.id is not null)
       select i.id as "clusterId", n.name as "clusterName", v.content
       from ids i
       cross join lateral (
         select cluster_name as name from decisions where cluster_id = i.id order by sequence desc limit 1) n
       left join object_versions v
         on v.cluster_id = i.id and v.kind = $1 and v.namespace = '' and v.valid_to is null
       where i.id is not null order by i.id`,
      [KIND],
    );
  }

  private async remove(clusterId: string, askedBefore: Date): Promise<number> {
    for (let removed = 0; ;) {
      const rows = await this.database.query(
        `delete from decisions where (cluster_id, sequence) in (
           select cluster_id, sequence from decisions where cluster_id = $1 and asked_at < $2
           order by asked_at limit ${AT_ONCE})
         returning 1`,
        [clusterId, askedBefore],
      );
      removed += rows.length;
      if (rows.length < AT_ONCE) return removed;
    }
  }
}
