import type { ClientBase } from 'pg';
import { PARAM_SELECTING_KINDS } from '../core/admission/policies/param-selection.js';
import type { RowBatches } from '../core/cluster/object-row.js';
import type { JsonValue } from '../core/json/json-value.js';
import { type ClusterDirectory, insertCluster, on } from './cluster-directory.js';
import { Database } from './database.js';
import { FairSlots, type SlotLimits } from './fair-slots.js';
import { checkLease } from './follow-leases.js';
import { notifyHead } from './head-notifications.js';
import { UnderWay } from '../event-loop/under-way.js';
import { type CommitPlan, planCommit } from './plan-commit.js';
import { MADE_HERE, type KindCounts, type SnapshotScope } from './revision.js';
import { placeSnapshot, positionsOf, type SnapshotPositions } from './kind-positions.js';
import { RowIntake, type StagedRow, throwIfAborted } from './row-intake.js';
import { packKey } from './object-key.js';
import { findRemovals, type KindRemovals } from './snapshot-removals.js';
import { observeSnapshot } from './taint-trail/snapshot-observer.js';
import { NODES, RULES, type WatchedKind } from './taint-trail/watched-kind.js';
import { loadHashes, StateHashes } from './state-hashes.js';
import { ClusterNotFound, NulCharacter, SnapshotOlderThanHead, StorageError } from './storage-error.js';
import { WithheldParams } from './withheld-params.js';
import { VersionWriter } from './version-writer.js';
import { readVersionSettings, type VersionSettings } from './version-settings.js';

/** The properties of a snapshot that are known after its last row. Plain JSON without bigint. */
export interface SnapshotDescription {
  readonly scope: SnapshotScope;
  readonly stats: JsonValue;
  readonly findings: JsonValue;
  /** null if the scope lacks Node: the version of the previous revision applies, whose nodes are carried over. */
  readonly kubernetesVersion: string | null;
  /** The resourceVersions of the lists, by kind. */
  readonly positions?: ReadonlyMap<string, string>;
}

export interface SnapshotToCommit {
  /** With `create`, an unknown cluster is created with these labels, in the same transaction as the snapshot. */
  readonly cluster:
    | { readonly id: number }
    | { readonly name: string; readonly create?: boolean; readonly labels?: Readonly<Record<string, string>> };
  /**
   * The time at which the cluster had this state; null if the sender did not specify one: then `receivedAt`, or the head's
   * `capturedAt` if another snapshot was stored first, or it comes from the replica that follows the cluster: what that one reads is
   * newer than all it has stored, whatever the clocks say.
   */
  readonly capturedAt: Date | null;
  readonly receivedAt: Date;
  readonly backfill: boolean;
  readonly source: string | null;
  readonly author: string | null;
  /** The sender: callers share the connections for large snapshots. */
  readonly sender?: string;
  /**
   * Of several rows with the same key, the last counts. A row outside the scope is also stored. A function gets the hashes of the state that
   * the snapshot is compared with, one after another, and may refer to its objects by their positions there.
   */
  readonly rows: RowBatches | ((known: Uint8Array) => RowBatches);
  /** Called once, after the last row. An error rejects the snapshot. */
  readonly describe: () => SnapshotDescription;
  /** Called once with the removals of the snapshot, before anything is written. An error rejects the snapshot. */
  readonly checkRemovals?: (removals: readonly KindRemovals[]) => void;
  /** Aborting before the commit leaves nothing behind. */
  readonly signal?: AbortSignal;
  /**
   * The replica that follows the cluster, if the snapshot comes from it: it is refused when another one follows it. A list that it read anew
   * and that differs in nothing makes no revision.
   */
  readonly lease?: string;
}

export interface CommittedSnapshot extends VersionSettings {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly clusterCreated: boolean;
  /** The revision of this snapshot; the head's if it made none. */
  readonly revision: number;
  /** The cluster's current head: `revision`, or the next one if a backfill restated the former head. */
  readonly head: number;
  /** The previous head; null for the first. */
  readonly previous: number | null;
  readonly capturedAt: Date;
  readonly kubernetesVersion: string | null;
  /** Whether no object differs from the previous head. */
  readonly unchanged: boolean;
  /** Compared with the previous head. */
  readonly counts: ReadonlyMap<string, KindCounts>;
  /** The objects that the snapshot removes from the state it follows, by kind. */
  readonly removals: readonly KindRemovals[];
  /** The value of the revision: see `Revision`. */
  readonly unconfirmedNodes: number;
}

/** A revision with the hashes of its objects, to compare a snapshot with. */
interface State {
  readonly clusterId: number;
  readonly revision: number;
  readonly hashes: StateHashes;
}

/** A revision that rows are compared with while they arrive, with its admission policies and bindings as JSON. */
interface Base extends State {
  readonly policies: readonly string[];
}

/** What is known before the snapshot's transaction begins. */
interface Start {
  readonly base: State;
  /** The id for a cluster that is created. */
  readonly claimed: number | undefined;
}

const NO_STATE: Base = { clusterId: 0, revision: 0, hashes: StateHashes.none, policies: [] };

/** A row of `clusters` with its head. */
interface ClusterWithHead {
  readonly id: number;
  readonly name: string;
  readonly created: boolean;
  readonly head: number;
  readonly headCapturedAt: Date | null;
}

/**
 * Stores snapshots, each completely or not at all.
 *
 * While the rows arrive, they are compared with the *base*, which is the head when the snapshot started, and only differing
 * rows are staged in a temporary table of the connection, so that a slow sender causes no locks. Then the cluster's row is
 * locked, and the snapshot is compared with the current head. If the head has moved, rows that were not staged take their
 * content from the base. The first snapshot of a cluster that it creates is not staged: see `FirstSnapshot`.
 *
 * A backfill was captured before the head and follows the state at that time: its revision N+1 carries objects over from
 * there, and N+2 restates the former head. The history stays linear, the head keeps its objects, and the state as of any time
 * is correct.
 */
export class SnapshotWriter {
  /** The snapshots that are being read and stored. */
  readonly underWay = new UnderWay();
  private readonly uploads: FairSlots;

  /** @param uploads the number of large snapshots that may use a connection while their rows arrive; others wait */
  constructor(
    private readonly database: Database,
    uploads: SlotLimits = { total: 4, perCaller: 2, longestWaitMs: 30_000 },
  ) {
    this.uploads = new FairSlots(uploads, tooManySnapshots);
  }

  /**
   * @throws {ClusterNotFound} if the cluster is unknown and `create` is not set
   * @throws {SnapshotOlderThanHead} if it was captured before the head, without `backfill`
   * @throws {NulCharacter} if a row contains U+0000
   * @throws {StorageError} `TooManySnapshots` after waiting for others; `SnapshotAborted` after `signal`;
   *   `StorageUnavailable`; `SnapshotBaseGone`
   */
  commit(snapshot: SnapshotToCommit): Promise<CommittedSnapshot> {
    return this.underWay.run(() => this.take(snapshot));
  }

  private async take(snapshot: SnapshotToCommit): Promise<CommittedSnapshot> {
    refuseNul(snapshot);
    throwIfAborted(snapshot.signal);
    const base = await this.loadBase(snapshot);
    const rows = typeof snapshot.rows === 'function' ? snapshot.rows(base.hashes.hashes) : snapshot.rows;
    const intake = new RowIntake(rows, base.hashes, new WithheldParams(base.policies), snapshot.signal);
    try {
      // Read a snapshot with few differences to its end before it takes a connection.
      const more = await intake.fill();
      // A large one claims the name at its end, for the id under which its rows were written.
      const claimed = base.clusterId === 0 && !more ? await this.claim(snapshot.cluster) : undefined;
      const rest = () =>
        this.database.transaction((client) => this.receive(client, snapshot, { base, claimed }, intake, more));
      return await (more ? this.uploads.run(snapshot.sender ?? '', rest, snapshot.signal) : rest());
    } catch (error) {
      // After an abort during the wait, always throw the abort error.
      throwIfAborted(snapshot.signal);
      throw error;
    } finally {
      intake.close();
    }
  }

  /** Reads the state to compare the rows with, and rejects early what would be rejected anyway. */
  private async loadBase(snapshot: SnapshotToCommit): Promise<Base> {
    return this.database.transaction(async (client) => {
      await client.query("set local statement_timeout = '10min'");
      const cluster = await findCluster(client, this.database.directory, snapshot.cluster);
      if (cluster === undefined) {
        if ('create' in snapshot.cluster && snapshot.cluster.create) return NO_STATE;
        throw clusterNotFound(snapshot.cluster);
      }
      if (cluster.head === 0) return { ...NO_STATE, clusterId: cluster.id };
      const capturedAt = captureTime(snapshot, cluster, false);
      const backfills = isOlder(capturedAt, cluster, snapshot.backfill);
      const revision = backfills ? await revisionAt(client, cluster.id, capturedAt) : cluster.head;
      const state = await loadState(client, cluster.id, revision);
      return { ...state, policies: await loadPolicies(client, state) };
    }, 'isolation level repeatable read read only');
  }

  /** The id for a cluster that is about to be created. */
  private async claim(cluster: SnapshotToCommit['cluster']): Promise<number | undefined> {
    if (!('create' in cluster) || !cluster.create) return undefined;
    return this.database.directory.claim((text, values) => this.database.query(text, values), cluster.name);
  }

  private async receive(
    client: ClientBase,
    snapshot: SnapshotToCommit,
    start: Start,
    intake: RowIntake,
    unread: boolean,
  ): Promise<CommittedSnapshot> {
    // The sender determines the time between two chunks; the caller limits it through the signal.
    await client.query("set local statement_timeout = '10min'; set local idle_in_transaction_session_timeout = '1h'");
    const writer = new VersionWriter(client);
    const isFirst = unread && start.base.clusterId === 0;
    const first = isFirst ? await FirstSnapshot.of(client, this.database.directory, writer, snapshot) : undefined;
    const write = (rows: readonly StagedRow[]): Promise<void> =>
      first === undefined ? writer.stage(rows) : first.write(rows);
    for (let more = unread; more;) {
      // Meanwhile, a few batches are read ahead.
      await write(intake.take());
      more = await intake.fill();
    }
    await write(intake.take());
    const description = snapshot.describe();
    throwIfAborted(snapshot.signal);
    const result = await this.conclude(client, writer, snapshot, { ...start, first }, intake, description);
    throwIfAborted(snapshot.signal);
    return result;
  }

  /** Locks the cluster's row and writes the revision, up to the end of the transaction. */
  private async conclude(
    client: ClientBase,
    writer: VersionWriter,
    snapshot: SnapshotToCommit,
    { base, claimed, first }: Start & { readonly first: FirstSnapshot | undefined },
    intake: RowIntake,
    description: SnapshotDescription,
  ): Promise<CommittedSnapshot> {
    const cluster = await lockCluster(client, this.database.directory, snapshot.cluster, {
      claimed,
      own: first?.clusterId,
    });
    await first?.settle(cluster, intake.seen.staged);
    if (snapshot.lease !== undefined) await checkLease(client, cluster.id, snapshot.lease);
    const overtaken = cluster.id !== base.clusterId || cluster.head !== base.revision;
    const capturedAt = captureTime(snapshot, cluster, overtaken);
    const backfills = isOlder(capturedAt, cluster, snapshot.backfill);

    const stateOf = (revision: number) =>
      cluster.id === base.clusterId && revision === base.revision ? base : loadState(client, cluster.id, revision);
    const head = await stateOf(cluster.head);
    const carried = backfills ? await stateOf(await revisionAt(client, cluster.id, capturedAt)) : head;
    const removals = findRemovals(intake.seen, description.scope, carried.hashes);
    snapshot.checkRemovals?.(removals);
    const plan = await planCommit({
      seen: intake.seen,
      scope: description.scope,
      head: head.hashes,
      carried: carried.hashes,
    });

    const positions = positionsOf(description.scope, description.positions ?? new Map<string, string>(), plan);
    const known = { clusterId: cluster.id, clusterName: cluster.name, counts: plan.counts, removals };
    if (snapshot.lease !== undefined && plan.unchanged && !backfills) {
      const shown = await headThatShowsAll(client, cluster, kindsLoaded(description.scope));
      if (shown !== undefined) {
        await writer.touchStaged(cluster.id, plan.skipStaged);
        await writer.touch(cluster.id, plan.moved);
        await placeSnapshot(client, cluster.id, positions);
        const { head: revision } = cluster;
        return {
          ...known,
          ...shown,
          clusterCreated: false,
          revision,
          head: revision,
          previous: revision,
          unchanged: true,
          ...(await readVersionSettings(client, cluster.id, revision)),
        };
      }
    }

    const revision = cluster.head + 1;
    const until = backfills ? revision + 1 : null;
    await writer.close(cluster.id, revision, plan.close);
    if (!backfills) await writer.touchStaged(cluster.id, plan.skipStaged);
    await writer.addStaged(cluster.id, revision, until, [...intake.seen.replaced, ...plan.skipStaged]);
    await writer.addFromRevision(cluster.id, revision, until, base, plan.fromBase);
    await writer.addFromRevision(cluster.id, revision, until, carried, plan.fromCarried);
    if (!backfills) await writer.touch(cluster.id, plan.moved);
    const of = { snapshot, capturedAt, description, plan, positions };
    const kubernetesVersion = await insertRevision(client, cluster.id, revision, carried.revision, of);
    if (backfills) {
      await writer.reopen(cluster.id, revision, revision + 1);
      await restateHead(client, cluster, revision + 1, snapshot.receivedAt, plan);
    } else {
      await placeSnapshot(client, cluster.id, positions);
    }
    const observe = async (of: WatchedKind): Promise<number> => {
      const counts = plan.counts.get(of.kind);
      const all = description.scope.kinds.includes(of.kind);
      const shows = (name: string): boolean => intake.seen.has(packKey(of.kind, '', name));
      return observeSnapshot(client, {
        of,
        cluster: { id: cluster.id, name: cluster.name },
        revision,
        previous: cluster.head,
        backfill: backfills,
        capturedAt,
        receivedAt: snapshot.receivedAt,
        all,
        differ: counts !== undefined && counts.added + counts.changed + counts.removed > 0,
        shows,
        lacks: (name) => all && !shows(name),
      });
    };
    await observe(RULES);
    const unconfirmedNodes = await observe(NODES);
    const newHead = until ?? revision;
    await client.query('update clusters set head_revision = $2 where id = $1', [cluster.id, newHead]);
    await notifyHead(client, cluster.id, newHead);
    return {
      ...known,
      clusterCreated: cluster.created,
      revision,
      head: newHead,
      previous: cluster.head === 0 ? null : cluster.head,
      capturedAt,
      kubernetesVersion,
      unchanged: plan.unchanged && cluster.head !== 0,
      unconfirmedNodes,
      ...(await readVersionSettings(client, cluster.id, revision)),
    };
  }
}

/**
 * The first snapshot of a cluster that does not exist yet. Nobody else can know the id that the cluster will have, so its rows are written
 * to their place while they arrive, and not a second time at the end.
 */
class FirstSnapshot {
  /** The sequence numbers of staged rows. */
  private readonly staged = new Set<number>();

  private constructor(
    private readonly writer: VersionWriter,
    readonly clusterId: number,
  ) {}

  static async of(
    client: ClientBase,
    directory: ClusterDirectory,
    writer: VersionWriter,
    { cluster }: SnapshotToCommit,
  ): Promise<FirstSnapshot | undefined> {
    return 'id' in cluster ? undefined : new FirstSnapshot(writer, await directory.draw(client));
  }

  async write(rows: readonly StagedRow[]): Promise<void> {
    const later = rows.filter(({ replaces }) => replaces);
    for (const { sequence } of later) this.staged.add(sequence);
    await this.writer.place(
      this.clusterId,
      rows.filter(({ replaces }) => !replaces),
    );
    await this.writer.stage(later);
  }

  /** @param sequences those of the rows that count, by packed key */
  async settle(cluster: ClusterWithHead, sequences: ReadonlyMap<string, number>): Promise<void> {
    if (cluster.id === this.clusterId) return this.writer.removeReplaced(cluster.id);
    // Somebody else has created the cluster meanwhile.
    const placed = new Map([...sequences].filter(([, sequence]) => !this.staged.has(sequence)));
    await this.writer.stagePlaced(this.clusterId, placed);
  }
}

const tooManySnapshots = (): StorageError =>
  new StorageError('TooManySnapshots', 'the maximum number of large snapshots is already being stored');

async function loadState(client: ClientBase, clusterId: number, revision: number): Promise<State> {
  return { clusterId, revision, hashes: await loadHashes(client, clusterId, revision) };
}

async function loadPolicies(client: ClientBase, { clusterId, revision }: State): Promise<readonly string[]> {
  const { rows } = await client.query<{ content: string }>(
    `select content from object_versions
     where cluster_id = $1 and kind = any($3::text[]) and valid_from <= $2 and (valid_to is null or valid_to > $2)`,
    [clusterId, revision, [...PARAM_SELECTING_KINDS]],
  );
  return rows.map(({ content }) => content);
}

async function findCluster(
  client: ClientBase,
  directory: ClusterDirectory,
  cluster: SnapshotToCommit['cluster'],
  locking: '' | 'for no key update of c' = '',
): Promise<ClusterWithHead | undefined> {
  return 'id' in cluster
    ? clusterWithId(client, cluster.id, locking)
    : directory.resolve(on(client), cluster.name, (id) => clusterWithId(client, id, locking, cluster.name));
}

/** @param name the cluster must have it, if it is given */
async function clusterWithId(
  client: ClientBase,
  id: number,
  locking: '' | 'for no key update of c' = '',
  name: string | null = null,
): Promise<ClusterWithHead | undefined> {
  const { rows } = await client.query<{ name: string; head: number; headCapturedAt: Date | null }>(
    `select c.name, c.head_revision as head,
            (select captured_at from revisions r where r.cluster_id = $1 and r.number = c.head_revision) as "headCapturedAt"
     from clusters c where c.id = $1 and ($2::text is null or c.name = $2) ${locking}`,
    [id, name],
  );
  return rows[0] && { ...rows[0], id, created: false };
}

/** Locks the cluster's row until the transaction ends, which serializes the writers of a cluster. */
async function lockCluster(
  client: ClientBase,
  directory: ClusterDirectory,
  cluster: SnapshotToCommit['cluster'],
  {
    claimed,
    own,
  }: {
    /** The id for a cluster that is created. */
    readonly claimed: number | undefined;
    /** An id to claim the name for, unless it is claimed for another one. */
    readonly own: number | undefined;
  },
): Promise<ClusterWithHead> {
  let created = false;
  let locked = await findCluster(client, directory, cluster, 'for no key update of c');
  if (locked === undefined && 'create' in cluster && cluster.create) {
    const { name, labels = {} } = cluster;
    const id = claimed ?? (await directory.claim(on(client), name, own));
    const inserted = await insertCluster(client, directory, { id, name, labels: JSON.stringify(labels) });
    created = inserted.created;
    locked = await clusterWithId(client, inserted.id, 'for no key update of c');
  }
  // Read again: the statement that waited for the lock saw the head from before the wait.
  const found = locked === undefined ? undefined : await clusterWithId(client, locked.id);
  if (found === undefined) throw clusterNotFound(cluster);
  return { ...found, created };
}

function clusterNotFound(cluster: SnapshotToCommit['cluster']): ClusterNotFound {
  return new ClusterNotFound('id' in cluster ? cluster.id : cluster.name);
}

/** The capture time of a snapshot: see `SnapshotToCommit.capturedAt`. */
function captureTime(snapshot: SnapshotToCommit, cluster: ClusterWithHead, overtaken: boolean): Date {
  if (snapshot.capturedAt !== null) return snapshot.capturedAt;
  const { headCapturedAt } = cluster;
  const isNewer = overtaken || snapshot.lease !== undefined;
  return isNewer && headCapturedAt !== null && headCapturedAt > snapshot.receivedAt
    ? headCapturedAt
    : snapshot.receivedAt;
}

/** @throws {SnapshotOlderThanHead} if it is older and this is not allowed */
function isOlder(capturedAt: Date, cluster: ClusterWithHead, allowed: boolean): boolean {
  const { head, headCapturedAt } = cluster;
  if (headCapturedAt === null || capturedAt >= headCapturedAt) return false;
  if (!allowed) throw new SnapshotOlderThanHead(capturedAt, head, headCapturedAt);
  return true;
}

/** The current revision at a time; 0 if there was none. */
async function revisionAt(client: ClientBase, clusterId: number, time: Date): Promise<number> {
  const { rows } = await client.query<{ number: number }>(
    `select number from revisions
     where cluster_id = $1 and captured_at <= $2 and (kind <> all ($3::text[]) or received_at <= $2)
     order by captured_at desc, number desc limit 1`,
    [clusterId, time, MADE_HERE],
  );
  return rows[0]?.number ?? 0;
}

async function insertRevision(
  client: ClientBase,
  clusterId: number,
  revision: number,
  follows: number,
  of: {
    snapshot: SnapshotToCommit;
    capturedAt: Date;
    description: SnapshotDescription;
    plan: CommitPlan;
    positions: SnapshotPositions;
  },
): Promise<string | null> {
  const { snapshot, capturedAt, description, plan, positions } = of;
  const known = [...positions.complete].filter(([, resourceVersion]) => resourceVersion !== null);
  const { rows } = await client.query<{ kubernetes_version: string | null }>(
    `insert into revisions (cluster_id, number, kind, captured_at, received_at, backfill, source, author, scope,
                            kubernetes_version, stats, findings, counts, loaded_kinds, resource_versions)
     select c.id, $2, 'snapshot', $3, $4, $5, $6, $7, $8,
            case when 'Node' = any($13::text[]) then $9
                 else coalesce($9, (select kubernetes_version from revisions where cluster_id = $1 and number = $14)) end,
            $10, $11, $12,
            array(select unnest($13::text[]) union
                  select unnest(loaded_kinds) from revisions where cluster_id = $1 and number = $14
                  order by 1),
            coalesce((select resource_versions from revisions where cluster_id = $1 and number = $14), '{}')
              - $15::text[] || $16::jsonb
     from clusters c where c.id = $1
     returning kubernetes_version`,
    [
      clusterId,
      revision,
      capturedAt,
      snapshot.receivedAt,
      snapshot.backfill,
      snapshot.source,
      snapshot.author,
      JSON.stringify(description.scope),
      description.kubernetesVersion,
      JSON.stringify(description.stats),
      JSON.stringify(description.findings),
      JSON.stringify(Object.fromEntries(plan.counts)),
      kindsLoaded(description.scope),
      follows,
      [...positions.touched, ...positions.complete.keys()],
      JSON.stringify(Object.fromEntries(known)),
    ],
  );
  return rows[0]!.kubernetes_version;
}

/** A snapshot of some namespaces does not show which other namespaces exist, even if it contains its own. */
const kindsLoaded = ({ kinds, namespaces }: SnapshotScope): string[] =>
  kinds.filter((kind) => namespaces === null || kind !== 'Namespace');

/** Restates the former head as the newest revision; only the number, the time of receipt and the counts differ. */
async function restateHead(
  client: ClientBase,
  cluster: ClusterWithHead,
  revision: number,
  receivedAt: Date,
  plan: CommitPlan,
): Promise<void> {
  const counts = new Map(
    [...plan.counts].map(([kind, { added, changed, removed, unchanged }]) => [
      kind,
      { added: removed, changed, removed: added, unchanged },
    ]),
  );
  await client.query(
    `insert into revisions (cluster_id, number, kind, captured_at, received_at, backfill, source, author, scope,
                            loaded_kinds, resource_versions, kubernetes_version, stats, findings, counts)
     select cluster_id, $3, 'restatement', captured_at, $4, false, source, author, scope,
            loaded_kinds, resource_versions, kubernetes_version, stats, findings, $5
     from revisions where cluster_id = $1 and number = $2`,
    [cluster.id, cluster.head, revision, receivedAt, JSON.stringify(Object.fromEntries(counts))],
  );
}

type HeadShown = Pick<CommittedSnapshot, 'capturedAt' | 'kubernetesVersion' | 'unconfirmedNodes'>;

/**
 * What is known of the head, if it shows all that a snapshot without differences does: it has these kinds, and no change made here
 * waits to be confirmed.
 */
async function headThatShowsAll(
  client: ClientBase,
  { id, head }: ClusterWithHead,
  kinds: readonly string[],
): Promise<HeadShown | undefined> {
  const { rows } = await client.query<HeadShown>(
    `select captured_at as "capturedAt", kubernetes_version as "kubernetesVersion", unconfirmed_nodes as "unconfirmedNodes"
     from revisions where cluster_id = $1 and number = $2 and unconfirmed_nodes = 0 and loaded_kinds @> $3::text[]`,
    [id, head, [...kinds]],
  );
  return rows[0];
}

function refuseNul({ cluster, source, author }: SnapshotToCommit): void {
  if ('name' in cluster && cluster.name.includes('\0')) throw new NulCharacter('the name of the cluster');
  if (source?.includes('\0') === true) throw new NulCharacter('the source of the snapshot');
  if (author?.includes('\0') === true) throw new NulCharacter('the author of the snapshot');
}
