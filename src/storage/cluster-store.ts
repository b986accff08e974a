import type { ClientBase } from 'pg';
import { In } from 'typeorm';
import type { Labels } from '../core/kubernetes/objects/meta.js';
import type { Selector } from '../core/kubernetes/label-selector.js';
import { batched } from './batched.js';
import { insertCluster, on } from './cluster-directory.js';
import { Database } from './database.js';
import { ClusterEntity } from './entities/cluster-entity.js';
import { notifyClusterDeleted, notifyRelabelled } from './head-notifications.js';
import { ClusterNotFound, NulCharacter } from './storage-error.js';
import { appendToTrail } from './taint-trail/trail-writer.js';

/** A named Kubernetes cluster whose state is stored. */
export interface Cluster {
  readonly id: number;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  /** The newest revision; 0 if there is none. */
  readonly headRevision: number;
}

/** What was deleted with a cluster. */
export interface DeletedCluster {
  readonly cluster: Cluster;
  readonly revisions: number;
  readonly objectVersions: number;
}

/** The clusters by name. The caller must validate names and labels, which are stored unchanged. */
export class ClusterStore {
  private readonly byName = batched(async (names: readonly string[]) => {
    const found = await this.database.directory.resolveAll(this.query, names, async (ids) => {
      const rows = await this.database.entities((manager) => manager.findBy(ClusterEntity, { id: In([...ids]) }));
      return new Map(rows.map((row) => [row.name, toCluster(row)]));
    });
    return names.map((name) => found.get(name));
  });

  private readonly query = <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    this.database.query<Row>(text, values);

  constructor(private readonly database: Database) {}

  /**
   * Creates the cluster, or sets the labels of an existing one; without `labels`, an existing cluster keeps its own. The
   * operation is idempotent.
   * @throws {NulCharacter}
   * @throws {ClusterNotFound} if the cluster is deleted at the same time
   */
  async put(
    name: string,
    labels?: Readonly<Record<string, string>>,
  ): Promise<{ readonly cluster: Cluster; readonly created: boolean }> {
    if (name.includes('\0')) throw new NulCharacter('the name of the cluster');
    const given = labels === undefined ? null : JSON.stringify(labels);
    const { directory } = this.database;
    const former = await this.get(name);
    const claimed = former?.id ?? (await directory.claim(this.query, name));
    return this.database.transaction(async (client) => {
      const { id, created } =
        former === undefined
          ? await insertCluster(client, directory, { id: claimed, name, labels: given })
          : { id: claimed, created: false };
      if (!created && given !== null) {
        const { rowCount } = await client.query(
          'update clusters set labels = $2 where id = $1 and labels <> $2::jsonb',
          [id, given],
        );
        if (rowCount !== 0) await notifyRelabelled(client, id);
      }
      const row = await findRow(client, id, name);
      if (row === undefined) throw new ClusterNotFound(name);
      return { cluster: toCluster(row), created };
    });
  }

  async get(name: string): Promise<Cluster | undefined> {
    if (name.includes('\0')) return undefined;
    return this.byName(name);
  }

  async getById(id: number): Promise<Cluster | undefined> {
    const row = await this.database.entities((manager) => manager.findOneBy(ClusterEntity, { id: String(id) }));
    return row === null ? undefined : toCluster(row);
  }

  /**
   * The names of the clusters that a selector matches, in byte order; of all without one. Lists read this for each page, so no more is read of
   * clusters that are not on it.
   */
  async names(selector?: Selector): Promise<readonly string[]> {
    const rows =
      selector === undefined
        ? await this.database.query<Pick<ClusterRow, 'name'>>('select name from clusters order by name')
        : (
            await this.database.query<Pick<ClusterRow, 'name' | 'labels'>>(
              'select name, labels from clusters where labels @> $1::jsonb order by name',
              [JSON.stringify(demandedBy(selector))],
            )
          ).filter(({ labels }) => selector.matches(labels));
    return rows.map(({ name }) => name);
  }

  /** All clusters, by name in byte order. */
  async list(): Promise<readonly Cluster[]> {
    const rows = await this.database.query<ClusterRow>(`select ${COLUMNS} from clusters order by name`);
    return rows.map(toCluster);
  }

  /**
   * Deletes the cluster with its revisions and objects, after any commit in progress. Its trail remains, and ends with a
   * record of the deletion.
   * @returns undefined if there is no such cluster
   */
  async delete(name: string, { author, at }: { author: string; at: Date }): Promise<DeletedCluster | undefined> {
    if (name.includes('\0')) return undefined;
    const { directory } = this.database;
    const deleted = await this.database.transaction(async (client) => {
      await client.query('set local statement_timeout = 0');
      const row = await directory.resolve(on(client), name, (id) => findRow(client, id, name, 'for update'));
      if (row === undefined) return undefined;
      const cluster = toCluster(row);
      const versions = await client.query('delete from object_versions where cluster_id = $1', [cluster.id]);
      const revisions = await client.query('delete from revisions where cluster_id = $1', [cluster.id]);
      await appendToTrail(
        client,
        { id: cluster.id, name },
        [
          {
            kind: 'closed',
            body: { by: { username: author }, at: at.toISOString(), revisions: revisions.rowCount ?? 0 },
            index: { happenedAt: at.toISOString(), author, channel: 'api', taints: [] },
          },
        ],
        { recordedAt: at },
      );
      for (const table of EVIDENCE) await client.query(`delete from ${table} where cluster_id = $1`, [cluster.id]);
      await client.query('delete from clusters where id = $1', [cluster.id]);
      await notifyClusterDeleted(client, cluster.id);
      return { cluster, revisions: revisions.rowCount ?? 0, objectVersions: versions.rowCount ?? 0 };
    });
    if (deleted !== undefined) await this.forget(deleted.cluster.id);
    return deleted;
  }

  /** What concerns a removed cluster in tables that are not distributed by cluster; without it, nothing reads it. */
  private async forget(id: number): Promise<void> {
    await this.database.directory.release(this.query, id);
    await this.database.query('delete from notification_rules where cluster_id = $1', [id]);
  }
}

/** Labels without which a selector matches nothing. */
function demandedBy({ requirements = [] }: Selector): Labels {
  const isOne = (operator: string): boolean => operator === '=' || operator === '==' || operator === 'in';
  return Object.fromEntries(
    requirements.flatMap(({ key, operator, values: [value, ...others] }) =>
      value !== undefined && others.length === 0 && isOne(operator) ? [[key, value] as const] : [],
    ),
  );
}

/** The tables that the trail was derived from; it no longer needs them. */
const EVIDENCE = [
  'taint_changes',
  'node_intents',
  'observed_nodes',
  'node_sightings',
  'device_taint_rule_sightings',
  'node_observations',
  'node_audit_events',
];

type ClusterRow = Pick<ClusterEntity, 'id' | 'name' | 'labels' | 'createdAt' | 'headRevision'>;

const COLUMNS = 'id, name, labels, created_at as "createdAt", head_revision as "headRevision"';

async function findRow(
  client: ClientBase,
  id: number,
  name: string,
  locking: '' | 'for update' = '',
): Promise<ClusterRow | undefined> {
  const { rows } = await client.query<ClusterRow>(
    `select ${COLUMNS} from clusters where id = $1 and name = $2 ${locking}`,
    [id, name],
  );
  return rows[0];
}

function toCluster(row: ClusterRow): Cluster {
  const { id, name, labels, createdAt, headRevision } = row;
  return { id: Number(id), name, labels, createdAt, headRevision };
}
