import type { ClientBase } from 'pg';
import type { AuditEventRow } from '../../core/audit/audit-event-row.js';
import { Database } from '../database.js';
import { notifyTrail } from '../head-notifications.js';
import { ClusterNotFound } from '../storage-error.js';
import { addAuditEvents } from './evidence-store.js';
import { type AddedRecords, keepTrail } from './trail-keeper.js';

/** What became of some audit events. */
export interface KeptAuditEvents {
  /** How many were not there before. */
  readonly kept: number;
  /** The records that the trail was given for them. */
  readonly records: AddedRecords;
  /** The nodes that new events are about, in the order of their names. */
  readonly nodes: readonly string[];
  /** Those of them that no stored snapshot shows. */
  readonly unknownNodes: readonly string[];
}

/** Kubernetes audit events about nodes, and what the trail makes of them. */
export class AuditEventStore {
  constructor(private readonly database: Database) {}

  /**
   * Keeps these events, each once, and adds to the trail what they say beyond what was known: all or nothing. Events and
   * snapshots may come in any order; a record that an event makes better is superseded, and the new one names it.
   *
   * @throws {ClusterNotFound}
   */
  async add(clusterId: number, events: readonly AuditEventRow[], recordedAt: Date): Promise<KeptAuditEvents> {
    return this.database.transaction(async (client) => {
      await client.query("set local statement_timeout = '10min'; set local idle_in_transaction_session_timeout = '1h'");
      const { rows } = await client.query<{ name: string }>('select name from clusters where id = $1 for update', [
        clusterId,
      ]);
      const [cluster] = rows;
      if (cluster === undefined) throw new ClusterNotFound(clusterId);
      const { added, nodes } = await addAuditEvents(client, clusterId, events);
      const records = await keepTrail(client, { id: clusterId, name: cluster.name }, nodes, { recordedAt });
      if (records.size > 0) await notifyTrail(client, clusterId);
      return { kept: added, records, nodes, unknownNodes: await nodesNeverSeen(client, clusterId, nodes) };
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
