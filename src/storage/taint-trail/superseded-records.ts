import { Database } from '../database.js';

/** A record and the record that supersedes it. */
export interface Superseding {
  readonly sequence: number;
  readonly by: number;
}

/** The number of entries to read per statement. */
const BATCH = 5_000;

/**
 * Compares two sources of superseded records: a table next to the trail, used by lists, and the superseding records in the
 * trail itself.
 */
export class SupersededRecords {
  constructor(private readonly database: Database) {}

  /**
   * The first superseding pair in the records whose row in the table is missing or names a later record; a record superseded
   * several times is stored with the first.
   */
  async notKept(
    clusterId: number,
    said: readonly Superseding[],
  ): Promise<(Superseding & { readonly kept: number | null }) | undefined> {
    if (said.length === 0) return undefined;
    const [wrong] = await this.database.query<Superseding & { readonly kept: number | null }>(
      `select p.sequence::float8 as sequence, p.by::float8 as by, s.by_sequence::float8 as kept
       from unnest($2::bigint[], $3::bigint[]) as p (sequence, by)
       left join taint_trail_superseded s on s.cluster_id = $1 and s.sequence = p.sequence
       where s.by_sequence is null or s.by_sequence > p.by
       order by p.by, p.sequence limit 1`,
      [clusterId, said.map(({ sequence }) => sequence), said.map(({ by }) => by)],
    );
    return wrong;
  }

  /**
   * All pairs in the table, in batches, each with whether the superseding record contains it. All contents must be valid JSON.
   */
  async *kept(
    clusterId: number,
  ): AsyncGenerator<readonly (Superseding & { readonly isSaid: boolean })[], void, undefined> {
    for (let after = 0; ;) {
      const rows = await this.database.query<Superseding & { readonly isSaid: boolean }>(
        `select s.sequence::float8 as sequence, s.by_sequence::float8 as by,
                exists (select from taint_trail t, json_array_elements_text(t.content::json -> 'supersedes') as e (said)
                        where t.cluster_id = $1 and t.sequence = s.by_sequence and e.said = s.sequence::text) as "isSaid"
         from taint_trail_superseded s where s.cluster_id = $1 and s.sequence > $2
         order by s.sequence limit ${BATCH}`,
        [clusterId, after],
      );
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.sequence;
    }
  }
}
