import { In } from 'typeorm';
import { batched } from './batched.js';
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
    const rows = await this.database.entities((manager) => manager.findBy(ClusterEntity, { name: In(names) }));
    const found = new Map(rows.map((row) => [row.name, toCluster(row)]));
    return names.map((name) => found.get(name));
  });

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
    return this.database.transaction(async (client) => {
      const find = async () =>
        (await client.query<ClusterRow>(`select ${COLUMNS} from clusters where name = $1`, [name])).rows[0];
      const former = await find();
      let created = false;
      if (former === undefined) {
        const inserted = await client.query(
          `insert into clusters (name, labels) values ($1, coalesce($2::jsonb, '{}')) on conflict (name) do nothing`,
          [name, given],
        );
        created = inserted.rowCount === 1;
      }
      if (!created && given !== null) {
        const updated = await client.query<{ id: string }>(
          'update clusters set labels = $2 where name = $1 and labels <> $2::jsonb returning id',
          [name, given],
        );
        for (const { id } of updated.rows) await notifyRelabelled(client, Number(id));
      }
      const row = await find();
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

  /** All clusters, by name in byte order. */
  async list(): Promise<readonly Cluster[]> {
    const rows = await this.database.entities((manager) => manager.find(ClusterEntity, { order: { name: 'ASC' } }));
    return rows.map(toCluster);
  }

  /**
   * Deletes the cluster with its revisions and objects, after any commit in progress. Its trail remains, and ends with a
   * record of the deletion.
   * @returns undefined if there is no such cluster
   */
  async delete(name: string, { author, at }: { author: string; at: Date }): Promise<DeletedCluster | undefined> {
    if (name.includes('\0')) return undefined;
    return this.database.transaction(async (client) => {
      await client.query('set local statement_timeout = 0');
      const { rows } = await client.query<ClusterRow>(`select ${COLUMNS} from clusters where name = $1 for update`, [
        name,
      ]);
      if (rows[0] === undefined) return undefined;
      const cluster = toCluster(rows[0]);
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
  }
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

function toCluster(row: ClusterRow): Cluster {
  const { id, name, labels, createdAt, headRevision } = row;
  return { id: Number(id), name, labels, createdAt, headRevision };
}
