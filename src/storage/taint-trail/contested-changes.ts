import { Database } from '../database.js';
import { conditionsOf, type TrailFilter } from './trail-filter.js';
import { type StoredRecord, TrailReader } from './trail-reader.js';

/** How often the writers of a taint must alternate, and within what time. */
export interface Contest {
  readonly min: number;
  readonly windowSeconds: number;
}

/** The number of records to read at once. */
const BATCH = 1_000;
/** The maximum number of record numbers in memory at once, unless one node has more. */
const NUMBERS = 50_000;

interface ContestedNode {
  readonly node: string;
  readonly changes: number;
}

/** Reads the changes of nodes where writers may have alternately changed the same taint. */
export class ContestedChanges {
  constructor(
    private readonly database: Database,
    private readonly reader: TrailReader,
  ) {}

  /**
   * The changes node by node, those of a node in order of time, a thousand at a time. Excludes changes made through this
   * service that the cluster never showed, and superseded records. Nodes are selected by the columns alone, so that the
   * contents of other records need not be read; the caller decides whether there was a conflict.
   */
  async *batches(
    clusterId: number,
    filter: TrailFilter,
    contest: Contest,
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    for (const nodes of inGroups(await this.contestedNodes(clusterId, filter, contest))) {
      const sequences = await this.inOrder(clusterId, filter, nodes);
      for (let start = 0; start < sequences.length; start += BATCH) {
        const wanted = sequences.slice(start, start + BATCH);
        const rows = new Map((await this.reader.getAll(clusterId, wanted)).map((row) => [row.sequence, row] as const));
        yield wanted.flatMap((sequence) => rows.get(sequence) ?? []);
      }
    }
  }

  /**
   * The nodes with a key whose writer changed often and fast enough. A change without an author may be anyone's; a cordon
   * belongs to the taint that follows it. One change fewer than requested is enough here, because two records about the same
   * change may move it to an earlier time.
   */
  private async contestedNodes(
    clusterId: number,
    filter: TrailFilter,
    { min, windowSeconds }: Contest,
  ): Promise<readonly ContestedNode[]> {
    const values: unknown[] = [clusterId, Math.max(0, min - 2), windowSeconds];
    return this.database.query<ContestedNode>(
      `with moves as (
         select t.node, t.author, t.happened_at as at, t.sequence,
                case when k.key = 'node.kubernetes.io/unschedulable' then '' else k.key end as key
         from taint_trail t
         cross join lateral unnest(case when t.taint_keys = '{}' then array[''] else t.taint_keys end) as k (key)
         where ${changesOf(filter, values)} and t.node is not null),
       turns as (
         select node, key, at from (
           select node, key, at, author, lag(author) over w as former, row_number() over w as place
           from moves window w as (partition by node, key order by at, sequence)) m
         where place > 1 and (author is null or author is distinct from former)),
       contested as (
         select distinct node from (
           select node, at, lag(at, $2::integer) over (partition by node, key order by at) as since from turns) t
         where at - since <= make_interval(secs => $3))
       select node, count(*)::integer as changes from moves join contested using (node) group by node order by node`,
      values,
    );
  }

  private async inOrder(clusterId: number, filter: TrailFilter, nodes: readonly string[]): Promise<readonly number[]> {
    const values: unknown[] = [clusterId, nodes];
    const rows = await this.database.query<{ sequence: number }>(
      `select t.sequence::float8 as sequence from taint_trail t
       where ${changesOf(filter, values)} and t.node = any($2::text[])
         and not (t.channel = 'api' and exists (
           select from taint_trail i
           where i.cluster_id = $1 and i.change_id = t.change_id and i.node = t.node and i.kind = 'intent'
             and i.content ~ '"status":"(notApplied|overwritten)"'
             and not exists (select from taint_trail_superseded s
                             where s.cluster_id = $1 and s.sequence = i.sequence)))
       order by t.node, t.happened_at, t.sequence`,
      values,
    );
    return rows.map(({ sequence }) => sequence);
  }
}

function changesOf(filter: TrailFilter, values: unknown[]): string {
  return ['t.cluster_id = $1', ...conditionsOf({ ...filter, kinds: ['change'], current: true }, values, '$1')].join(
    ' and ',
  );
}

function* inGroups(contested: readonly ContestedNode[]): Generator<readonly string[]> {
  let group: string[] = [];
  let size = 0;
  for (const { node, changes } of contested) {
    if (size > 0 && size + changes > NUMBERS) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(node);
    size += changes;
  }
  if (group.length > 0) yield group;
}
