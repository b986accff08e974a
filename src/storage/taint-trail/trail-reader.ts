import type { RecordColumns } from '../../core/audit/record-columns.js';
import type { TrailRecordKind } from '../../core/audit/trail-record.js';
import { batched } from '../batched.js';
import { Database } from '../database.js';
import { ofClusters, unionOf } from '../of-clusters.js';
import { conditionsOf, type TrailFilter } from './trail-filter.js';

/** A stored record. */
export interface StoredRecord extends RecordColumns {
  readonly hash: string;
  /** The canonical JSON that the hash covers. */
  readonly content: string;
  /** The record that supersedes this one. */
  readonly supersededBy: number | null;
}

export type TrailOrder = 'newest' | 'oldest';

/** A position in a list across several trails, ordered by time. */
export interface PlaceInTime {
  readonly at: string;
  readonly clusterId: number;
  readonly sequence: number;
}

interface RecordsPage {
  readonly limit: number;
  readonly order: TrailOrder;
  readonly after?: number;
}

interface RecordsWanted {
  readonly clusterId: number;
  readonly filter: TrailFilter;
  readonly page: RecordsPage;
}

/** The number of records that `batches` reads at once. */
const BATCH = 1_000;
/** A key with at most this number of records is looked up by its own index. */
const RARE = 2_000;

const utc = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const COLUMNS = `
  t.cluster_id::float8 as "clusterId", t.cluster_name as "clusterName", t.sequence::float8 as sequence,
  ${utc('t.recorded_at')} as "recordedAt", t.revision, t.kind, t.node, t.change_id as "changeId",
  ${utc('t.happened_from')} as "happenedFrom", ${utc('t.happened_at')} as "happenedAt", t.author, t.channel,
  t.taint_keys as "taintKeys", t.effects, t.hash, t.content, s.by_sequence::float8 as "supersededBy"`;

/** Joins what supersedes the records `t`. @param cluster an expression for the id of their cluster */
const superseding = (cluster: string): string =>
  `left join taint_trail_superseded s on s.cluster_id = ${cluster} and s.sequence = t.sequence`;

/** Reads the records of trails. The cost depends on the records returned, or with a filter on those that it has to check. */
export class TrailReader {
  /** Pages of several trails with the same filter and page settings, in one statement. */
  private readonly pageOf = batched(async (wanted: readonly RecordsWanted[]) => {
    const nameOf = ({ filter, page }: RecordsWanted): string => JSON.stringify([filter, page]);
    const alike = new Map(wanted.map((one) => [nameOf(one), one]));
    const found = new Map<string, readonly StoredRecord[]>();
    for (const [name, { filter, page }] of alike) {
      const ids = wanted.flatMap((one) => (nameOf(one) === name ? [one.clusterId] : []));
      found.set(name, await this.pages(ids, filter, page));
    }
    return wanted.map((one) => found.get(nameOf(one))!.filter(({ clusterId }) => clusterId === one.clusterId));
  });

  constructor(private readonly database: Database) {}

  /** Records of one trail beyond `after`, by number. */
  async page(clusterId: number, filter: TrailFilter, page: RecordsPage): Promise<readonly StoredRecord[]> {
    return this.pageOf({ clusterId, filter, page });
  }

  private async pages(
    clusterIds: readonly number[],
    filter: TrailFilter,
    page: RecordsPage,
  ): Promise<readonly StoredRecord[]> {
    const ids = [...new Set(clusterIds)];
    const rare = await this.rareKey(ids, filter);
    const newest = page.order === 'newest';
    const order = `sequence ${newest ? 'desc' : 'asc'}`;
    const { text, values } = unionOf(ids, (id, value, all) => {
      const cluster = value(id, 'bigint');
      const conditions = [`t.cluster_id = ${cluster}`, ...conditionsOf(filter, all, cluster)];
      if (rare !== undefined) conditions.push(`t.sequence = any(${value(rare.get(id) ?? [], 'bigint[]')})`);
      if (page.after !== undefined) conditions.push(`t.sequence ${newest ? '<' : '>'} ${value(page.after, 'bigint')}`);
      return `select ${COLUMNS} from taint_trail t ${superseding(cluster)} where ${conditions.join(' and ')}
              order by t.${order} limit ${value(page.limit, 'integer')}`;
    });
    return this.database.read<StoredRecord>(`select * from (${text}) t order by ${order}`, values);
  }

  /** Records of several trails by time; records of the same time by trail and number. */
  async pageAcross(
    clusterIds: readonly number[],
    filter: TrailFilter,
    page: { readonly limit: number; readonly order: TrailOrder; readonly after?: PlaceInTime },
  ): Promise<readonly StoredRecord[]> {
    const newest = page.order === 'newest';
    const values: unknown[] = [clusterIds, page.limit];
    const conditions = ['t.cluster_id = c.cluster_id', ...conditionsOf(filter, values, 't.cluster_id')];
    const rare = await this.rareKey(clusterIds, filter);
    if (rare !== undefined) {
      const records = [...rare].flatMap(([id, sequences]) => sequences.map((sequence) => [id, sequence] as const));
      const trails = values.push(records.map(([id]) => id));
      const numbers = values.push(records.map(([, sequence]) => sequence));
      conditions.push(
        `(t.cluster_id, t.sequence) in (select * from unnest($${trails}::bigint[], $${numbers}::bigint[]))`,
      );
    }
    if (page.after !== undefined) {
      const { at, clusterId, sequence } = page.after;
      const [first, second, third] = [values.push(at), values.push(clusterId), values.push(sequence)];
      conditions.push(
        `(t.happened_at, t.cluster_id, t.sequence) ${newest ? '<' : '>'} ($${first}::timestamptz, $${second}, $${third})`,
      );
    }
    const order = (of: string): string =>
      ['happened_at', 'cluster_id', 'sequence'].map((name) => `${of}.${name} ${newest ? 'desc' : 'asc'}`).join(', ');
    // Read at most a page of each trail by its index, and only the contents of the resulting page. The first record stands for its
    // trail: a distributed Postgres reads its pages where it is.
    return this.database.query<StoredRecord>(
      `select ${COLUMNS} from (
         select k.* from taint_trail c cross join lateral (
           select t.happened_at, t.cluster_id, t.sequence from taint_trail t
           where ${conditions.join(' and ')} order by ${order('t')} limit $2) k
         where c.cluster_id = any($1::bigint[]) and c.sequence = 1
         order by ${order('k')} limit $2) k
       join taint_trail t on t.cluster_id = k.cluster_id and t.sequence = k.sequence ${superseding('t.cluster_id')}
       order by ${order('t')}`,
      values,
    );
  }

  /**
   * Finds the records of a rare key by its index: the planner does not know that the key is rare, and would scan the trail.
   * @returns their numbers, by trail; undefined for a frequent key or if the filter names a node
   */
  private async rareKey(
    clusterIds: readonly number[],
    { key, node, change }: TrailFilter,
  ): Promise<ReadonlyMap<number, readonly number[]> | undefined> {
    if (key === undefined || node !== undefined || change !== undefined) return undefined;
    const values: unknown[] = [key];
    const hits = await this.database.query<{ clusterId: number; sequence: number }>(
      `select cluster_id::float8 as "clusterId", sequence::float8 as sequence from taint_trail
       where ${ofClusters('cluster_id', clusterIds, values)} and taint_keys @> array[$1::text] limit ${RARE + 1}`,
      values,
    );
    if (hits.length > RARE) return undefined;
    const found = new Map<number, number[]>();
    for (const { clusterId, sequence } of hits) {
      const ofTrail = found.get(clusterId);
      if (ofTrail === undefined) found.set(clusterId, [sequence]);
      else ofTrail.push(sequence);
    }
    return found;
  }

  /**
   * The newest records of each of several nodes, up to a maximum per node, without superseded ones; in no particular order.
   */
  async ofNodes(
    clusterId: number,
    nodes: readonly string[],
    { kinds, mostOfOne }: { readonly kinds: readonly TrailRecordKind[]; readonly mostOfOne: number },
  ): Promise<readonly StoredRecord[]> {
    const values: unknown[] = [clusterId, nodes, mostOfOne];
    const conditions = [
      't.cluster_id = $1',
      't.node = n.node',
      ...conditionsOf({ kinds, current: true }, values, '$1'),
    ];
    return this.database.query<StoredRecord>(
      `select ${COLUMNS} from unnest($2::text[]) as n (node) cross join lateral (
         select t.* from taint_trail t where ${conditions.join(' and ')} order by t.sequence desc limit $3) t
       ${superseding('$1')}`,
      values,
    );
  }

  async get(clusterId: number, sequence: number): Promise<StoredRecord | undefined> {
    const [record] = await this.getAll(clusterId, [sequence]);
    return record;
  }

  /** The existing records with these numbers, in order. */
  async getAll(clusterId: number, sequences: readonly number[]): Promise<readonly StoredRecord[]> {
    return this.database.query<StoredRecord>(
      `select ${COLUMNS} from taint_trail t ${superseding('$1')}
       where t.cluster_id = $1 and t.sequence = any($2::bigint[])
       order by t.sequence`,
      [clusterId, sequences],
    );
  }

  /**
   * Records of one trail, oldest first, in batches of a thousand, reading one batch ahead. A trail only grows, so a slow
   * consumer needs no open transaction.
   * @param until the last number to return; later records are left out
   */
  async *batches(
    clusterId: number,
    filter: TrailFilter,
    until: number,
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    const read = (after: number): Promise<readonly StoredRecord[]> => {
      const rows = this.page(clusterId, filter, { limit: BATCH, order: 'oldest', after });
      // The consumer sees the error when it awaits the batch, but it may have left.
      rows.catch(() => undefined);
      return rows;
    };
    // Read the next batch while the previous one is processed.
    for (let next = read(0); ;) {
      const rows = await next;
      const wanted = rows.filter(({ sequence }) => sequence <= until);
      const isLast = rows.length < BATCH || wanted.length < rows.length;
      if (!isLast) next = read(rows.at(-1)!.sequence);
      if (wanted.length > 0) yield wanted;
      if (isLast) return;
    }
  }
}
