import type { TaintDifference } from '../../src/core/audit/taint-difference.js';
import { sql } from '../support/sql.js';

/** A revision, with the change that made it. */
export interface StoredRevision {
  readonly number: number;
  readonly kind: string;
  readonly source: string | null;
}

export interface StoredChange {
  readonly id: string;
  readonly revision: number;
  readonly sequence: number;
  readonly madeAt: Date;
  readonly action: string;
  readonly undoes: string | null;
  readonly expiry: string | null;
  readonly undoneBy: string | null;
  readonly reason: string;
  readonly outcomes: readonly { readonly node: string; readonly outcome: string }[];
}

export interface StoredTrailRow {
  readonly sequence: number;
  readonly revision: number | null;
  readonly kind: string;
  readonly changeId: string | null;
  readonly node: string | null;
  readonly channel: string | null;
  readonly hash: string;
  readonly content: string;
}

/** All changes of a cluster in the database, in order. */
export interface StoredHistory {
  readonly head: number;
  readonly revisions: readonly StoredRevision[];
  readonly changes: readonly StoredChange[];
  readonly trail: readonly StoredTrailRow[];
  /** By change and node. */
  readonly intents: readonly { readonly changeId: string; readonly node: string }[];
  /** Nodes with more than one current version, or none. */
  readonly wrongNodes: readonly string[];
}

/** The content of a record of a change of a node. */
export const differenceIn = ({ content }: StoredTrailRow): TaintDifference =>
  (JSON.parse(content) as { difference: TaintDifference }).difference;

/** Reads the history without the service. */
export async function readHistory(url: string, cluster: string): Promise<StoredHistory> {
  const [known] = await sql<{ id: string; head: number }>(
    url,
    `select id, head_revision as head from clusters where name = '${cluster}'`,
  );
  const { id, head } = known!;
  const changes = await sql<Omit<StoredChange, 'reason' | 'outcomes' | 'sequence'> & Record<string, string>>(
    url,
    `select id, revision, sequence, made_at as "madeAt", action, undoes, undone_by as "undoneBy", expiry, details, outcomes
     from taint_changes where cluster_id = ${id} order by sequence`,
  );
  const trail = await sql<StoredTrailRow & { readonly sequence: string }>(
    url,
    `select sequence, revision, kind, change_id as "changeId", node, channel, hash, content
     from taint_trail where cluster_id = ${id} order by sequence`,
  );
  return {
    head,
    revisions: await sql(url, `select number, kind, source from revisions where cluster_id = ${id} order by number`),
    changes: changes.map(({ sequence, details, outcomes, ...change }) => ({
      ...change,
      sequence: Number(sequence),
      reason: (JSON.parse(details!) as { reason: string }).reason,
      outcomes: JSON.parse(outcomes!) as StoredChange['outcomes'],
    })),
    trail: trail.map((row) => ({ ...row, sequence: Number(row.sequence) })),
    intents: await sql(url, `select change_id as "changeId", node from node_intents where cluster_id = ${id}`),
    wrongNodes: (
      await sql<{ name: string }>(
        url,
        `select name from object_versions where cluster_id = ${id} and kind = 'Node'
         group by name having count(*) filter (where valid_to is null) <> 1`,
      )
    ).map(({ name }) => name),
  };
}
