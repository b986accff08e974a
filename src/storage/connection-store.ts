import { Database } from './database.js';
import { notifyConnection } from './head-notifications.js';
import { NulCharacter } from './storage-error.js';

/** How the API server of a cluster is reached. */
export interface StoredConnection {
  readonly details: ConnectionDetails;
  /** The credentials, encrypted; null for the service account of the service. */
  readonly secret: string | null;
  readonly createdAt: Date;
  readonly createdBy: string;
}

/** What is no secret of a connection. */
export interface ConnectionDetails {
  /** The URL; null for the API server of the cluster that the service runs in. */
  readonly server: string | null;
  /** PEM; null: the CAs that the service trusts. */
  readonly ca: string | null;
  readonly serverName: string | null;
  /** The context of the kubeconfig. */
  readonly context: string | null;
  readonly user: 'token' | 'certificate' | 'serviceAccount';
  /** Whether questions may create objects as dry runs. */
  readonly dryRuns: boolean;
  /** Whether the service may write taint changes; absent in connections from before it could. */
  readonly writes?: boolean;
  /** Whether the service follows the cluster; absent in connections from before it could. */
  readonly follow?: boolean;
}

interface Row {
  readonly details: string;
  readonly secret: string | null;
  readonly createdAt: Date;
  readonly createdBy: string;
}

/** The connections of clusters, at most one each. */
export class ConnectionStore {
  constructor(private readonly database: Database) {}

  async find(clusterId: number): Promise<StoredConnection | undefined> {
    const [row] = await this.database.query<Row>(
      `select details, secret, created_at as "createdAt", created_by as "createdBy"
       from cluster_connections where cluster_id = $1`,
      [clusterId],
    );
    return row && { ...row, details: JSON.parse(row.details) as ConnectionDetails };
  }

  /**
   * Replaces the connection of a cluster.
   * @returns false if the cluster does not exist any longer
   * @throws {NulCharacter}
   */
  async put(clusterId: number, { details, secret, createdAt, createdBy }: StoredConnection): Promise<boolean> {
    const text = JSON.stringify(details);
    if (`${text}${createdBy}`.includes('\0')) throw new NulCharacter('the connection');
    return this.change(
      clusterId,
      `insert into cluster_connections (cluster_id, details, secret, created_at, created_by)
       select id, $2, $3, $4, $5 from clusters where id = $1
       on conflict (cluster_id) do update set details = excluded.details, secret = excluded.secret,
         created_at = excluded.created_at, created_by = excluded.created_by`,
      [text, secret, createdAt, createdBy],
    );
  }

  /** @returns false if there was none */
  async delete(clusterId: number): Promise<boolean> {
    return this.change(clusterId, 'delete from cluster_connections where cluster_id = $1', []);
  }

  /** Runs a statement about a cluster, whose id is `$1`. @returns whether it changed anything, of which replicas are notified */
  private async change(clusterId: number, sql: string, values: readonly unknown[]): Promise<boolean> {
    return this.database.transaction(async (client) => {
      const { rowCount } = await client.query(sql, [clusterId, ...values]);
      if (rowCount === 0) return false;
      await notifyConnection(client, clusterId);
      return true;
    });
  }
}
