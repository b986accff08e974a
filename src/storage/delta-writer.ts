import type { ClientBase } from 'pg';
import { PARAM_SELECTING_KINDS } from '../core/admission/policies/param-selection.js';
import type { ObjectRow } from '../core/cluster/object-row.js';
import { isOlderVersion } from '../core/kubernetes/resource-version.js';
import { newestKubernetesVersion } from '../core/kubernetes/versions.js';
import { type ClusterDirectory, on } from './cluster-directory.js';
import { Database } from './database.js';
import { byteaArray, textArray } from './binary-array.js';
import { holdsLease, LeaseLost } from './follow-leases.js';
import { type KindPosition, noteCurrentAt } from './follow-store.js';
import { commitWith, currentEvent, headEvent } from './head-notifications.js';
import { keyColumns, packKey } from './object-key.js';
import type { ObjectChanges } from './object-reader.js';
import { KindTotal, SUM_OF_TERMS, totalOfSum } from './kind-total.js';
import { type DeltaDeletion, type DeltaPlan, type ObjectOutcome, planDelta, type StoredVersion } from './plan-delta.js';
import type { KindCounts } from './revision.js';
import { refuseNul } from './row-intake.js';
import { sentTogether } from './sent-together.js';
import type { KindRemovals } from './snapshot-removals.js';
import { ClusterNotFound, DeltaOutOfOrder, NoRevision, SnapshotNeeded } from './storage-error.js';
import { observeSnapshot } from './taint-trail/snapshot-observer.js';
import { NODES, RULES, type WatchedKind } from './taint-trail/watched-kind.js';
import { noteSighting } from './taint-trail/evidence-store.js';
import { nodeOf } from './taint-trail/node-row.js';
import { type VersionSettings, versionSettingsAt } from './version-settings.js';
import { WithheldParams } from './withheld-params.js';
import { WriteStatement } from './write-statement.js';

/** What the sender has of a kind after a delta. */
export interface DeltaPosition {
  readonly kind: string;
  readonly resourceVersion: string;
  readonly count: number;
  /** That of `KindTotal`. */
  readonly hash: string;
}

export interface DeltaToCommit {
  readonly cluster: string;
  /** Drawn by the sender when it begins. */
  readonly stream: string;
  /** 1, 2 and so on within the stream. */
  readonly sequence: number;
  /** The time up to which the sender knows the cluster; null: that of receipt. */
  readonly capturedAt: Date | null;
  readonly receivedAt: Date;
  readonly author: string | null;
  readonly rows: readonly ObjectRow[];
  readonly deletions: readonly DeltaDeletion[];
  readonly positions: readonly DeltaPosition[];
  /** Called with the removals before anything is written. An error rejects the delta. */
  readonly checkRemovals?: (removals: readonly KindRemovals[]) => void;
  /** The replica that follows the cluster, if the delta comes from it: it is refused when another one follows it. */
  readonly lease?: string;
}

/** How far a kind is stored, compared with the sender. */
export interface ComparedPosition {
  readonly kind: string;
  /** null if the kind is stored as of no single resourceVersion. */
  readonly resourceVersion: string | null;
  readonly count: number;
  readonly hash: string;
  /** Whether the sender has the same objects; null if what is stored is newer than its position. */
  readonly agrees: boolean | null;
}

/** The answer to a delta. It is stored, and given again to the same delta. */
export interface DeltaAnswer {
  readonly stream: string;
  readonly sequence: number;
  /** The revision that the delta made; null if nothing that is kept changed. */
  readonly revision: number | null;
  readonly head: number;
  readonly headCapturedAt: string;
  readonly kubernetesVersion: string | null;
  /** Absent in answers that were stored by older versions of the service. */
  readonly versionSettings?: VersionSettings;
  readonly unconfirmedNodes: number;
  readonly counts: Readonly<Record<string, KindCounts>>;
  /** What was older than what is stored. */
  readonly ignored: { readonly upserts: number; readonly deletions: number };
  readonly positions: readonly ComparedPosition[];
  /** The kinds of which a snapshot must come. */
  readonly snapshotNeeded: readonly string[];
  /** The time up to which the head is known to be current; null if a snapshot is needed. */
  readonly currentAt: string | null;
}

export interface CommittedDelta extends DeltaAnswer {
  readonly clusterId: number;
  /** Whether the delta had been stored before. */
  readonly repeated: boolean;
}

/** Streams that another one replaced are refused: the last ones are remembered. */
const SUPERSEDED = 20;

/** In place of the content of rows that are there. */
const NONE = Buffer.alloc(0);

interface StoredStream {
  readonly stream: string;
  readonly sequence: number;
  readonly capturedAt: string;
  /** null unless the stored delta is the one that is to be committed. */
  readonly answer: DeltaAnswer | null;
  readonly superseded: readonly string[];
}

/** The cluster whose row is locked, with its head. */
interface LockedCluster extends VersionSettings {
  readonly id: number;
  readonly name: string;
  readonly head: number;
  readonly capturedAt: Date;
  readonly loadedKinds: readonly string[];
  readonly counts: Readonly<Record<string, KindCounts>>;
  readonly kubernetesVersion: string | null;
  readonly unconfirmedNodes: number;
  readonly stream: StoredStream | null;
  /** Of the kinds that the delta names, of ConfigMaps, and of those that need a snapshot. */
  readonly positions: ReadonlyMap<string, KindPosition>;
}

/**
 * Stores deltas: what changed in a cluster since the sender's last snapshot or delta. Each is stored completely or not at all, under the
 * lock of the cluster's row. Only the objects that it names are read, so that its cost does not depend on the size of the cluster.
 *
 * Afterwards the total of each kind is compared with the sender's. Where they disagree, the objects of the delta are stored
 * nevertheless, for they are true, and the answer asks for a snapshot of the kind, as do all answers until one comes or the totals agree.
 */
export class DeltaWriter {
  constructor(private readonly database: Database) {}

  /**
   * @throws {ClusterNotFound}
   * @throws {NoRevision} for a delta without objects if the cluster has no snapshot
   * @throws {DeltaOutOfOrder} if it is not the next of its stream, or another stream has replaced it
   * @throws {SnapshotNeeded} if no snapshot has loaded a kind of the delta
   * @throws {NulCharacter} if a row contains U+0000
   */
  async commit(delta: DeltaToCommit): Promise<CommittedDelta> {
    for (const row of delta.rows) refuseNul(row);
    return this.database.session(async (client) => {
      const { cluster, stored } = await lockHead(client, this.database.directory, delta);
      const repeated = findRepeated(cluster, delta);
      if (repeated === undefined) refuseUnloaded(cluster, delta);
      if (repeated !== undefined) {
        await commitWith(client, undefined);
        return { ...repeated, clusterId: cluster.id, repeated: true };
      }
      const { answer, changed, commit } = await apply(client, cluster, delta, stored);
      if (answer.revision === null || changed === undefined) await commit();
      else await this.database.recentChanges.during(cluster.id, answer.revision, changed, commit);
      return { ...answer, clusterId: cluster.id, repeated: false };
    });
  }
}

type StoredRow = [index: number, validFrom: number, uid: string | null, resourceVersion: string | null, hash: string];

type HeadRow = Omit<LockedCluster, 'id' | 'name' | 'positions' | 'capturedAt'> & {
  /** null if there is no revision, and so are all of its columns. */
  readonly capturedAt: Date | null;
  readonly holdsLease: boolean;
  readonly positions: readonly KindPosition[] | null;
  readonly stored: readonly StoredRow[] | null;
};

/** The open version of an object is the newest one, which the primary key finds among any number of former ones. */
const HEAD = `
  select c.head_revision as head, r.captured_at as "capturedAt", to_json(r.loaded_kinds) as "loadedKinds", r.counts,
         r.kubernetes_version as "kubernetesVersion", r.unconfirmed_nodes as "unconfirmedNodes",
         ${versionSettingsAt('$1', 'c.head_revision')},
    ($2::text is null or ${holdsLease('$1', '$2')}) as "holdsLease",
    (select row_to_json(s) from (
       select stream, sequence, captured_at as "capturedAt",
              case when stream = $6::text and sequence = $7::bigint then answer end as answer, superseded
       from delta_streams where cluster_id = $1) s) as stream,
    (select json_agg(p) from (
       select kind, resource_version as "resourceVersion", count, hash, snapshot_needed as "snapshotNeeded"
       from kind_positions where cluster_id = $1 and (kind = any($8::text[]) or snapshot_needed)) p) as positions,
    (select json_agg(json_build_array(k.index - 1, v.valid_from, v.uid, v.resource_version, encode(v.hash, 'hex')))
     from unnest($3::text[], $4::text[], $5::text[]) with ordinality as k (kind, namespace, name, index)
     cross join lateral (
       select uid, resource_version, hash, valid_from, valid_to from object_versions v
       where v.cluster_id = $1 and v.kind = k.kind and v.namespace = k.namespace and v.name = k.name
       order by valid_from desc limit 1) v
     where v.valid_to is null) as stored
  from clusters c left join revisions r on r.cluster_id = $1 and r.number = c.head_revision where c.id = $1`;

/**
 * Begins the transaction with the lock of the cluster's row, and reads the head and the objects that the delta names, in one round trip. They are
 * read by a statement of its own, which begins after the lock was taken.
 * @throws {ClusterNotFound}
 * @throws {LeaseLost}
 */
async function lockHead(
  client: ClientBase,
  directory: ClusterDirectory,
  { cluster: name, lease, ...delta }: DeltaToCommit,
): Promise<{ readonly cluster: LockedCluster; readonly stored: ReadonlyMap<string, StoredVersion> }> {
  // No cluster has such a name, which no statement can contain.
  if (name.includes('\0')) throw new ClusterNotFound(name);
  const { rows: upserts, deletions } = delta;
  const keys = [
    ...new Set([...upserts, ...deletions].map((object) => packKey(object.kind, object.namespace, object.name))),
  ];
  const named = keyColumns(keys).map(textArray);
  const kinds = textArray([...kindsOf(delta), 'ConfigMap']);
  let begin: (() => Promise<unknown>)[] = [() => client.query('begin')];
  const find = async (id: number): Promise<(HeadRow & { readonly id: number }) | undefined> => {
    const first = begin;
    begin = [];
    const [, lock, { rows }] = await sentTogether(client, () => [
      Promise.all(first.map((send) => send())),
      client.query({
        name: 'lock-named',
        text: 'select from clusters where id = $1 and name = $2 for no key update',
        values: [id, name],
      }),
      client.query<HeadRow>({
        name: 'head-of-delta',
        text: HEAD,
        values: [id, lease ?? null, ...named, delta.stream, delta.sequence, kinds],
      }),
    ]);
    return lock.rowCount === 0 ? undefined : { ...rows[0]!, id };
  };
  const found = await directory.resolve(on(client), name, find);
  if (found === undefined) throw new ClusterNotFound(name);
  const { holdsLease: holds, stored, positions, capturedAt, ...row } = found;
  if (!holds) throw new LeaseLost(found.id);
  if (capturedAt === null) {
    const needed = kindsOf(delta);
    throw needed.length === 0 ? new NoRevision(name) : new SnapshotNeeded(name, needed);
  }
  const byKind = new Map((positions ?? []).map((position) => [position.kind, position]));
  return {
    cluster: { ...row, capturedAt, name, positions: byKind },
    stored: new Map(
      (stored ?? []).map(([index, validFrom, uid, resourceVersion, hash]) => [
        keys[index]!,
        { validFrom, uid, resourceVersion, hash },
      ]),
    ),
  };
}

/** @returns the answer to the same delta, if it was stored */
function findRepeated({ name, stream: known }: LockedCluster, delta: DeltaToCommit): DeltaAnswer | undefined {
  const { stream, sequence } = delta;
  if (known?.superseded.includes(stream) === true) throw DeltaOutOfOrder.superseded(name, stream);
  if (known?.stream === stream && known.sequence === sequence) return known.answer!;
  const expected = known?.stream === stream ? known.sequence + 1 : 1;
  if (sequence !== expected) throw DeltaOutOfOrder.gap(name, stream, sequence, expected);
  return undefined;
}

function refuseUnloaded({ name, loadedKinds }: LockedCluster, delta: DeltaToCommit): void {
  const loaded = new Set(loadedKinds);
  const missing = kindsOf(delta).filter((kind) => !loaded.has(kind));
  if (missing.length > 0) throw new SnapshotNeeded(name, missing);
}

const kindsOf = ({ rows, deletions, positions }: Pick<DeltaToCommit, 'rows' | 'deletions' | 'positions'>): string[] =>
  [...new Set([...rows, ...deletions, ...positions].map(({ kind }) => kind))].sort();

interface Applied {
  readonly answer: DeltaAnswer;
  /** Sends what is left to write, commits it, and notifies the replicas. */
  readonly commit: () => Promise<void>;
  /** What the revision changed; undefined if it made none, or if that is not known here. */
  readonly changed: ObjectChanges | undefined;
}

async function apply(
  client: ClientBase,
  cluster: LockedCluster,
  delta: DeltaToCommit,
  stored: ReadonlyMap<string, StoredVersion>,
): Promise<Applied> {
  const capturedAt = captureTime(cluster, delta);
  const rows = await withoutSecrets(client, cluster, delta.rows);
  const plan = planDelta(
    { rows, deletions: delta.deletions },
    stored,
    (kind) => cluster.positions.get(kind)?.resourceVersion ?? null,
  );
  const changes = plan.outcomes.filter(({ before, after }) => before?.hash !== after?.hash);
  const totals = await totalsOf(client, cluster, kindsOf(delta));
  delta.checkRemovals?.(removalsOf(changes, totals));
  for (const { kind, namespace, name, before, after } of plan.outcomes) {
    const total = totals.get(kind)!;
    if (before !== undefined) total.remove({ namespace, name, ...before });
    if (after !== undefined) total.add({ namespace, name, ...after });
  }
  const compared = delta.positions.map((position) => compare(position, totals, cluster.positions));
  const unsettled = unsettledKinds(cluster, compared, changes);
  const revision = (await needsRevision(client, cluster, plan, changes)) ? cluster.head + 1 : null;
  const write = new WriteStatement();
  writeVersions(write, cluster.id, revision, plan);
  const written =
    revision === null
      ? { unconfirmedNodes: cluster.unconfirmedNodes, kubernetesVersion: cluster.kubernetesVersion, counts: {} }
      : await writeRevision(client, write, {
          cluster,
          delta,
          plan,
          changes,
          compared,
          unsettled,
          revision,
          capturedAt,
        });
  const answer: DeltaAnswer = {
    stream: delta.stream,
    sequence: delta.sequence,
    revision,
    head: revision ?? cluster.head,
    headCapturedAt: (revision === null ? cluster.capturedAt : capturedAt).toISOString(),
    ...written,
    versionSettings: { declaredVersion: cluster.declaredVersion, apiServerVersion: cluster.apiServerVersion },
    ignored: plan.ignored,
    positions: compared,
    snapshotNeeded: [...unsettled].sort(),
    currentAt: unsettled.size === 0 ? capturedAt.toISOString() : null,
  };
  movePositions(write, cluster, { delta, totals, compared, unsettled });
  rememberAnswer(write, cluster, { delta, capturedAt, answer });
  if (unsettled.size === 0) {
    write.add(
      'noted',
      noteCurrentAt(write.value(cluster.id, 'bigint'), write.value(capturedAt, 'timestamptz')) + ' returning 1',
    );
    write.end('select from noted');
  }
  if (revision === null) {
    const isSettled = unsettled.size === 0;
    const commit = async (): Promise<void> => {
      const noted = await write.run(client);
      const event = isSettled && noted.length > 0 ? currentEvent(cluster.id, capturedAt) : undefined;
      await commitWith(client, event);
    };
    return { answer, commit, changed: undefined };
  }
  // Nodes with undecided changes of taints are stored otherwise than the cluster shows them.
  const isAsGiven = cluster.unconfirmedNodes === 0 || plan.outcomes.every(({ kind }) => kind !== 'Node');
  return {
    answer,
    commit: async () => {
      await sentTogether(client, () => [write.run(client), commitWith(client, headEvent(cluster.id, revision))]);
    },
    changed: isAsGiven ? changedObjects(changes) : undefined,
  };
}

/** As `ObjectReader.changesBetween` returns them. */
function changedObjects(changes: readonly ObjectOutcome[]): ObjectChanges {
  return {
    upserts: changes.flatMap(({ kind, namespace, name, after, row }) =>
      after === undefined || row === undefined
        ? []
        : [{ kind, namespace, name, hash: after.hash, content: row.content, resourceVersion: after.resourceVersion }],
    ),
    deletes: changes.flatMap(({ kind, namespace, name, after }) =>
      after === undefined ? [{ kind, namespace, name }] : [],
    ),
  };
}

/** Never before the head or the last delta: their order is known, whatever the clocks say. */
function captureTime({ capturedAt, stream }: LockedCluster, delta: DeltaToCommit): Date {
  const times = [delta.capturedAt ?? delta.receivedAt, capturedAt, new Date(stream?.capturedAt ?? 0)];
  return new Date(Math.max(...times.map((time) => time.getTime())));
}

/** The rows with the data of those ConfigMaps alone that policies take as params. */
async function withoutSecrets(
  client: ClientBase,
  { id }: LockedCluster,
  rows: readonly ObjectRow[],
): Promise<readonly ObjectRow[]> {
  if (rows.every(({ withheld }) => withheld === undefined)) return rows;
  const { rows: policies } = await client.query<{ content: string }>(
    'select content from object_versions where cluster_id = $1 and kind = any($2::text[]) and valid_to is null',
    [id, [...PARAM_SELECTING_KINDS]],
  );
  const params = new WithheldParams(policies.map(({ content }) => content));
  const passed = rows.map((row) => params.pass(row));
  return [...passed, ...params.rest()];
}

/** The totals of what is stored, before the delta. After a snapshot they are computed once. */
async function totalsOf(
  client: ClientBase,
  { id, positions }: LockedCluster,
  kinds: readonly string[],
): Promise<ReadonlyMap<string, KindTotal>> {
  const totals = new Map<string, KindTotal>();
  for (const kind of kinds) {
    const { count, hash } = positions.get(kind) ?? { count: null, hash: null };
    if (count !== null && hash !== null) totals.set(kind, KindTotal.of(count, hash));
  }
  const unknown = kinds.filter((kind) => !totals.has(kind));
  if (unknown.length === 0) return totals;
  const { rows } = await client.query<{ kind: string; count: number; sum: string }>(
    `select kind, count(*)::integer as count, ${SUM_OF_TERMS} as sum from object_versions
     where cluster_id = $1 and kind = any($2::text[]) and valid_to is null group by kind`,
    [id, unknown],
  );
  for (const { kind, count, sum } of rows) totals.set(kind, totalOfSum(count, sum));
  for (const kind of unknown) if (!totals.has(kind)) totals.set(kind, KindTotal.empty());
  return totals;
}

function compare(
  { kind, resourceVersion, count, hash }: DeltaPosition,
  totals: ReadonlyMap<string, KindTotal>,
  stored: ReadonlyMap<string, KindPosition>,
): ComparedPosition {
  const total = totals.get(kind)!;
  const own = { kind, count: total.count, hash: total.hash };
  const known = stored.get(kind)?.resourceVersion ?? null;
  // A snapshot has overtaken the sender, who will hear of the same changes.
  if (isOlderVersion(resourceVersion, known)) return { ...own, resourceVersion: known, agrees: null };
  const agrees = total.count === count && total.hash === hash;
  return { ...own, resourceVersion: agrees ? resourceVersion : null, agrees };
}

/** The kinds of which a snapshot must come. */
function unsettledKinds(
  { positions }: LockedCluster,
  compared: readonly ComparedPosition[],
  changes: readonly ObjectOutcome[],
): ReadonlySet<string> {
  const kinds = new Set([...positions.values()].filter((known) => known.snapshotNeeded).map(({ kind }) => kind));
  for (const { kind, agrees } of compared) {
    if (agrees === false) kinds.add(kind);
    else if (agrees === true) kinds.delete(kind);
  }
  // A policy may take a ConfigMap as params whose data was left out when it came.
  const selects = changes.some(({ kind, after }) => after !== undefined && PARAM_SELECTING_KINDS.includes(kind));
  if (selects && positions.has('ConfigMap')) kinds.add('ConfigMap');
  return kinds;
}

function removalsOf(
  changes: readonly ObjectOutcome[],
  totals: ReadonlyMap<string, KindTotal>,
): readonly KindRemovals[] {
  const kinds = new Map<string, ObjectOutcome[]>();
  for (const change of changes) {
    const ofKind = kinds.get(change.kind);
    if (ofKind === undefined) kinds.set(change.kind, [change]);
    else ofKind.push(change);
  }
  return [...kinds].flatMap(([kind, ofKind]) => {
    const removed = ofKind.filter(({ after }) => after === undefined);
    if (removed.length === 0) return [];
    const byNamespace = new Map<string, number>();
    const count = (namespace: string, by: number) => byNamespace.set(namespace, (byNamespace.get(namespace) ?? 0) + by);
    for (const { namespace } of removed) count(namespace, 1);
    for (const { namespace, before } of ofKind) if (before === undefined) count(namespace, -1);
    return [
      {
        kind,
        stored: totals.get(kind)!.count,
        removed: removed.length,
        notReplaced: [...byNamespace.values()].reduce((sum, lost) => sum + Math.max(0, lost), 0),
        first: removed.slice(0, 10).map(({ namespace, name }) => ({ kind, namespace, name })),
      },
    ];
  });
}

/** Whether anything that is kept changed, or the delta may decide about a change of taints that was made through this service. */
async function needsRevision(
  client: ClientBase,
  { id, unconfirmedNodes }: LockedCluster,
  { outcomes }: DeltaPlan,
  changes: readonly ObjectOutcome[],
): Promise<boolean> {
  if (changes.length > 0) return true;
  if (unconfirmedNodes === 0) return false;
  const nodes = outcomes.filter(({ kind }) => kind === 'Node').map(({ name }) => name);
  const { rowCount } = await client.query(
    'select from observed_nodes where cluster_id = $1 and node = any($2::text[]) and valid_to is null limit 1',
    [id, nodes],
  );
  return rowCount !== 0;
}

interface RevisionToWrite {
  readonly cluster: LockedCluster;
  readonly delta: DeltaToCommit;
  readonly plan: DeltaPlan;
  readonly changes: readonly ObjectOutcome[];
  readonly compared: readonly ComparedPosition[];
  readonly unsettled: ReadonlySet<string>;
  readonly revision: number;
  readonly capturedAt: Date;
}

/** Writes the revision; those of its parts that nothing else reads yet only into `write`. */
async function writeRevision(
  client: ClientBase,
  write: WriteStatement,
  given: RevisionToWrite,
): Promise<Pick<DeltaAnswer, 'unconfirmedNodes' | 'kubernetesVersion' | 'counts'>> {
  const { cluster, plan, changes, revision } = given;
  const counts = countsAfter(cluster.counts, changes);
  const kubernetesVersion = newestVersion(cluster.kubernetesVersion, changes);
  const nodes = plan.outcomes.filter(({ kind }) => kind === 'Node');
  // A delta without nodes decides about no change of taints.
  insertRevision(write, given, {
    counts,
    kubernetesVersion,
    unconfirmed: nodes.length === 0 ? cluster.unconfirmedNodes : 0,
  });
  let { unconfirmedNodes } = cluster;
  const rules = changes.filter(({ kind }) => kind === 'DeviceTaintRule');
  if (nodes.length > 0 || rules.length > 0) await write.run(client);
  if (rules.length > 0) await observe(client, RULES, given, rules);
  if (nodes.length > 0) unconfirmedNodes = await observe(client, NODES, given, nodes);
  write.add(
    'moved',
    `update clusters set head_revision = ${write.value(revision, 'integer')} where id = ${write.value(cluster.id, 'bigint')}`,
  );
  return { unconfirmedNodes, kubernetesVersion, counts };
}

/** @returns the number of nodes with undecided changes of taints */
async function observe(
  client: ClientBase,
  of: WatchedKind,
  { cluster, delta, changes, unsettled, revision, capturedAt }: RevisionToWrite,
  objects: readonly ObjectOutcome[],
): Promise<number> {
  const shown = new Set(objects.filter(({ after }) => after !== undefined).map(({ name }) => name));
  const gone = new Set(objects.filter(({ after }) => after === undefined).map(({ name }) => name));
  const differ = changes.some(({ kind }) => kind === of.kind);
  const { stream } = cluster;
  // Whatever changed did so after the last delta of this stream, which bounds the time of the change.
  if (differ && stream?.stream === delta.stream && !unsettled.has(of.kind)) {
    await noteSighting(client, of.sightings, cluster.id, {
      at: new Date(stream.capturedAt),
      revision: cluster.head,
    });
  }
  return observeSnapshot(client, {
    of,
    cluster: { id: cluster.id, name: cluster.name },
    revision,
    previous: cluster.head,
    backfill: false,
    capturedAt,
    receivedAt: delta.receivedAt,
    all: false,
    differ,
    shows: (name) => shown.has(name),
    lacks: (name) => gone.has(name),
  });
}

/** A row of `object_versions` that is new, or is there by its key and gets another end and resourceVersion. */
interface VersionToWrite {
  readonly key: string;
  readonly validFrom: number;
  readonly validTo: number | null;
  readonly resourceVersion: string | null;
  /** Absent if the row is there. */
  readonly row?: ObjectRow;
}

/**
 * Ends versions and begins others as of a new revision, and notes the resourceVersions of objects whose content stays.
 *
 * Rows that are there under the lock of the cluster's row are changed by way of a conflict: an update would look for them with an index of
 * the planner's choice, and of a cluster without statistics, which it takes for one row, it would read all rows.
 * @param revision null if nothing that is kept changed
 */
function writeVersions(
  write: WriteStatement,
  clusterId: number,
  revision: number | null,
  { outcomes }: DeltaPlan,
): void {
  const versions = outcomes.flatMap(({ key, before, after, row }): readonly VersionToWrite[] => {
    const validFrom = before?.validFrom;
    if (before?.hash === after?.hash) {
      if (validFrom === undefined || before?.resourceVersion === after?.resourceVersion) return [];
      return [{ key, validFrom, validTo: null, resourceVersion: after!.resourceVersion }];
    }
    const ended =
      validFrom === undefined ? [] : [{ key, validFrom, validTo: revision, resourceVersion: before!.resourceVersion }];
    if (row === undefined) return ended;
    return [...ended, { key, validFrom: revision!, validTo: null, resourceVersion: row.resourceVersion, row }];
  });
  if (versions.length === 0) return;
  const [kinds, namespaces, names] = keyColumns(versions.map(({ key }) => key));
  const columns = [
    write.value(textArray(kinds), 'text[]'),
    write.value(textArray(namespaces), 'text[]'),
    write.value(textArray(names), 'text[]'),
    write.value(textArray(versions.map(({ row }) => row?.uid ?? null)), 'text[]'),
    write.value(textArray(versions.map(({ resourceVersion }) => resourceVersion)), 'text[]'),
    write.value(byteaArray(versions.map(({ row }) => row?.hash ?? NONE)), 'bytea[]'),
    write.value(
      versions.map(({ validFrom }) => validFrom),
      'integer[]',
    ),
    write.value(
      versions.map(({ validTo }) => validTo),
      'integer[]',
    ),
    write.value(textArray(versions.map(({ row }) => row?.content ?? '')), 'text[]'),
  ];
  write.add(
    'versions',
    `insert into object_versions (cluster_id, kind, namespace, name, uid, resource_version, hash, valid_from, valid_to, content)
     select c.id, n.* from clusters c
     cross join unnest(${columns.join(', ')}) as n (kind, namespace, name, uid, resource_version, hash, valid_from, valid_to, content)
     where c.id = ${write.value(clusterId, 'bigint')}
     on conflict (cluster_id, kind, namespace, name, valid_from) do update
     set resource_version = excluded.resource_version, valid_to = excluded.valid_to`,
  );
}

function countsAfter(
  former: Readonly<Record<string, KindCounts>>,
  changes: readonly ObjectOutcome[],
): Readonly<Record<string, KindCounts>> {
  const counts = new Map(
    Object.entries(former)
      .map(([kind, { added, changed, unchanged }]) => [kind, added + changed + unchanged] as const)
      .filter(([, there]) => there > 0)
      .map(([kind, unchanged]) => [kind, { added: 0, changed: 0, removed: 0, unchanged }]),
  );
  for (const { kind, before, after } of changes) {
    const ofKind = counts.get(kind) ?? { added: 0, changed: 0, removed: 0, unchanged: 0 };
    counts.set(kind, ofKind);
    ofKind[before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'] += 1;
    if (before !== undefined && ofKind.unchanged > 0) ofKind.unchanged -= 1;
  }
  return Object.fromEntries(counts);
}

function insertRevision(
  write: WriteStatement,
  { cluster, delta, changes, compared, revision, capturedAt }: RevisionToWrite,
  {
    counts,
    kubernetesVersion,
    unconfirmed,
  }: {
    readonly counts: Readonly<Record<string, KindCounts>>;
    readonly kubernetesVersion: string | null;
    readonly unconfirmed: number;
  },
): void {
  const touched = [...new Set([...changes, ...compared].map(({ kind }) => kind))];
  const known = compared.flatMap(({ kind, resourceVersion }) =>
    resourceVersion === null ? [] : [[kind, resourceVersion] as const],
  );
  write.add(
    'numbered',
    `insert into revisions (cluster_id, number, kind, captured_at, received_at, backfill, source, author, scope,
                            loaded_kinds, kubernetes_version, stats, findings, counts, unconfirmed_nodes, resource_versions)
     select cluster_id, ${write.value(revision, 'integer')}, 'delta', ${write.value(capturedAt, 'timestamptz')},
            ${write.value(delta.receivedAt, 'timestamptz')}, false, null, ${write.value(delta.author, 'text')},
            '{"kinds":[],"namespaces":null}', loaded_kinds, ${write.value(kubernetesVersion, 'text')}, '{}', '{}',
            ${write.value(JSON.stringify(counts), 'json')}, ${write.value(unconfirmed, 'integer')},
            resource_versions - ${write.value(textArray(touched), 'text[]')}
              || ${write.value(JSON.stringify(Object.fromEntries(known)), 'jsonb')}
     from revisions
     where cluster_id = ${write.value(cluster.id, 'bigint')} and number = ${write.value(cluster.head, 'integer')}`,
  );
}

/** That of the new nodes or of the former ones: only a snapshot shows that the newest kubelet is gone. */
function newestVersion(former: string | null, changes: readonly ObjectOutcome[]): string | null {
  const kubelets = changes.flatMap(({ kind, row }) => {
    if (kind !== 'Node' || row === undefined) return [];
    const version = nodeOf(row.content).status?.nodeInfo?.kubeletVersion;
    return version === undefined ? [] : [version];
  });
  return newestKubernetesVersion(former === null ? kubelets : [former, ...kubelets]) ?? former;
}

function movePositions(
  write: WriteStatement,
  { id, positions }: LockedCluster,
  given: {
    readonly delta: DeltaToCommit;
    readonly totals: ReadonlyMap<string, KindTotal>;
    readonly compared: readonly ComparedPosition[];
    readonly unsettled: ReadonlySet<string>;
  },
): void {
  const { delta, totals, compared, unsettled } = given;
  const byKind = new Map(compared.map((position) => [position.kind, position]));
  const kinds = [...new Set([...totals.keys(), ...unsettled])];
  if (kinds.length === 0) return;
  const versionOf = (kind: string): string | null => {
    const position = byKind.get(kind);
    return position === undefined ? (positions.get(kind)?.resourceVersion ?? null) : position.resourceVersion;
  };
  const columns = [
    write.value(textArray(kinds), 'text[]'),
    write.value(textArray(kinds.map(versionOf)), 'text[]'),
    write.value(
      kinds.map((kind) => totals.get(kind)?.count ?? null),
      'integer[]',
    ),
    write.value(textArray(kinds.map((kind) => totals.get(kind)?.hash ?? null)), 'text[]'),
    write.value(
      kinds.map((kind) => unsettled.has(kind)),
      'boolean[]',
    ),
  ];
  write.add(
    'placed',
    `insert into kind_positions (cluster_id, kind, resource_version, count, hash, snapshot_needed, stream, sequence)
     select c.id, k.*, ${write.value(delta.stream, 'text')}, ${write.value(delta.sequence, 'bigint')}
     from clusters c cross join unnest(${columns.join(', ')}) as k (kind, resource_version, count, hash, needed)
     where c.id = ${write.value(id, 'bigint')}
     on conflict (cluster_id, kind) do update
     set resource_version = excluded.resource_version, count = coalesce(excluded.count, kind_positions.count),
         hash = coalesce(excluded.hash, kind_positions.hash), snapshot_needed = excluded.snapshot_needed,
         stream = excluded.stream, sequence = excluded.sequence`,
  );
}

function rememberAnswer(
  write: WriteStatement,
  { id, stream: former }: LockedCluster,
  { delta, capturedAt, answer }: { delta: DeltaToCommit; capturedAt: Date; answer: DeltaAnswer },
): void {
  const replaced = former !== null && former.stream !== delta.stream ? [former.stream] : [];
  const superseded = [...replaced, ...(former?.superseded ?? [])].slice(0, SUPERSEDED);
  write.add(
    'remembered',
    `insert into delta_streams (cluster_id, stream, sequence, captured_at, answer, superseded, own)
     values (${write.value(id, 'bigint')}, ${write.value(delta.stream, 'text')}, ${write.value(delta.sequence, 'bigint')},
             ${write.value(capturedAt, 'timestamptz')}, ${write.value(JSON.stringify(answer), 'json')},
             ${write.value(textArray(superseded), 'text[]')}, ${write.value(delta.lease !== undefined, 'boolean')})
     on conflict (cluster_id) do update
     set stream = excluded.stream, sequence = excluded.sequence, captured_at = excluded.captured_at,
         answer = excluded.answer, superseded = excluded.superseded, own = excluded.own`,
  );
}
