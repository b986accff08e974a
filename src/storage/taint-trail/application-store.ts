import type { ClientBase } from 'pg';
import { ruleSubject } from '../../core/audit/rule-subject.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import type { TrailDraft } from '../../core/audit/trail-record.js';
import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import type { LabelDifference } from '../../core/taint-change/label-difference.js';
import type { RecordedNodeChange } from '../../core/taint-change/undo-change.js';
import { batched } from '../batched.js';
import type { PlaceFailed } from '../cluster-places.js';
import { Database } from '../database.js';
import { ofClusters } from '../of-clusters.js';
import { notifyTrail } from '../head-notifications.js';
import { HeadMoved } from './head-moved.js';
import { appendToTrail } from './trail-writer.js';

/**
 * The state of an application. `stopped`: too many nodes failed, or the connection does not allow it any longer; `cancelled`: by a caller.
 * Both can be taken up again.
 */
export type ApplicationState = 'running' | 'done' | 'stopped' | 'cancelled';

/**
 * The state of a node. `waiting`: nothing was written; `writing`: a write was about to be sent, and its outcome is not known yet; `unchanged`: it
 * had the change already; `refused`: it always will be; `failed`: tried too often; `unknown`: a write was sent, and its outcome cannot be found out.
 */
export type ApplicationNodeState = 'waiting' | 'writing' | 'written' | 'unchanged' | 'refused' | 'failed' | 'unknown';

export const FAILURES: readonly ApplicationNodeState[] = ['refused', 'failed', 'unknown'];

export interface ApplicationToStart {
  readonly askedAt: Date;
  /** Plain JSON. */
  readonly askedBy: unknown;
  /** Plain JSON. */
  readonly options: unknown;
  /** The record of the request. */
  readonly draft: TrailDraft;
}

export interface StoredApplication {
  readonly clusterId: number;
  readonly changeId: string;
  readonly state: ApplicationState;
  readonly askedAt: Date;
  readonly askedBy: unknown;
  readonly options: unknown;
  readonly nextAt: Date | null;
  readonly endedAt: Date | null;
  readonly message: string | null;
}

export type NodeCounts = Readonly<Record<ApplicationNodeState, number>>;

export interface ApplicationProgress {
  readonly application: StoredApplication;
  readonly counts: NodeCounts;
}

export interface StoredApplicationNode {
  readonly position: number;
  readonly node: string;
  readonly uid: string | null;
  readonly state: ApplicationNodeState;
  readonly attempts: number;
  /** The version that the last write tested; null if none was sent, or it was to create the object. */
  readonly testedVersion: string | null;
  /** The version that was written, or found. */
  readonly resourceVersion: string | null;
  readonly code: number | null;
  readonly message: string | null;
  readonly warnings: readonly string[];
  readonly changedAt: Date | null;
}

/** A node whose turn it is, with the change to make. */
export interface NodeInTurn extends StoredApplicationNode, RecordedNodeChange {}

/** What became of a node. */
export type SettledNode = Pick<
  StoredApplicationNode,
  'state' | 'testedVersion' | 'resourceVersion' | 'code' | 'message' | 'warnings'
>;

/** How an application goes on after a node. */
export interface ApplicationStep {
  readonly state: ApplicationState;
  readonly nextAt: Date | null;
  readonly message: string | null;
}

/** For how long a replica alone writes to a cluster unless it extends its lease, in milliseconds. */
export const APPLICATION_LEASE_MS = 15_000;

const COLUMNS = `cluster_id::float8 as "clusterId", change_id as "changeId", state, asked_at as "askedAt",
  asked_by as "askedBy", options, next_at as "nextAt", ended_at as "endedAt", message`;

const NODE_COLUMNS = `n.position, n.node, n.uid, n.state, n.attempts, nullif(n.tested_version, '') as "testedVersion",
  n.resource_version as "resourceVersion", n.code, n.message, n.warnings, n.changed_at as "changedAt"`;

type Row = Omit<StoredApplication, 'askedBy' | 'options'> & { readonly askedBy: string; readonly options: string };
type NodeRow = Omit<StoredApplicationNode, 'warnings'> & { readonly warnings: string };

const toApplication = ({ askedBy, options, ...row }: Row): StoredApplication => ({
  ...row,
  askedBy: parseJson(askedBy),
  options: parseJson(options),
});
const toNode = <Stored extends NodeRow>({ warnings, ...row }: Stored) => ({
  ...row,
  warnings: JSON.parse(warnings) as readonly string[],
});

/**
 * Stores the application of a change whose intents are stored, in the order of their records.
 * @param revision the revision that the change created
 */
export async function insertApplication(
  client: ClientBase,
  {
    clusterId,
    changeId,
    revision,
  }: { readonly clusterId: number; readonly changeId: string; readonly revision: number },
  { askedAt, askedBy, options }: ApplicationToStart,
): Promise<void> {
  await client.query(
    `insert into taint_change_applications (cluster_id, change_id, state, asked_at, asked_by, options, next_at)
     values ($1, $2, 'running', $3, $4, $5, $3)`,
    [clusterId, changeId, askedAt, stringifyJson(askedBy), stringifyJson(options)],
  );
  await client.query(
    `insert into taint_change_application_nodes (cluster_id, change_id, position, node, uid, state)
     select i.cluster_id, i.change_id, row_number() over (order by i.sequence), i.node, v.uid, 'waiting'
     from node_intents i
     left join object_versions v on v.cluster_id = i.cluster_id and v.namespace = ''
       and v.kind = case when starts_with(i.node, $4) then 'DeviceTaintRule' else 'Node' end
       and v.name = case when starts_with(i.node, $4) then substr(i.node, length($4) + 1) else i.node end
       and v.valid_from <= $3 and (v.valid_to is null or v.valid_to > $3)
     where i.cluster_id = $1 and i.change_id = $2`,
    [clusterId, changeId, revision, ruleSubject('')],
  );
}

/** The applications of taint changes to their clusters. */
export class ApplicationStore {
  private readonly ofChangesOf = batched(
    async (asked: readonly { readonly clusterId: number; readonly changeIds: readonly string[] }[]) => {
      const values: unknown[] = [asked.flatMap(({ changeIds }) => changeIds)];
      const clusters = asked.map(({ clusterId }) => clusterId);
      const rows = await this.database.query<Row & { readonly nodes: Partial<Record<ApplicationNodeState, number>> }>(
        `select ${COLUMNS}, coalesce(n.nodes, '{}') as nodes
         from taint_change_applications a left join (
           select cluster_id as cluster, change_id as change, json_object_agg(state, count) as nodes
           from (select cluster_id, change_id, state, count(*)::integer as count from taint_change_application_nodes
                 where ${ofClusters('cluster_id', clusters, values)} and change_id = any($1::uuid[])
                 group by cluster_id, change_id, state) s
           group by cluster_id, change_id) n on n.cluster = cluster_id and n.change = change_id
         where ${ofClusters('cluster_id', clusters, values)} and change_id = any($1::uuid[])`,
        values,
      );
      const found = new Map(
        rows.map(({ nodes, ...row }) => {
          const counts = { ...countsOf([]), ...nodes };
          return [row.changeId, { application: toApplication(row), counts }];
        }),
      );
      return asked.map(
        ({ changeIds }) => new Map(changeIds.flatMap((id) => (found.has(id) ? [[id, found.get(id)!]] : []))),
      );
    },
  );

  constructor(private readonly database: Database) {}

  async get(clusterId: number, changeId: string): Promise<StoredApplication | undefined> {
    return (await this.ofChanges(clusterId, [changeId])).get(changeId)?.application;
  }

  /** The applications of these changes, with the number of nodes in each state. */
  async ofChanges(clusterId: number, changeIds: readonly string[]): Promise<ReadonlyMap<string, ApplicationProgress>> {
    return changeIds.length === 0 ? new Map() : this.ofChangesOf({ clusterId, changeIds });
  }

  /** The application of a change with its nodes, in their order, as they were at one moment. */
  async whole(
    clusterId: number,
    changeId: string,
  ): Promise<(ApplicationProgress & { readonly nodes: readonly StoredApplicationNode[] }) | undefined> {
    return this.atOneMoment(async (client) => {
      const { rows } = await client.query<Row>(
        `select ${COLUMNS} from taint_change_applications where cluster_id = $1 and change_id = $2`,
        [clusterId, changeId],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      const nodes = await client.query<NodeRow>(
        `select ${NODE_COLUMNS} from taint_change_application_nodes n
         where n.cluster_id = $1 and n.change_id = $2 order by n.position`,
        [clusterId, changeId],
      );
      const counts = countsOf([]);
      for (const { state } of nodes.rows) counts[state] += 1;
      return { application: toApplication(row), counts, nodes: nodes.rows.map(toNode) };
    });
  }

  private atOneMoment<Result>(read: (client: ClientBase) => Promise<Result>): Promise<Result> {
    return this.database.transaction(read, 'isolation level repeatable read read only');
  }

  /**
   * Starts the application of a stored change, or takes up one that has ended: nodes that have the change stay as they are, the others are
   * tried again.
   * @param judgedOn the head on which it was judged that the change may be written
   * @returns false if it is running, or every node has the change
   * @throws {HeadMoved} if another one is the head: judge it again
   */
  async start(
    judgedOn: number,
    change: { readonly clusterId: number; readonly changeId: string; readonly revision: number },
    toStart: ApplicationToStart,
  ): Promise<boolean> {
    const { clusterId, changeId } = change;
    return this.database.transaction(async (client) => {
      const name = await lockCluster(client, clusterId);
      if (name === undefined) return false;
      const heads = await client.query<{ head: number }>('select head_revision as head from clusters where id = $1', [
        clusterId,
      ]);
      const { head } = heads.rows[0]!;
      if (head !== judgedOn) throw new HeadMoved(head);
      const known = await client.query<{ state: ApplicationState }>(
        'select state from taint_change_applications where cluster_id = $1 and change_id = $2',
        [clusterId, changeId],
      );
      const [former] = known.rows;
      if (former === undefined) await insertApplication(client, change, toStart);
      else {
        // An unanswered write must be judged before the node is tried again.
        const again = await client.query(
          `update taint_change_application_nodes
           set state = case when state = 'unknown' then 'writing' else 'waiting' end, attempts = 0, code = null, message = null
           where cluster_id = $1 and change_id = $2 and state <> all($3::text[])
             and $4::text <> 'running'`,
          [clusterId, changeId, ['written', 'unchanged', 'writing'], former.state],
        );
        if (again.rowCount === 0) return false;
        await client.query(
          `update taint_change_applications set state = 'running', asked_at = $3, asked_by = $4, options = $5, next_at = $3,
             ended_at = null, message = null where cluster_id = $1 and change_id = $2`,
          [clusterId, changeId, toStart.askedAt, stringifyJson(toStart.askedBy), stringifyJson(toStart.options)],
        );
      }
      await appendToTrail(client, { id: clusterId, name }, [toStart.draft], { recordedAt: toStart.askedAt });
      await notifyTrail(client, clusterId);
      return true;
    });
  }

  /**
   * Ends an application before its time. A write that was sent is still judged.
   * @param draft the record, from the number of nodes in each state
   * @returns false if it is not running
   */
  async cancel(
    clusterId: number,
    changeId: string,
    {
      at,
      message,
      draft,
    }: { readonly at: Date; readonly message: string; readonly draft: (counts: NodeCounts) => TrailDraft },
  ): Promise<boolean> {
    return this.database.transaction(async (client) => {
      const name = await lockCluster(client, clusterId);
      if (name === undefined) return false;
      await lockApplication(client, clusterId, changeId);
      const { rowCount } = await client.query(
        `update taint_change_applications a set state = 'cancelled', message = $4, ended_at = $3,
           next_at = case when exists (select from taint_change_application_nodes n
             where n.cluster_id = $1 and n.change_id = $2 and n.state = 'writing') then $3::timestamptz end
         where cluster_id = $1 and change_id = $2 and state = 'running'`,
        [clusterId, changeId, at, message],
      );
      if (rowCount === 0) return false;
      const counts = await countNodes(client, clusterId, changeId);
      await appendToTrail(client, { id: clusterId, name }, [draft(counts)], { recordedAt: at });
      await notifyTrail(client, clusterId);
      return true;
    });
  }

  /**
   * The clusters that have something to do, longest due first, at most so many of each place.
   * @param among the clusters that are asked about; all, if it is left out
   */
  async due(
    now: Date,
    limit: number,
    failed: PlaceFailed,
    among?: readonly number[],
  ): Promise<readonly { readonly clusterId: number; readonly name: string }[]> {
    const rows = await this.database.places.ofAll(
      (ids) =>
        this.database.query<{ readonly clusterId: number; readonly name: string; readonly at: Date }>(
          `select c.id::float8 as "clusterId", c.name, a.at
           from (select cluster_id, min(next_at) as at from taint_change_applications
                 where cluster_id = any($3::bigint[]) and next_at <= $1 group by cluster_id) a
           join clusters c on c.id = a.cluster_id and c.id = any($3::bigint[]) order by a.at limit $2`,
          [now, limit, ids],
        ),
      failed,
      among,
    );
    return rows.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  }

  /** Leases a cluster to a replica. @returns false if another one has it, or the cluster is gone */
  async lease(holder: string, clusterId: number, now: Date): Promise<boolean> {
    const leased = await this.database.query(
      `insert into application_leases as l (cluster_id, holder, leased_until)
       select id, $1, $3 from clusters where id = $4
       on conflict (cluster_id) do update set holder = excluded.holder, leased_until = excluded.leased_until
         where l.holder = $1 or l.leased_until <= $2
       returning 1`,
      [holder, now, new Date(now.getTime() + APPLICATION_LEASE_MS), clusterId],
    );
    return leased.length > 0;
  }

  /** Extends the lease of a replica on a cluster, unless another replica has taken it over. */
  async extend(holder: string, clusterId: number, now: Date): Promise<void> {
    await this.database.query('update application_leases set leased_until = $3 where holder = $1 and cluster_id = $2', [
      holder,
      clusterId,
      new Date(now.getTime() + APPLICATION_LEASE_MS),
    ]);
  }

  /** Ends the lease of a replica on a cluster. */
  async release(holder: string, clusterId: number): Promise<void> {
    await this.database.query('delete from application_leases where holder = $1 and cluster_id = $2', [
      holder,
      clusterId,
    ]);
  }

  /** When there is next something to do; undefined if there is nothing. Parameters as of `due`. */
  async nextAt(failed: PlaceFailed, among?: readonly number[]): Promise<Date | undefined> {
    return this.database.places.first(
      (ids) =>
        this.database.query(
          'select min(next_at) as at from taint_change_applications where cluster_id = any($1::bigint[])',
          [ids],
        ),
      failed,
      among,
    );
  }

  /** The application whose turn it is in a cluster: they run one after another, in the order in which they were asked for. */
  async inTurn(clusterId: number, now: Date): Promise<StoredApplication | undefined> {
    const [row] = await this.database.query<Row>(
      `select * from (select ${COLUMNS} from taint_change_applications where cluster_id = $1 and next_at is not null
                      order by asked_at, change_id limit 1) a where a."nextAt" <= $2`,
      [clusterId, now],
    );
    return row && toApplication(row);
  }

  /** The next node of an application: one whose write is not decided, else the first one that waits; undefined if none is left. */
  async nodeInTurn(clusterId: number, changeId: string, onlyWriting: boolean): Promise<NodeInTurn | undefined> {
    const [row] = await this.database.query<NodeRow & { difference: string; labels: string | null }>(
      `select ${NODE_COLUMNS}, i.difference, i.labels from taint_change_application_nodes n
       join node_intents i on i.cluster_id = n.cluster_id and i.change_id = n.change_id and i.node = n.node
       where n.cluster_id = $1 and n.change_id = $2 and n.state = any($3::text[])
       order by n.state = 'writing' desc, n.position limit 1`,
      [clusterId, changeId, onlyWriting ? ['writing'] : ['writing', 'waiting']],
    );
    if (row === undefined) return undefined;
    const { difference, labels, ...node } = row;
    return {
      ...toNode(node),
      difference: parseJson(difference) as unknown as TaintDifference,
      ...(labels !== null && { labels: parseJson(labels) as unknown as LabelDifference }),
    };
  }

  /**
   * Notes that a write is about to be sent, with the version that it tests.
   * @returns false if it must not be sent: the application was cancelled, or another replica has the cluster
   */
  async noteWriting(
    holder: string,
    { clusterId, changeId }: StoredApplication,
    position: number,
    testedVersion: string,
    now: Date,
  ): Promise<boolean> {
    const rows = await this.database.query(
      `with held as (
         update application_leases set leased_until = $6 where cluster_id = $1 and holder = $4 and leased_until > $7 returning 1),
       running as (
         select from taint_change_applications where cluster_id = $1 and change_id = $2 and state = 'running' for update)
       update taint_change_application_nodes n set state = 'writing', tested_version = $5, changed_at = $7
       where n.cluster_id = $1 and n.change_id = $2 and n.position = $3 and n.state in ('waiting', 'writing')
         and exists (select from running) and exists (select from held)
       returning 1`,
      [clusterId, changeId, position, holder, testedVersion, new Date(now.getTime() + APPLICATION_LEASE_MS), now],
    );
    return rows.length > 0;
  }

  /** Counts an attempt that decided nothing, and when the next one is due. */
  async postpone(
    holder: string,
    { clusterId, changeId }: StoredApplication,
    position: number,
    {
      state,
      code,
      message,
      nextAt,
      now,
    }: {
      readonly state: 'waiting' | 'writing';
      readonly code: number | null;
      readonly message: string | null;
      readonly nextAt: Date;
      readonly now: Date;
    },
  ): Promise<void> {
    await this.database.query(
      `with held as (select from application_leases where cluster_id = $1 and holder = $4),
       node as (
         update taint_change_application_nodes set state = $5, attempts = attempts + 1, code = $6, message = $7, changed_at = $9
         where cluster_id = $1 and change_id = $2 and position = $3 and exists (select from held) returning 1)
       update taint_change_applications set next_at = $8, message = $7
       where cluster_id = $1 and change_id = $2 and next_at is not null and exists (select from node)`,
      [clusterId, changeId, position, holder, state, code, message, nextAt, now],
    );
  }

  /**
   * Stores what became of a node, with its record.
   * @param then how the application goes on, from the number of nodes in each state; with a record if it ends
   * @returns false if another replica has the cluster meanwhile, and nothing was stored
   */
  async settle(
    holder: string,
    { clusterId, changeId }: StoredApplication,
    node: { readonly position: number; readonly settled: SettledNode; readonly draft: TrailDraft } | undefined,
    now: Date,
    then: (counts: NodeCounts, state: ApplicationState) => ApplicationStep & { readonly draft?: TrailDraft },
  ): Promise<boolean> {
    return this.database.transaction(async (client) => {
      const name = await lockCluster(client, clusterId);
      const held = await client.query('select from application_leases where cluster_id = $1 and holder = $2', [
        clusterId,
        holder,
      ]);
      if (name === undefined || held.rowCount === 0) return false;
      if (node !== undefined) await storeNode(client, clusterId, changeId, node.position, node.settled, now);
      const { rows } = await client.query<{ state: ApplicationState }>(
        'select state from taint_change_applications where cluster_id = $1 and change_id = $2',
        [clusterId, changeId],
      );
      const step = then(await countNodes(client, clusterId, changeId), rows[0]!.state);
      await client.query(
        `update taint_change_applications set state = $3, next_at = $4, message = $5,
           ended_at = case when $3 = 'running' then null else coalesce(ended_at, $6) end
         where cluster_id = $1 and change_id = $2`,
        [clusterId, changeId, step.state, step.nextAt, step.message, now],
      );
      const drafts = [...(node === undefined ? [] : [node.draft]), ...(step.draft === undefined ? [] : [step.draft])];
      if (drafts.length > 0) {
        await appendToTrail(client, { id: clusterId, name }, drafts, { recordedAt: now });
        await notifyTrail(client, clusterId);
      }
      return true;
    });
  }
}

async function storeNode(
  client: ClientBase,
  clusterId: number,
  changeId: string,
  position: number,
  { state, testedVersion, resourceVersion, code, message, warnings }: SettledNode,
  now: Date,
): Promise<void> {
  await client.query(
    `update taint_change_application_nodes set state = $4, tested_version = $5, resource_version = $6, code = $7,
       message = $8, warnings = $9, changed_at = $10, attempts = attempts + 1
     where cluster_id = $1 and change_id = $2 and position = $3`,
    [
      clusterId,
      changeId,
      position,
      state,
      testedVersion,
      resourceVersion,
      code,
      message,
      JSON.stringify(warnings),
      now,
    ],
  );
}

/** A write is noted under this lock, so that the statements after it see every write that was noted. */
async function lockApplication(client: ClientBase, clusterId: number, changeId: string): Promise<void> {
  await client.query('select from taint_change_applications where cluster_id = $1 and change_id = $2 for update', [
    clusterId,
    changeId,
  ]);
}

async function lockCluster(client: ClientBase, clusterId: number): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>('select name from clusters where id = $1 for no key update', [
    clusterId,
  ]);
  return rows[0]?.name;
}

async function countNodes(client: ClientBase, clusterId: number, changeId: string): Promise<NodeCounts> {
  const { rows } = await client.query<{ state: ApplicationNodeState; count: number }>(
    `select state, count(*)::integer as count from taint_change_application_nodes
     where cluster_id = $1 and change_id = $2 group by state`,
    [clusterId, changeId],
  );
  return countsOf(rows);
}

function countsOf(
  rows: readonly { readonly state: ApplicationNodeState; readonly count: number }[],
): Record<ApplicationNodeState, number> {
  const counts: Record<ApplicationNodeState, number> = {
    waiting: 0,
    writing: 0,
    written: 0,
    unchanged: 0,
    refused: 0,
    failed: 0,
    unknown: 0,
  };
  for (const { state, count } of rows) counts[state] = count;
  return counts;
}
