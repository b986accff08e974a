import { Database } from './database.js';

/** The time since when a pod has been on its node, as far as stored revisions show. */
export interface PlacedSince {
  /** The first stored revision with the pod on this node. */
  readonly revision: number;
  readonly capturedAt: Date;
  /** Whether that is the oldest stored revision, so that the pod may have been there before. */
  readonly isOldest: boolean;
}

interface Row {
  readonly valid_from: number;
  readonly valid_to: number | null;
  readonly uid: string | null;
  readonly node: string | null;
}

/** The maximum number of versions of one pod to read; each change of its status creates one. */
const MAX_VERSIONS = 10_000;

/** Finds when pods were placed on their nodes. */
export class PodPlacements {
  constructor(private readonly database: Database) {}

  /** The placement of a pod in a revision; undefined if it is on no node. */
  async since(
    clusterId: number,
    revision: number,
    { namespace, name }: { readonly namespace: string; readonly name: string },
  ): Promise<PlacedSince | undefined> {
    const rows = await this.database.query<Row>(
      `select valid_from, valid_to, uid, content::jsonb #>> '{spec,nodeName}' as node from object_versions
       where cluster_id = $1 and kind = 'Pod' and namespace = $3 and name = $4 and valid_from <= $2
       order by valid_from desc limit ${MAX_VERSIONS}`,
      [clusterId, revision, namespace, name],
    );
    const [last] = rows;
    if (last === undefined || last.node === null || (last.valid_to !== null && last.valid_to <= revision))
      return undefined;
    let first = last;
    for (const row of rows.slice(1)) {
      if (row.node !== last.node || row.uid !== last.uid || row.valid_to !== first.valid_from) break;
      first = row;
    }
    const [found] = await this.database.query<{ number: number; captured_at: Date; oldest: number }>(
      `select number, captured_at, (select min(number) from revisions where cluster_id = $1) as oldest from revisions
       where cluster_id = $1 and number >= $2 order by number limit 1`,
      [clusterId, first.valid_from],
    );
    if (found === undefined) return undefined;
    const { number, captured_at: capturedAt, oldest } = found;
    return { revision: number, capturedAt, isOldest: number === oldest };
  }
}
