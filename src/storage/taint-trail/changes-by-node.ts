import { Database } from '../database.js';
import { conditionsOf, type TrailFilter } from './trail-filter.js';
import { type StoredRecord, TrailReader } from './trail-reader.js';

/** Records that are read at once. */
const BATCH = 1_000;
/** Numbers of records that are in memory at once, unless one node has more. */
const NUMBERS = 50_000;

/** Reads the changes of a trail node by node, those of a node in the order of time. */
export class ChangesByNode {
  constructor(
    private readonly database: Database,
    private readonly reader: TrailReader,
  ) {}

  /**
   * The changes of nodes with more than `atLeast` of them, in batches of some thousand. Left out are changes made here that the
   * cluster never showed, and what was superseded.
   */
  async *batches(
    clusterId: number,
    filter: TrailFilter,
    atLeast: number,
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    for (const nodes of inGroups(await this.busyNodes(clusterId, filter, atLeast))) {
      const sequences = await this.inOrder(clusterId, filter, nodes);
      for (let start = 0; start < sequences.length; start += BATCH) {
        const wanted = sequences.slice(start, start + BATCH);
        const rows = new Map((await this.reader.getAll(clusterId, wanted)).map((row) => [row.sequence, row] as const));
        yield wanted.flatMap((sequence) => rows.get(sequence) ?? []);
      }
    }
  }

  private async busyNodes(clusterId: number, filter: TrailFilter, atLeast: number): Promise<readonly BusyNode[]> {
    const values: unknown[] = [clusterId, atLeast];
    return this.database.query<BusyNode>(
      `select t.node, count(*)::integer as changes from taint_trail t
       where ${changesOf(filter, values)} and t.node is not null
       group by t.node having count(*) >= $2 order by t.node`,
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
           where i.cluster_id = t.cluster_id and i.change_id = t.change_id and i.node = t.node and i.kind = 'intent'
             and i.content::json ->> 'status' in ('notApplied', 'overwritten')
             and not exists (select from taint_trail_superseded s
                             where s.cluster_id = i.cluster_id and s.sequence = i.sequence)))
       order by t.node, t.happened_at, t.sequence`,
      values,
    );
    return rows.map(({ sequence }) => sequence);
  }
}

interface BusyNode {
  readonly node: string;
  readonly changes: number;
}

function changesOf(filter: TrailFilter, values: unknown[]): string {
  return ['t.cluster_id = $1', ...conditionsOf({ ...filter, kinds: ['change'], current: true }, values)].join(' and ');
}

function* inGroups(busy: readonly BusyNode[]): Generator<readonly string[]> {
  let group: string[] = [];
  let size = 0;
  for (const { node, changes } of busy) {
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
