import { THE_ONE } from '../core/cluster/setting.js';
import { batchedOfClusters, FOR_EACH_HEAD } from './batched.js';
import { Database } from './database.js';
import { notifyTrail } from './head-notifications.js';
import { leasesIn, type LeasesOfClusters, type ProgressTable } from './leases-of-clusters.js';
import { ofClusters } from './of-clusters.js';

export type StoredVerdict = 'holds' | 'broken' | 'unknown';

/** The change that turned an expectation. */
export interface StoredCause {
  readonly revision: number;
  readonly author: string | null;
  readonly objects: readonly {
    readonly change: 'upserted' | 'removed';
    readonly kind: string;
    readonly namespace: string | null;
    readonly name: string;
  }[];
  readonly objectCount: number;
  readonly changedObjects: number;
  readonly isMinimal: boolean;
}

/** An expectation with another verdict than before. */
export interface NewTurn {
  readonly name: string;
  readonly revision: number;
  readonly capturedAt: Date;
  readonly former: StoredVerdict | null;
  readonly verdict: StoredVerdict;
  readonly reason: string;
  readonly cause: StoredCause | null;
}

export interface StoredTurn extends NewTurn {
  /** Numbered from 1 in each cluster. */
  readonly turn: number;
}

/** Up to which revision expectations were evaluated, and their verdicts there. */
export interface ExpectationProgress {
  readonly revision: number;
  readonly verdicts: Readonly<Record<string, StoredVerdict>>;
}

interface Row extends Omit<StoredTurn, 'cause'> {
  readonly cause: string | null;
}

const COLUMNS = `turn::float8 as turn, name, revision, captured_at as "capturedAt", former, verdict, reason, cause`;

const PROGRESS: ProgressTable = {
  name: 'expectation_progress',
  beginning: { revision: '0', turns: '0', verdicts: "'{}'" },
};

/** The verdicts of stored expectations over time. */
export class ExpectationStore {
  private readonly watched = batchedOfClusters(
    () => this.database.places,
    (ids) => {
      const values: unknown[] = [THE_ONE];
      // With its whole key, the primary key finds it even where the planner knows nothing of the kinds; otherwise the head is scanned.
      return this.database.query<{ readonly id: number }>(
        `select cluster_id::float8 as id from object_versions
       where ${ofClusters('cluster_id', ids, values)} and kind = 'Expectations' and namespace = '' and name = $1 and valid_to is null
       union all select cluster_id::float8 from expectation_progress
       where ${ofClusters('cluster_id', ids, values)} and verdicts <> '{}'`,
        values,
      );
    },
    FOR_EACH_HEAD,
  );

  constructor(private readonly database: Database) {}

  /** Whether the head of a cluster has expectations, or had some when they were last evaluated. Asked about many clusters together. */
  async isWatched(clusterId: number): Promise<boolean> {
    return (await this.watched(clusterId)) !== undefined;
  }

  /** Undefined if none were ever evaluated. */
  async progress(clusterId: number): Promise<ExpectationProgress | undefined> {
    const [row] = await this.database.query<{ revision: number; verdicts: string }>(
      'select revision, verdicts from expectation_progress where cluster_id = $1 and revision > 0',
      [clusterId],
    );
    return row && { revision: row.revision, verdicts: JSON.parse(row.verdicts) as Record<string, StoredVerdict> };
  }

  /** The leases of a replica for the evaluation of expectations. */
  leasesOf(holder: string, clock: { now(): Date }): LeasesOfClusters {
    return leasesIn(PROGRESS, this.database, holder, clock);
  }

  /**
   * Stores the verdicts on a revision, with the turns since an earlier one.
   * @param from the revision of the former progress; 0 if there was none
   * @returns false if another replica has stored verdicts meanwhile, and nothing was stored
   */
  async advance(
    clusterId: number,
    from: number,
    { revision, verdicts }: ExpectationProgress,
    turns: readonly NewTurn[],
  ): Promise<boolean> {
    return this.database.transaction(async (client) => {
      await client.query(
        `insert into expectation_progress (cluster_id, revision, turns, verdicts)
         select id, 0, 0, '{}' from clusters where id = $1 on conflict do nothing`,
        [clusterId],
      );
      const { rows } = await client.query<{ revision: number; turns: string }>(
        'select revision, turns from expectation_progress where cluster_id = $1 for update',
        [clusterId],
      );
      const [known] = rows;
      if (known?.revision !== from) return false;
      let last = Number(known.turns);
      const numbered = turns.map((turn) => ({
        ...turn,
        turn: ++last,
        cause: turn.cause && JSON.stringify(turn.cause),
      }));
      if (numbered.length > 0) {
        await client.query(
          `insert into expectation_turns (cluster_id, turn, name, revision, captured_at, former, verdict, reason, cause)
           select c.id, turn, t.name, revision, "capturedAt", former, verdict, reason, cause
           from clusters c cross join json_to_recordset($2) as t (turn bigint, name text, revision integer,
             "capturedAt" timestamptz, former text, verdict text, reason text, cause text)
           where c.id = $1`,
          [clusterId, JSON.stringify(numbered)],
        );
      }
      await client.query(
        'update expectation_progress set revision = $2, turns = $3, verdicts = $4 where cluster_id = $1',
        [clusterId, revision, last, JSON.stringify(verdicts)],
      );
      if (numbered.length > 0) await notifyTrail(client, clusterId);
      return true;
    });
  }

  /** Turns, newest first. @param before returns turns with a lower number */
  async page(
    clusterId: number,
    { name, limit, before }: { readonly name?: string; readonly limit: number; readonly before?: number },
  ): Promise<readonly StoredTurn[]> {
    const rows = await this.database.query<Row>(
      `select ${COLUMNS} from expectation_turns
       where cluster_id = $1 and ($2::text is null or name = $2) and ($3::bigint is null or turn < $3)
       order by turn desc limit $4`,
      [clusterId, name ?? null, before ?? null, limit],
    );
    return rows.map(toTurn);
  }

  /** The last turn of each name, the newest first. */
  async latest(clusterId: number, names: readonly string[]): Promise<readonly StoredTurn[]> {
    const rows = await this.database.query<Row>(
      `select * from (
         select distinct on (name) ${COLUMNS} from expectation_turns
         where cluster_id = $1 and name = any($2::text[]) order by name, expectation_turns.turn desc) t
       order by turn desc`,
      [clusterId, names],
    );
    return rows.map(toTurn);
  }
}

const toTurn = ({ cause, ...row }: Row): StoredTurn => ({
  ...row,
  cause: cause === null ? null : (JSON.parse(cause) as StoredCause),
});
