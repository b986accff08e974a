import type { ClientBase } from 'pg';
import { ruleSubject } from '../../core/audit/rule-subject.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import type { TrailDraft } from '../../core/audit/trail-record.js';
import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import type { LabelDifference } from '../../core/taint-change/label-difference.js';
import type { RecordedNodeChange } from '../../core/taint-change/undo-change.js';
import { Slices } from '../../event-loop/slices.js';
import { batched } from '../batched.js';
import { byteaArray, textArray } from '../binary-array.js';
import type { PlaceFailed } from '../cluster-places.js';
import { Database } from '../database.js';
import { commitWith, headMadeHere } from '../head-notifications.js';
import { lockCluster } from '../lock-cluster.js';
import { unionOf } from '../of-clusters.js';
import type { KindCounts, Revision } from '../revision.js';
import { sentTogether } from '../sent-together.js';
import { ClusterNotFound } from '../storage-error.js';
import type { VersionSettings } from '../version-settings.js';
import { WriteStatement } from '../write-statement.js';
import { insertApplication, type ApplicationToStart } from './application-store.js';
import { type AskedStep, takeStep } from './asked-step.js';
import { nodeColumns, nodeRow, type NodeRow } from './node-row.js';
import { HeadMoved } from './head-moved.js';
import { addToTrail, appendToTrail, type TrailHead, trailHead } from './trail-writer.js';

/** The state of a change's time limit; `refused`: the nodes had changed since. */
export type ExpiryState = 'pending' | 'done' | 'cancelled' | 'refused';

/** The origin of a change: a request, a requested reversal, or an automatic reversal at the end of the time limit. */
export type TaintChangeAction = 'change' | 'revert' | 'expiry';

/** The idempotency key of a request: a repeated request gets the same response. */
export interface IdempotencyKey {
  readonly key: string;
  readonly requestHash: string;
}

interface ChangesWanted {
  readonly clusterId: number;
  readonly before: number;
  readonly limit: number;
}

/** The outcome for one node. */
export interface ChangedNode extends RecordedNodeChange {
  /** The node after the change. */
  readonly after: Node;
  /** The record of the node's change. */
  readonly draft: TrailDraft;
}

/** The outcome for a DeviceTaintRule. */
export interface ChangedRule extends RecordedNodeChange {
  /** See `ruleSubject`. */
  readonly subject: string;
  readonly draft: TrailDraft;
}

export interface TaintChangeToCommit {
  readonly id: string;
  readonly clusterId: number;
  readonly action: TaintChangeAction;
  readonly madeAt: Date;
  readonly author: string;
  /** The revision that the change was computed from. */
  readonly head: number;
  readonly idempotency?: IdempotencyKey;
  readonly undoes?: string;
  readonly expiresAt?: Date;
  /** Contains at least one node, unless the change is of a rule. */
  readonly nodes: readonly ChangedNode[];
  /** The change is of a DeviceTaintRule, which is not changed in the state. */
  readonly rule?: ChangedRule;
  /** The record of the request. */
  readonly request: TrailDraft;
  /** Other properties of the change, stored verbatim: plain JSON. */
  readonly details: unknown;
  /** The outcome for each requested node, changed or not, stored verbatim: plain JSON. */
  readonly outcomes: unknown;
  /** The id of the change whose expiry this one executes. Its expiry must still be pending. */
  readonly settlesExpiryOf?: string;
  /** How it is to be written to the cluster; absent for a mere intent. */
  readonly application?: ApplicationToStart;
  /** The change waited for approval, which this step completes. */
  readonly approval?: AskedStep;
}

export interface CommittedTaintChange {
  readonly revision: number;
  /** The sequence number of the request's record; those of the nodes follow it. */
  readonly sequence: number;
  /** The value of the revision: see `Revision`. */
  readonly unconfirmedNodes: number;
  /** The revision as it is stored. */
  readonly made: Omit<Revision, keyof VersionSettings>;
}

/** The status of a change on one node: see `IntentOutcome`. */
export type IntentStatus = 'recorded' | 'confirmed' | 'notApplied' | 'overwritten';

export interface StoredNodeChange extends RecordedNodeChange {
  readonly node: string;
  readonly sequence: number;
  readonly status: IntentStatus;
  /** The source of the status: a snapshot or an audit event; null if there is none yet. */
  readonly saidBy: unknown;
}

export interface StoredTaintChange {
  readonly id: string;
  readonly clusterId: number;
  readonly revision: number;
  readonly sequence: number;
  readonly madeAt: Date;
  readonly action: TaintChangeAction;
  readonly author: string;
  readonly undoes: string | null;
  readonly undoneBy: string | null;
  readonly expiresAt: Date | null;
  /** `pending`, `done`, `cancelled` (reverted earlier), `refused` (the nodes had changed since); null without an expiry. */
  readonly expiry: ExpiryState | null;
  readonly requestHash: string | null;
  readonly details: unknown;
}

/** The number of nodes of a change with each status. */
export type StatusCounts = Readonly<Record<IntentStatus, number>>;

/** The members of a node change's record that are returned to a writer with an outdated revision. */
export interface ChangeSince {
  readonly revision: number;
  readonly node: string;
  readonly author: string | null;
  readonly channel: string;
  /** The content of the record. */
  readonly content: string;
}

/** Another request has used the idempotency key in the meantime, or another replica has executed the expiry. */
export class AlreadyDone extends Error {
  override readonly name = 'AlreadyDone';
}

/** The taint changes made through this service. */
export class TaintChangeStore {
  private readonly listOf = batched(async (pages: readonly ChangesWanted[]) => {
    const { text, values } = unionOf(
      pages.map((page, place) => ({ ...page, place })),
      ({ clusterId, before, limit, place }, value) =>
        `select ${place} as place, c.* from (
           ${SELECT} where cluster_id = ${value(clusterId, 'bigint')} and sequence < ${value(before, 'bigint')}
           order by sequence desc limit ${value(limit, 'integer')}) c`,
    );
    const rows = await this.database.query<ChangeRow & { readonly place: number }>(
      `select * from (${text}) c order by sequence desc`,
      values,
    );
    const changes: StoredTaintChange[][] = pages.map(() => []);
    for (const { place, ...row } of rows) changes[place]!.push(toChange(row));
    return changes;
  });

  private readonly countOf = batched(async (asked: readonly Omit<ChangesWanted, 'limit'>[]) => {
    const { text, values } = unionOf(
      asked.map((one, place) => ({ ...one, place })),
      ({ clusterId, before, place }, value) =>
        `select ${value(place, 'integer')} as place, count(*)::integer as count from taint_changes
         where cluster_id = ${value(clusterId, 'bigint')} and sequence < ${value(before, 'bigint')}`,
    );
    const rows = await this.database.query<{ count: number }>(`select * from (${text}) c order by place`, values);
    return rows.map(({ count }) => count);
  });

  private readonly statusCountsOf = batched(
    async (asked: readonly { readonly clusterId: number; readonly ids: readonly string[] }[]) => {
      const rows = await this.database.query<{ id: string } & StatusCounts>(
        `select change_id as id, ${STATUSES.map(
          (status) => `(count(*) filter (where status = '${status}'))::integer as "${status}"`,
        ).join(', ')}
         from node_intents where cluster_id = any($1::bigint[]) and change_id = any($2::uuid[]) group by change_id`,
        [asked.map(({ clusterId }) => clusterId), asked.flatMap(({ ids }) => ids)],
      );
      const counts = new Map(rows.map(({ id, ...statuses }) => [id, statuses]));
      return asked.map(({ ids }) => new Map(ids.flatMap((id) => (counts.has(id) ? [[id, counts.get(id)!]] : []))));
    },
  );

  constructor(private readonly database: Database) {}

  /**
   * Stores the changed nodes, the change as an intent, and its records, as the next revision, all or nothing.
   * @throws {HeadMoved} if the head has moved: compute the change again
   * @throws {AlreadyDone}
   * @throws {AskedMoved} somebody else decided on it meanwhile
   * @throws {ClusterNotFound}
   * @throws what `checkInTime` throws, which is called while the cluster is locked
   */
  async commit(change: TaintChangeToCommit, checkInTime?: () => void): Promise<CommittedTaintChange> {
    return this.database.session(async (client) => {
      const { clusterId, madeAt, application } = change;
      const { cluster, trail } = await beginWithLock(client, clusterId);
      await refuseRepetition(client, change);
      checkInTime?.();
      if (cluster.head !== change.head) throw new HeadMoved(cluster.head);
      // An approval has a record of its own, which comes before those of the change.
      if (change.approval !== undefined) await takeStep(client, cluster.name, change.approval);
      const head = change.approval === undefined ? trail : await trailHead(client, clusterId);
      const revision = cluster.head + 1;
      const sequence = head.sequence + 1;
      const write = new WriteStatement();
      await addToTrail(client, write, {
        cluster: { id: clusterId, name: cluster.name },
        head,
        drafts: [
          change.request,
          ...change.nodes.map(({ draft }) => draft),
          ...(change.rule ? [change.rule.draft] : []),
          ...(application ? [application.draft] : []),
        ],
        recordedAt: madeAt,
        revision,
      });
      const slices = new Slices();
      const observed = await addNodes(client, write, change, { revision, first: sequence + 1, slices });
      addRevision(write, change, revision, observed);
      if (change.rule !== undefined) {
        addIntents(write, 'intendedOfRule', change, [change.rule], sequence + 1 + change.nodes.length);
      }
      if (slices.due()) await slices.pause();
      addChange(write, change, revision, sequence);
      write.add(
        'moved',
        `update clusters set head_revision = ${write.value(revision, 'integer')}
         where id = ${write.value(clusterId, 'bigint')}`,
      );
      write.end('select * from numbered');
      if (slices.due()) await slices.pause();
      const commit = (): Promise<void> => commitWith(client, headMadeHere(clusterId, revision));
      const send = (): Promise<readonly RevisionRow[]> => write.run<RevisionRow>(client);
      let written: readonly RevisionRow[];
      if (application === undefined) [written] = await sentTogether(client, () => [send(), commit()]);
      else {
        written = await send();
        await insertApplication(client, { clusterId, changeId: change.id, revision }, application);
        await commit();
      }
      const made = toRevision(clusterId, written[0]!);
      return { revision, sequence, unconfirmedNodes: made.unconfirmedNodes, made };
    });
  }

  /** The name of the cluster of a change; undefined if there is none. */
  async clusterOf(id: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ name: string }>(
      'select c.name from clusters c join taint_changes t on t.cluster_id = c.id where t.id = $1',
      [id],
    );
    return row?.name;
  }

  async get(clusterId: number, id: string): Promise<StoredTaintChange | undefined> {
    const rows = await this.database.query<ChangeRow>(`${SELECT} where cluster_id = $1 and id = $2`, [clusterId, id]);
    return rows[0] === undefined ? undefined : toChange(rows[0]);
  }

  /** Changes whose record number is below `before`, newest first, at most `limit`. */
  async list(
    clusterId: number,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<readonly StoredTaintChange[]> {
    return this.listOf({ clusterId, before: page.before ?? Number.MAX_SAFE_INTEGER, limit: page.limit });
  }

  async count(clusterId: number, before = Number.MAX_SAFE_INTEGER): Promise<number> {
    return this.countOf({ clusterId, before });
  }

  async findByKey(clusterId: number, author: string, key: string): Promise<StoredTaintChange | undefined> {
    const rows = await this.database.query<ChangeRow>(
      `${SELECT} where cluster_id = $1 and author = $2 and idempotency_key = $3`,
      [clusterId, author, key],
    );
    return rows[0] === undefined ? undefined : toChange(rows[0]);
  }

  /** Resolves when whoever is committing to the cluster is done. */
  async settled(clusterId: number): Promise<void> {
    await this.database.transaction(async (client) => {
      await lockCluster(client, clusterId);
    });
  }

  /** The stored `TaintChangeToCommit.outcomes`; undefined if there is no such change. */
  async outcomes(clusterId: number, id: string): Promise<unknown> {
    const [row] = await this.database.query<{ outcomes: string }>(
      'select outcomes from taint_changes where cluster_id = $1 and id = $2',
      [clusterId, id],
    );
    return row === undefined ? undefined : parseJson(row.outcomes);
  }

  /** The records of node changes after a revision, oldest first. */
  async changesSince(
    clusterId: number,
    since: { readonly revision: number; readonly node?: string },
    limit: number,
  ): Promise<readonly ChangeSince[]> {
    const rows = await this.database.query<ChangeSince>(
      `select revision, node, author, channel, content from taint_trail t
       where cluster_id = $1 and revision > $2 and kind = 'change' and ($3::text is null or node = $3)
         and not exists (select from taint_trail_superseded s where s.cluster_id = $1 and s.sequence = t.sequence)
       order by sequence limit $4`,
      [clusterId, since.revision, since.node ?? null, limit],
    );
    return rows;
  }

  /** The nodes of a change, in the order of its records. */
  async nodesOf(clusterId: number, id: string): Promise<readonly StoredNodeChange[]> {
    const rows = await this.database.query<{
      node: string;
      sequence: string;
      status: IntentStatus;
      saidBy: string | null;
      difference: string;
      labels: string | null;
    }>(
      `select node, sequence, status, said_by as "saidBy", difference, labels from node_intents
       where cluster_id = $1 and change_id = $2 order by sequence`,
      [clusterId, id],
    );
    return rows.map(({ node, sequence, status, saidBy, difference, labels }) => ({
      node,
      sequence: Number(sequence),
      status,
      saidBy: saidBy === null ? null : parseJson(saidBy),
      ...recordedChange(difference, labels),
    }));
  }

  /** The changes of DeviceTaintRules that the cluster has not confirmed or shown otherwise, in their order. */
  async openRuleChanges(clusterId: number): Promise<readonly (RecordedNodeChange & { readonly node: string })[]> {
    const rows = await this.database.query<{ node: string; difference: string; labels: string | null }>(
      `select node, difference, labels from node_intents
       where cluster_id = $1 and starts_with(node, $2) and status = 'recorded' order by sequence`,
      [clusterId, ruleSubject('')],
    );
    return rows.map(({ node, difference, labels }) => ({ node, ...recordedChange(difference, labels) }));
  }

  /** The status counts of each change. */
  async statusCounts(clusterId: number, ids: readonly string[]): Promise<ReadonlyMap<string, StatusCounts>> {
    return this.statusCountsOf({ clusterId, ids });
  }

  /**
   * Changes whose time limit has passed and is still pending, the oldest first, at most so many of each place.
   * @param among the clusters that are asked about; all, if it is left out
   */
  async due(
    now: Date,
    limit: number,
    failed: PlaceFailed,
    among?: readonly number[],
  ): Promise<readonly (StoredTaintChange & { readonly cluster: string })[]> {
    const rows = await this.database.places.ofAll(
      (ids) =>
        this.database.query<ChangeRow & { readonly cluster: string; readonly expiresAt: Date }>(
          `select t.*, c.name as cluster
           from (${SELECT} where cluster_id = any($3::bigint[]) and expiry = 'pending' and expires_at <= $1) t
           join clusters c on c.id = t."clusterId" and c.id = any($3::bigint[]) order by t."expiresAt", t.id limit $2`,
          [now, limit, ids],
        ),
      failed,
      among,
    );
    return rows
      .toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime())
      .map((row) => ({ ...toChange(row), cluster: row.cluster }));
  }

  /** The time of the next expiry; undefined if there is none. Parameters as of `due`. */
  async nextExpiry(failed: PlaceFailed, among?: readonly number[]): Promise<Date | undefined> {
    return this.database.places.first(
      (ids) =>
        this.database.query(
          `select min(expires_at) as at from taint_changes where cluster_id = any($1::bigint[]) and expiry = 'pending'`,
          [ids],
        ),
      failed,
      among,
    );
  }

  /**
   * Ends an expiry without changing a node, with a record that states the reason.
   * @returns false if it was already ended
   */
  async endExpiry(
    clusterId: number,
    id: string,
    outcome: 'done' | 'refused',
    draft: TrailDraft,
    at: Date,
  ): Promise<boolean> {
    return this.database.transaction(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        'select name from clusters where id = $1 for no key update',
        [clusterId],
      );
      const ended = await client.query(
        `update taint_changes set expiry = $3 where cluster_id = $1 and id = $2 and expiry = 'pending'`,
        [clusterId, id, outcome],
      );
      if (rows[0] === undefined || ended.rowCount !== 1) return false;
      await appendToTrail(client, { id: clusterId, name: rows[0].name }, [draft], { recordedAt: at });
      return true;
    });
  }

  /**
   * The nodes of a revision with changes made through this service that no snapshot had decided, as last observed. Empty for
   * most revisions.
   */
  async observedNodes(clusterId: number, revision: number): Promise<readonly Node[]> {
    const rows = await this.database.query<{ content: string }>(
      `select content from observed_nodes
       where cluster_id = $1 and valid_from <= $2 and (valid_to is null or valid_to > $2)`,
      [clusterId, revision],
    );
    return rows.map(({ content }) => parseJson(content) as unknown as Node);
  }
}

const recordedChange = (difference: string, labels: string | null): RecordedNodeChange => ({
  difference: parseJson(difference) as unknown as TaintDifference,
  ...(labels !== null && { labels: parseJson(labels) as unknown as LabelDifference }),
});

const STATUSES: readonly IntentStatus[] = ['recorded', 'confirmed', 'notApplied', 'overwritten'];

const SELECT = `
  select cluster_id as "clusterId", id, revision, sequence, made_at as "madeAt", action, author, undoes,
         undone_by as "undoneBy", expires_at as "expiresAt", expiry, request_hash as "requestHash", details
  from taint_changes`;

type ChangeRow = Omit<StoredTaintChange, 'clusterId' | 'sequence' | 'details'> & {
  readonly clusterId: string;
  readonly sequence: string;
  readonly details: string;
};

function toChange({ clusterId, id, revision, sequence, ...row }: ChangeRow): StoredTaintChange {
  const { madeAt, action, author, undoes, undoneBy, expiresAt, expiry, requestHash, details } = row;
  return {
    id,
    clusterId: Number(clusterId),
    revision,
    sequence: Number(sequence),
    madeAt,
    action,
    author,
    undoes,
    undoneBy,
    expiresAt,
    expiry,
    requestHash,
    details: parseJson(details),
  };
}

interface KeyUse {
  readonly clusterId: number;
  readonly author: string;
  readonly key: string;
  /** When the request came. */
  readonly at: Date;
  /** A change that is not another one. */
  readonly own?: string;
}

/** Whether another change was made, waits for approval, or had nothing to change, under the key. */
export async function isKeyUsed(client: ClientBase, { clusterId, author, key, at, own }: KeyUse): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from taint_changes where cluster_id = $1 and author = $2 and idempotency_key = $3
     union all
     select from asked_changes where cluster_id = $1 and author = $2 and idempotency_key = $3
       and ($4::uuid is null or id <> $4)
     union all
     select from no_op_answers where cluster_id = $1 and author = $2 and idempotency_key = $3 and expires_at > $5`,
    [clusterId, author, key, own ?? null, at],
  );
  return rowCount !== 0;
}

/** Begins the transaction with the lock of the cluster's row, and reads the end of its trail, in one round trip. */
async function beginWithLock(
  client: ClientBase,
  id: number,
): Promise<{ readonly cluster: { readonly name: string; readonly head: number }; readonly trail: TrailHead }> {
  const [, { rows }, trail] = await sentTogether(client, () => [
    client.query('begin'),
    client.query<{ name: string; head: number }>({
      name: 'lock-head',
      text: 'select name, head_revision as head from clusters where id = $1 for no key update',
      values: [id],
    }),
    trailHead(client, id),
  ]);
  const [cluster] = rows;
  if (cluster === undefined) throw new ClusterNotFound(id);
  return { cluster, trail };
}

async function refuseRepetition(client: ClientBase, change: TaintChangeToCommit): Promise<void> {
  const { id, clusterId, author, idempotency, madeAt, settlesExpiryOf, undoes } = change;
  if (idempotency !== undefined) {
    const use = { clusterId, author, key: idempotency.key, at: madeAt, own: id };
    if (await isKeyUsed(client, use)) throw new AlreadyDone();
  }
  if (settlesExpiryOf !== undefined) {
    const { rowCount } = await client.query(
      `update taint_changes set expiry = 'done', undone_by = $3 where cluster_id = $1 and id = $2 and expiry = 'pending'`,
      [clusterId, settlesExpiryOf, change.id],
    );
    if (rowCount !== 1) throw new AlreadyDone();
  } else if (undoes !== undefined) {
    // A change that is reverted manually no longer expires.
    await client.query(
      `update taint_changes set undone_by = $3, expiry = case when expiry = 'pending' then 'cancelled' else expiry end
       where cluster_id = $1 and id = $2`,
      [clusterId, undoes, change.id],
    );
  }
}

type RevisionRow = Omit<Revision, 'clusterId' | 'counts' | 'resourceVersions' | keyof VersionSettings> & {
  readonly counts: Readonly<Record<string, KindCounts>>;
  readonly resourceVersions: Readonly<Record<string, string>>;
};

const toRevision = (
  clusterId: number,
  { number, kind, capturedAt, receivedAt, backfill, source, author, scope, loadedKinds, ...row }: RevisionRow,
): CommittedTaintChange['made'] => ({
  clusterId,
  number,
  kind,
  capturedAt,
  receivedAt,
  backfill,
  source,
  author,
  scope,
  loadedKinds,
  kubernetesVersion: row.kubernetesVersion,
  stats: row.stats,
  counts: new Map(Object.entries(row.counts)),
  resourceVersions: new Map(Object.entries(row.resourceVersions)),
  unconfirmedNodes: row.unconfirmedNodes,
});

/** The nodes that a statement writes. */
const NODES_AT_ONCE = 500;

/**
 * Adds the nodes and their intents to other writes. If there are many, most of them are sent at once.
 * @param first the sequence number of the first node's record
 * @returns how many of those sent at once are observed for the first time
 */
async function addNodes(
  client: ClientBase,
  write: WriteStatement,
  change: TaintChangeToCommit,
  { revision, first, slices }: { readonly revision: number; readonly first: number; readonly slices: Slices },
): Promise<number> {
  const { nodes } = change;
  let observed = 0;
  let sending: Promise<readonly { readonly observed: number }[]> = Promise.resolve([]);
  for (let start = 0; ; start += NODES_AT_ONCE) {
    const some = nodes.slice(start, start + NODES_AT_ONCE);
    // Postgres writes some nodes while the next ones are made into rows.
    const rows = await slices.map(some, ({ after }) => nodeRow(after));
    for (const sent of await sending) observed += sent.observed;
    const areLast = start + NODES_AT_ONCE >= nodes.length;
    const into = areLast ? write : new WriteStatement();
    addVersions(into, change, rows, revision);
    addIntents(
      into,
      'intended',
      change,
      some.map((node) => ({ ...node, subject: node.after.metadata.name })),
      first + start,
    );
    if (areLast) return observed;
    into.end('select count(*)::integer as observed from observed');
    sending = into.run(client);
    // Awaited above; until then it may fail while rows are made.
    sending.catch(() => undefined);
  }
}

function addVersions(
  write: WriteStatement,
  { clusterId }: TaintChangeToCommit,
  rows: readonly NodeRow[],
  revision: number,
): void {
  const [names, uids, hashes, contents] = nodeColumns(rows);
  const cluster = write.value(clusterId, 'bigint');
  const number = write.value(revision, 'integer');
  const named = write.value(textArray(names), 'text[]');
  write.add(
    'closed',
    // By way of a conflict, as `DeltaWriter` does it: an update would look for the rows with an index of the planner's choice.
    `insert into object_versions as v (cluster_id, kind, namespace, name, hash, valid_from, content)
     select c.id, 'Node', '', n.name, '', newest.valid_from, '' from clusters c
     cross join unnest(${named}) as n (name)
     cross join lateral (
       select valid_from, valid_to from object_versions
       where cluster_id = ${cluster} and kind = 'Node' and namespace = '' and name = n.name
       order by valid_from desc limit 1) newest
     where c.id = ${cluster} and newest.valid_to is null
     on conflict (cluster_id, kind, namespace, name, valid_from) do update set valid_to = ${number}
     returning v.name, v.uid, v.resource_version, v.hash, v.content`,
  );
  // The row of the cluster keeps what is joined with it on the node of the cluster, where the database is distributed. Each node is looked
  // for by its key: with `not exists`, the planner may compare all pairs.
  write.add(
    'observed',
    `insert into observed_nodes (cluster_id, node, valid_from, uid, hash, content)
     select c.id, v.name, ${number}, v.uid, v.hash, v.content from clusters c cross join closed v
     where c.id = ${cluster} and (
       select true from observed_nodes o
       where o.cluster_id = ${cluster} and o.node = v.name and o.valid_to is null limit 1) is null
     returning node`,
  );
  const columns = [
    named,
    write.value(textArray(uids), 'text[]'),
    write.value(byteaArray(hashes), 'bytea[]'),
    write.value(textArray(contents), 'text[]'),
  ];
  write.add(
    'begun',
    // Joined by name, all pairs would be compared: the planner takes the nodes for a few.
    `insert into object_versions (cluster_id, kind, namespace, name, uid, resource_version, hash, valid_from, content)
     select c.id, 'Node', '', n.name, n.uid, closed.by_name->>n.name, n.hash, ${number}, n.content
     from clusters c
     cross join (select jsonb_object_agg(name, resource_version) as by_name from closed) closed
     cross join unnest(${columns.join(', ')}) as n (name, uid, hash, content)
     where c.id = ${cluster}`,
  );
}

/** @param observed how many nodes other statements of the change have written that no snapshot had left undecided before */
function addRevision(
  write: WriteStatement,
  { clusterId, nodes, madeAt, author }: TaintChangeToCommit,
  revision: number,
  observed: number,
): void {
  const cluster = write.value(clusterId, 'bigint');
  const number = write.value(revision, 'integer');
  const changed = write.value(nodes.length, 'integer');
  // The revision builds on the last captured state; its own report is empty.
  write.add(
    'numbered',
    // Without the alias, Citus loses the table in `returning`.
    `insert into revisions as made (cluster_id, number, kind, captured_at, received_at, backfill, source, author, scope,
                            loaded_kinds, resource_versions, kubernetes_version, stats, findings, counts, unconfirmed_nodes)
     select cluster_id, ${number}, 'taintChange', captured_at, ${write.value(madeAt, 'timestamptz')}, false, null,
            ${write.value(author, 'text')}, scope, loaded_kinds, resource_versions, kubernetes_version, '{}', '{}',
            jsonb_build_object('Node', jsonb_build_object('added', 0, 'changed', ${changed}, 'removed', 0, 'unchanged',
              coalesce((counts->'Node'->>'added')::integer + (counts->'Node'->>'changed')::integer
                       + (counts->'Node'->>'unchanged')::integer - ${changed}, 0))),
            unconfirmed_nodes + ${write.value(observed, 'integer')} + (select count(*)::integer from observed)
     from revisions where cluster_id = ${cluster} and number = ${write.value(revision - 1, 'integer')}
     returning number, kind, captured_at as "capturedAt", received_at as "receivedAt", backfill, source, author, scope,
               loaded_kinds as "loadedKinds", kubernetes_version as "kubernetesVersion", stats, counts,
               resource_versions as "resourceVersions", unconfirmed_nodes as "unconfirmedNodes"`,
  );
}

function addIntents(
  write: WriteStatement,
  name: string,
  { clusterId, id, madeAt, author }: TaintChangeToCommit,
  intents: readonly (RecordedNodeChange & { readonly subject: string })[],
  first: number,
): void {
  const columns = [
    write.value(textArray(intents.map(({ subject }) => subject)), 'text[]'),
    write.value(
      intents.map((_, index) => first + index),
      'bigint[]',
    ),
    write.value(textArray(intents.map(({ difference }) => stringifyJson(difference))), 'text[]'),
    write.value(
      textArray(intents.map(({ labels }) => (labels === undefined ? null : stringifyJson(labels)))),
      'text[]',
    ),
  ];
  write.add(
    name,
    `insert into node_intents (cluster_id, change_id, made_at, author, status, node, sequence, difference, labels)
     select c.id, ${write.value(id, 'uuid')}, ${write.value(madeAt, 'timestamptz')}, ${write.value(author, 'text')},
            'recorded', node, sequence, difference, n.labels
     from clusters c cross join unnest(${columns.join(', ')}) as n (node, sequence, difference, labels)
     where c.id = ${write.value(clusterId, 'bigint')}`,
  );
}

function addChange(write: WriteStatement, change: TaintChangeToCommit, revision: number, sequence: number): void {
  const { clusterId, id, madeAt, action, author, idempotency, undoes, expiresAt, details, outcomes } = change;
  const values = [
    write.value(clusterId, 'bigint'),
    write.value(id, 'uuid'),
    write.value(revision, 'integer'),
    write.value(sequence, 'bigint'),
    write.value(madeAt, 'timestamptz'),
    write.value(action, 'text'),
    write.value(author, 'text'),
    write.value(idempotency?.key ?? null, 'text'),
    write.value(idempotency?.requestHash ?? null, 'text'),
    write.value(undoes ?? null, 'uuid'),
    write.value(expiresAt ?? null, 'timestamptz'),
    write.value(expiresAt === undefined ? null : 'pending', 'text'),
    write.value(stringifyJson(details), 'text'),
    write.value(stringifyJson(outcomes), 'text'),
  ];
  write.add(
    'kept',
    `insert into taint_changes (cluster_id, id, revision, sequence, made_at, action, author, idempotency_key,
                                request_hash, undoes, expires_at, expiry, details, outcomes)
     values (${values.join(', ')})`,
  );
}
