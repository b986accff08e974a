import type { ClientBase } from 'pg';
import { PARAM_SELECTING_KINDS } from '../core/admission/policies/param-selection.js';
import type { ObjectRow } from '../core/cluster/object-row.js';
import { isOlderVersion } from '../core/kubernetes/resource-version.js';
import { newestKubernetesVersion } from '../core/kubernetes/versions.js';
import { Database } from './database.js';
import { checkLease } from './follow-leases.js';
import { type KindPosition, NOTE_CURRENT } from './follow-store.js';
import { notifyCurrent, notifyHead } from './head-notifications.js';
import { keyColumns, packKey } from './object-key.js';
import { KindTotal, SUM_OF_TERMS, totalOfSum } from './kind-total.js';
import { type DeltaDeletion, type DeltaPlan, type ObjectOutcome, planDelta, type StoredVersion } from './plan-delta.js';
import type { KindCounts } from './revision.js';
import { refuseNul } from './row-intake.js';
import type { KindRemovals } from './snapshot-removals.js';
import { ClusterNotFound, DeltaOutOfOrder, NoRevision, SnapshotNeeded } from './storage-error.js';
import { observeSnapshot } from './taint-trail/snapshot-observer.js';
import { noteSighting } from './taint-trail/evidence-store.js';
import { nodeOf } from './taint-trail/node-row.js';
import { WithheldParams } from './withheld-params.js';

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

interface StoredStream {
  readonly stream: string;
  readonly sequence: number;
  readonly capturedAt: string;
  readonly answer: DeltaAnswer;
  readonly superseded: readonly string[];
}

/** The cluster whose row is locked, with its head. */
interface LockedCluster {
  readonly id: number;
  readonly name: string;
  readonly head: number;
  readonly capturedAt: Date;
  readonly loadedKinds: readonly string[];
  readonly counts: Readonly<Record<string, KindCounts>>;
  readonly kubernetesVersion: string | null;
  readonly unconfirmedNodes: number;
  readonly stream: StoredStream | null;
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
    return this.database.transaction(async (client) => {
      const cluster = await lockCluster(client, delta);
      if (delta.lease !== undefined) await checkLease(client, cluster.id, delta.lease);
      const repeated = findRepeated(cluster, delta);
      if (repeated !== undefined) return { ...repeated, clusterId: cluster.id, repeated: true };
      refuseUnloaded(cluster, delta);
      const answer = await apply(client, cluster, delta);
      return { ...answer, clusterId: cluster.id, repeated: false };
    });
  }
}

async function lockCluster(client: ClientBase, { cluster, ...delta }: DeltaToCommit): Promise<LockedCluster> {
  const locked = await client.query<{ id: string; head: number }>(
    'select id, head_revision as head from clusters where name = $1 for update',
    [cluster],
  );
  const [found] = locked.rows;
  if (found === undefined) throw new ClusterNotFound(cluster);
  const id = Number(found.id);
  const { rows } = await client.query<
    Omit<LockedCluster, 'id' | 'name' | 'head' | 'positions'> & { positions: KindPosition[] | null }
  >(
    `select r.captured_at as "capturedAt", r.loaded_kinds as "loadedKinds", r.counts,
            r.kubernetes_version as "kubernetesVersion", r.unconfirmed_nodes as "unconfirmedNodes",
       (select row_to_json(s) from (
          select stream, sequence, captured_at as "capturedAt", answer, superseded
          from delta_streams where cluster_id = $1) s) as stream,
       (select json_agg(p) from (
          select kind, resource_version as "resourceVersion", count, hash, snapshot_needed as "snapshotNeeded"
          from kind_positions where cluster_id = $1) p) as positions
     from revisions r where r.cluster_id = $1 and r.number = $2`,
    [id, found.head],
  );
  const [row] = rows;
  if (row === undefined) {
    const kinds = kindsOf(delta);
    throw kinds.length === 0 ? new NoRevision(cluster) : new SnapshotNeeded(cluster, kinds);
  }
  const positions = new Map((row.positions ?? []).map((position) => [position.kind, position]));
  return { ...row, id, name: cluster, head: found.head, positions };
}

/** @returns the answer to the same delta, if it was stored */
function findRepeated({ name, stream: known }: LockedCluster, delta: DeltaToCommit): DeltaAnswer | undefined {
  const { stream, sequence } = delta;
  if (known?.superseded.includes(stream) === true) throw DeltaOutOfOrder.superseded(name, stream);
  if (known?.stream === stream && known.sequence === sequence) return known.answer;
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

async function apply(client: ClientBase, cluster: LockedCluster, delta: DeltaToCommit): Promise<DeltaAnswer> {
  const capturedAt = captureTime(cluster, delta);
  const rows = await withoutSecrets(client, cluster, delta.rows);
  const stored = await storedVersions(client, cluster.id, rows, delta.deletions);
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
  await touch(client, plan);
  const compared = delta.positions.map((position) => compare(position, totals, cluster.positions));
  const unsettled = unsettledKinds(cluster, compared, changes);
  const revision = (await needsRevision(client, cluster, plan, changes)) ? cluster.head + 1 : null;
  const written =
    revision === null
      ? { unconfirmedNodes: cluster.unconfirmedNodes, kubernetesVersion: cluster.kubernetesVersion, counts: {} }
      : await writeRevision(client, { cluster, delta, plan, changes, compared, unsettled, revision, capturedAt });
  const answer: DeltaAnswer = {
    stream: delta.stream,
    sequence: delta.sequence,
    revision,
    head: revision ?? cluster.head,
    headCapturedAt: (revision === null ? cluster.capturedAt : capturedAt).toISOString(),
    ...written,
    ignored: plan.ignored,
    positions: compared,
    snapshotNeeded: [...unsettled].sort(),
    currentAt: unsettled.size === 0 ? capturedAt.toISOString() : null,
  };
  await movePositions(client, cluster, { delta, totals, compared, unsettled });
  await rememberAnswer(client, cluster, { delta, capturedAt, answer });
  if (unsettled.size === 0) await noteCurrent(client, cluster.id, capturedAt, revision);
  return answer;
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

/** The objects of the head that the delta names, by key. */
async function storedVersions(
  client: ClientBase,
  clusterId: number,
  rows: readonly ObjectRow[],
  deletions: readonly DeltaDeletion[],
): Promise<ReadonlyMap<string, StoredVersion>> {
  const keys = new Set([...rows, ...deletions].map(({ kind, namespace, name }) => packKey(kind, namespace, name)));
  if (keys.size === 0) return new Map();
  // The open version is the newest one, which the primary key finds among any number of former ones.
  const found = await client.query<[string, string, string, string, string | null, string | null, string]>({
    text: `select k.kind, k.namespace, k.name, v.place, v.uid, v.resource_version, encode(v.hash, 'hex')
           from unnest($2::text[], $3::text[], $4::text[]) as k (kind, namespace, name)
           cross join lateral (
             select ctid::text as place, uid, resource_version, hash, valid_to from object_versions v
             where v.cluster_id = $1 and v.kind = k.kind and v.namespace = k.namespace and v.name = k.name
             order by valid_from desc limit 1) v
           where v.valid_to is null`,
    values: [clusterId, ...keyColumns(keys)],
    rowMode: 'array',
  });
  return new Map(
    found.rows.map(([kind, namespace, name, place, uid, resourceVersion, hash]) => [
      packKey(kind, namespace, name),
      { place, uid, resourceVersion, hash },
    ]),
  );
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
  for (const change of changes) kinds.set(change.kind, [...(kinds.get(change.kind) ?? []), change]);
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

/** Notes the resourceVersions of objects whose content stays. */
async function touch(client: ClientBase, { outcomes }: DeltaPlan): Promise<void> {
  const moved = outcomes.filter(
    ({ before, after }) =>
      before !== undefined && before.hash === after?.hash && before.resourceVersion !== after.resourceVersion,
  );
  if (moved.length === 0) return;
  await client.query(
    `update object_versions v set resource_version = k.resource_version
     from unnest($1::tid[], $2::text[]) as k (place, resource_version) where v.ctid = k.place`,
    [moved.map(({ before }) => before!.place), moved.map(({ after }) => after!.resourceVersion)],
  );
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

async function writeRevision(
  client: ClientBase,
  given: RevisionToWrite,
): Promise<Pick<DeltaAnswer, 'unconfirmedNodes' | 'kubernetesVersion' | 'counts'>> {
  const { cluster, delta, plan, changes, unsettled, revision, capturedAt } = given;
  await writeVersions(client, cluster.id, revision, changes);
  const counts = countsAfter(cluster.counts, changes);
  const kubernetesVersion = newestVersion(cluster.kubernetesVersion, changes);
  await insertRevision(client, given, counts, kubernetesVersion);
  const nodes = plan.outcomes.filter(({ kind }) => kind === 'Node');
  const shown = new Set(nodes.filter(({ after }) => after !== undefined).map(({ name }) => name));
  const gone = new Set(nodes.filter(({ after }) => after === undefined).map(({ name }) => name));
  const nodesDiffer = changes.some(({ kind }) => kind === 'Node');
  const { stream } = cluster;
  // Whatever changed did so after the last delta of this stream, which bounds the time of the change.
  if (nodesDiffer && stream?.stream === delta.stream && !unsettled.has('Node')) {
    await noteSighting(client, cluster.id, new Date(stream.capturedAt), cluster.head);
  }
  const unconfirmedNodes =
    nodes.length === 0
      ? await carryUnconfirmed(client, cluster, revision)
      : await observeSnapshot(client, {
          cluster: { id: cluster.id, name: cluster.name },
          revision,
          previous: cluster.head,
          backfill: false,
          capturedAt,
          receivedAt: delta.receivedAt,
          allNodes: false,
          nodesDiffer,
          shows: (node) => shown.has(node),
          lacks: (node) => gone.has(node),
        });
  await client.query('update clusters set head_revision = $2 where id = $1', [cluster.id, revision]);
  await notifyHead(client, cluster.id, revision);
  return { unconfirmedNodes, kubernetesVersion, counts };
}

async function writeVersions(
  client: ClientBase,
  clusterId: number,
  revision: number,
  changes: readonly ObjectOutcome[],
): Promise<void> {
  const ended = changes.flatMap(({ before }) => (before?.place === undefined ? [] : [before.place]));
  if (ended.length > 0) {
    await client.query('update object_versions set valid_to = $1 where ctid = any($2::tid[])', [revision, ended]);
  }
  const begun = changes.filter(({ row }) => row !== undefined);
  if (begun.length === 0) return;
  const rows = begun.map(({ row }) => row!);
  await client.query(
    `insert into object_versions (cluster_id, kind, namespace, name, uid, resource_version, hash, valid_from, content)
     select $1, kind, namespace, name, uid, resource_version, hash, $2, content
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::text[])
       as n (kind, namespace, name, uid, resource_version, hash, content)`,
    [
      clusterId,
      revision,
      ...keyColumns(begun.map(({ key }) => key)),
      rows.map(({ uid }) => uid),
      rows.map(({ resourceVersion }) => resourceVersion),
      rows.map(({ hash }) => Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength)),
      rows.map(({ content }) => content),
    ],
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

async function insertRevision(
  client: ClientBase,
  { cluster, delta, changes, compared, revision, capturedAt }: RevisionToWrite,
  counts: Readonly<Record<string, KindCounts>>,
  kubernetesVersion: string | null,
): Promise<void> {
  const touched = [...new Set([...changes, ...compared].map(({ kind }) => kind))];
  const known = compared.flatMap(({ kind, resourceVersion }) =>
    resourceVersion === null ? [] : [[kind, resourceVersion] as const],
  );
  await client.query(
    `insert into revisions (cluster_id, number, kind, captured_at, received_at, backfill, source, author, scope,
                            loaded_kinds, kubernetes_version, stats, findings, counts, resource_versions)
     select cluster_id, $3, 'delta', $4, $5, false, null, $6, '{"kinds":[],"namespaces":null}',
            loaded_kinds, $7, '{}', '{}', $8, resource_versions - $9::text[] || $10::jsonb
     from revisions where cluster_id = $1 and number = $2`,
    [
      cluster.id,
      cluster.head,
      revision,
      capturedAt,
      delta.receivedAt,
      delta.author,
      kubernetesVersion,
      JSON.stringify(counts),
      touched,
      JSON.stringify(Object.fromEntries(known)),
    ],
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

/** A delta without nodes decides about no change of taints. */
async function carryUnconfirmed(client: ClientBase, cluster: LockedCluster, revision: number): Promise<number> {
  if (cluster.unconfirmedNodes > 0) {
    await client.query('update revisions set unconfirmed_nodes = $3 where cluster_id = $1 and number = $2', [
      cluster.id,
      revision,
      cluster.unconfirmedNodes,
    ]);
  }
  return cluster.unconfirmedNodes;
}

async function movePositions(
  client: ClientBase,
  { id, positions }: LockedCluster,
  given: {
    readonly delta: DeltaToCommit;
    readonly totals: ReadonlyMap<string, KindTotal>;
    readonly compared: readonly ComparedPosition[];
    readonly unsettled: ReadonlySet<string>;
  },
): Promise<void> {
  const { delta, totals, compared, unsettled } = given;
  const byKind = new Map(compared.map((position) => [position.kind, position]));
  const kinds = [...new Set([...totals.keys(), ...unsettled])];
  if (kinds.length === 0) return;
  const versionOf = (kind: string): string | null => {
    const position = byKind.get(kind);
    return position === undefined ? (positions.get(kind)?.resourceVersion ?? null) : position.resourceVersion;
  };
  await client.query(
    `insert into kind_positions (cluster_id, kind, resource_version, count, hash, snapshot_needed, stream, sequence)
     select $1, kind, resource_version, count, hash, needed, $2, $3
     from unnest($4::text[], $5::text[], $6::integer[], $7::text[], $8::boolean[])
       as k (kind, resource_version, count, hash, needed)
     on conflict (cluster_id, kind) do update
     set resource_version = excluded.resource_version, count = coalesce(excluded.count, kind_positions.count),
         hash = coalesce(excluded.hash, kind_positions.hash), snapshot_needed = excluded.snapshot_needed,
         stream = excluded.stream, sequence = excluded.sequence`,
    [
      id,
      delta.stream,
      delta.sequence,
      kinds,
      kinds.map(versionOf),
      kinds.map((kind) => totals.get(kind)?.count ?? null),
      kinds.map((kind) => totals.get(kind)?.hash ?? null),
      kinds.map((kind) => unsettled.has(kind)),
    ],
  );
}

async function rememberAnswer(
  client: ClientBase,
  { id, stream: former }: LockedCluster,
  { delta, capturedAt, answer }: { delta: DeltaToCommit; capturedAt: Date; answer: DeltaAnswer },
): Promise<void> {
  const replaced = former !== null && former.stream !== delta.stream ? [former.stream] : [];
  await client.query(
    `insert into delta_streams (cluster_id, stream, sequence, captured_at, answer, superseded)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (cluster_id) do update
     set stream = $2, sequence = $3, captured_at = $4, answer = $5, superseded = $6`,
    [
      id,
      delta.stream,
      delta.sequence,
      capturedAt,
      JSON.stringify(answer),
      [...replaced, ...(former?.superseded ?? [])].slice(0, SUPERSEDED),
    ],
  );
}

/** The head is the cluster's state up to this moment. */
async function noteCurrent(client: ClientBase, clusterId: number, at: Date, revision: number | null): Promise<void> {
  const { rowCount } = await client.query(NOTE_CURRENT, [clusterId, at]);
  if (revision === null && rowCount !== 0) await notifyCurrent(client, clusterId, at);
}
