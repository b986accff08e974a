import type { ClientBase } from 'pg';

/** Runs one statement: a connection, or the database. */
type Query = <Row extends object>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** The most names that are remembered; the ones that were needed least recently are forgotten first. */
const REMEMBERED = 20_000;

/**
 * The names of clusters and their ids, by which every statement about a cluster finds its rows: a Postgres that is distributed by
 * cluster then asks one node.
 *
 * What is remembered needs no check: an id is given once, so the id of a cluster that was removed has no row, and whoever finds none
 * looks the name up again. The row in `clusters` alone says that a cluster exists, not its name here. A name without such a row was
 * claimed for a cluster that was not stored, or is that of one that was just removed.
 */
export class ClusterDirectory {
  private readonly ids = new Map<string, number>();

  /**
   * What `find` finds under the id of the cluster with this name: under the remembered one, or else under that in the directory.
   * @param find returns undefined if nothing has the id
   */
  async resolve<Found>(
    query: Query,
    name: string,
    find: (id: number) => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const known = this.remembered(name);
    if (known !== undefined) {
      const found = await find(known);
      if (found !== undefined) return found;
      this.ids.delete(name);
    }
    const id = (await this.lookUp(query, [name])).get(name);
    if (id === undefined || id === known) return undefined;
    const found = await find(id);
    if (found !== undefined) this.remember(name, id);
    return found;
  }

  /** The same for several clusters. @param find returns what it finds, by name */
  async resolveAll<Found>(
    query: Query,
    names: readonly string[],
    find: (ids: readonly number[]) => Promise<ReadonlyMap<string, Found>>,
  ): Promise<ReadonlyMap<string, Found>> {
    const known = new Map(
      names.flatMap((name) => {
        const id = this.remembered(name);
        return id === undefined ? [] : [[name, id] as const];
      }),
    );
    const first = known.size === 0 ? new Map<string, Found>() : await find([...known.values()]);
    const missing = [...new Set(names)].filter((name) => !first.has(name));
    if (missing.length === 0) return first;
    for (const name of missing) this.ids.delete(name);
    const ids = await this.lookUp(query, missing);
    for (const [name, id] of known) if (ids.get(name) === id) ids.delete(name);
    if (ids.size === 0) return first;
    const second = await find([...ids.values()]);
    for (const [name, id] of ids) if (second.has(name)) this.remember(name, id);
    return new Map([...first, ...second]);
  }

  /**
   * Claims a name that no cluster has, and returns the id for `insertCluster`; that of the cluster if there is one. In a transaction of
   * its own where that is possible: until it ends, nobody else can claim a name in a distributed database.
   * @param own the id to claim it for, from `draw`
   */
  async claim(query: Query, name: string, own?: number): Promise<number> {
    const given = own === undefined ? '(name) values ($1)' : '(name, id) values ($1, $2)';
    const [row] = await query<{ id: string }>(
      `insert into cluster_names as n ${given}
       on conflict (name) where not removed do update set name = excluded.name returning n.id`,
      own === undefined ? [name] : [name, own],
    );
    return Number(row!.id);
  }

  /** Takes an id that nobody else gets. */
  async draw(client: ClientBase): Promise<number> {
    // The service has no right to the sequence itself.
    await client.query('savepoint before_id');
    const { rows } = await client.query<{ id: string }>(
      `insert into cluster_names (name, removed) values ('', true) returning id`,
    );
    await client.query('rollback to savepoint before_id');
    return Number(rows[0]!.id);
  }

  /** Gives the name of a removed cluster free. Where that fails, whoever creates a cluster of the name does it. */
  async release(query: Query, id: number): Promise<void> {
    await query('update cluster_names set removed = true where id = $1 and not removed', [id]);
  }

  /** The ids of all clusters that ever had one of these names; without names, of all that ever were. */
  async everNamed(query: Query, names?: readonly string[]): Promise<readonly number[]> {
    const rows = await query<{ id: string }>(
      'select id from cluster_names where $1::text[] is null or name = any($1::text[])',
      [names ?? null],
    );
    return rows.map(({ id }) => Number(id));
  }

  private async lookUp(query: Query, names: readonly string[]): Promise<Map<string, number>> {
    const rows = await query<{ id: string; name: string }>(
      'select id, name from cluster_names where name = any($1::text[]) and not removed',
      [names],
    );
    return new Map(rows.map(({ id, name }) => [name, Number(id)]));
  }

  private remembered(name: string): number | undefined {
    const id = this.ids.get(name);
    if (id !== undefined) this.remember(name, id);
    return id;
  }

  private remember(name: string, id: number): void {
    this.ids.delete(name);
    this.ids.set(name, id);
    if (this.ids.size > REMEMBERED) this.ids.delete(this.ids.keys().next().value!);
  }
}

/** Runs the statements of a directory on a connection, in its transaction. */
export const on =
  (client: ClientBase): Query =>
  async <Row extends object>(text: string, values: readonly unknown[]) =>
    (await client.query<Row>(text, [...values])).rows;

/**
 * Creates the row of a cluster whose name is claimed, unless it is there.
 * @returns its id, and whether it was created
 */
export async function insertCluster(
  client: ClientBase,
  directory: ClusterDirectory,
  { id, name, labels }: { readonly id: number; readonly name: string; readonly labels: string | null },
): Promise<{ readonly id: number; readonly created: boolean }> {
  const insert = async (given: number): Promise<boolean> => {
    const { rowCount } = await client.query(
      `insert into clusters (id, name, labels) overriding system value values ($1, $2, coalesce($3::jsonb, '{}'))
       on conflict do nothing`,
      [given, name, labels],
    );
    return rowCount === 1;
  };
  if (!(await insert(id))) return { id, created: false };
  // The trail of a removed cluster is closed: its id is not given again.
  const { rowCount } = await client.query('select from taint_trail where cluster_id = $1 limit 1', [id]);
  if (rowCount === 0) return { id, created: true };
  await client.query('delete from clusters where id = $1', [id]);
  await directory.release(on(client), id);
  const next = await directory.claim(on(client), name);
  return { id: next, created: await insert(next) };
}
