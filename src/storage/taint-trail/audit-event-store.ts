import type { ClientBase } from 'pg';
import type { AuditEventRow } from '../../core/audit/audit-event-row.js';
import { ruleOf } from '../../core/audit/rule-subject.js';
import { Database } from '../database.js';
import { notifyTrail } from '../head-notifications.js';
import { ClusterNotFound } from '../storage-error.js';
import { addAuditEvents } from './evidence-store.js';
import { type AddedRecords, keepTrail } from './trail-keeper.js';

/** The result of adding audit events. */
export interface KeptAuditEvents {
  /** The number of new events. */
  readonly kept: number;
  /** The records added to the trail for them. */
  readonly records: AddedRecords;
  /** The nodes and rules of the new events, by their subject. */
  readonly nodes: readonly string[];
  /** Those nodes that no stored snapshot contains. */
  readonly unknownNodes: readonly string[];
}

/** Stores Kubernetes audit events about nodes, and adds the resulting records to the trail. */
export class AuditEventStore {
  constructor(private readonly database: Database) {}

  /**
   * Stores each event once, and adds to the trail what the events reveal, all or nothing. Events and snapshots may arrive in
   * any order; if an event makes a record more precise, a new record supersedes it and refers to it.
   *
   * @throws {ClusterNotFound}
   */
  async add(clusterId: number, events: readonly AuditEventRow[], recordedAt: Date): Promise<KeptAuditEvents> {
    return this.database.transaction(async (client) => {
      await client.query("set local statement_timeout = '10min'; set local idle_in_transaction_session_timeout = '1h'");
      const { rows } = await client.query<{ name: string }>(
        'select name from clusters where id = $1 for no key update',
        [clusterId],
      );
      const [cluster] = rows;
      if (cluster === undefined) throw new ClusterNotFound(clusterId);
      const { added, nodes } = await addAuditEvents(client, clusterId, events);
      const records = await keepTrail(client, { id: clusterId, name: cluster.name }, nodes, { recordedAt });
      if (records.size > 0) await notifyTrail(client, clusterId);
      return {
        kept: added,
        records,
        nodes,
        unknownNodes: await nodesNeverSeen(
          client,
          clusterId,
          nodes.filter((node) => ruleOf(node) === undefined),
        ),
      };
    });
  }
}

async function nodesNeverSeen(
  client: ClientBase,
  clusterId: number,
  nodes: readonly string[],
): Promise<readonly string[]> {
  if (nodes.length === 0) return [];
  const { rows } = await client.query<{ node: string }>(
    `select node from unnest($2::text[]) with ordinality as n (node, place)
     where not exists (select from node_observations o where o.cluster_id = $1 and o.node = n.node)
       and not exists (
         select from object_versions v
         where v.cluster_id = $1 and v.kind = 'Node' and v.namespace = '' and v.name = n.node)
     order by place`,
    [clusterId, nodes],
  );
  return rows.map(({ node }) => node);
}
