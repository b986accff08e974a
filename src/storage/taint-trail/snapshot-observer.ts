import type { ClientBase } from 'pg';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import type { DeviceTaintRule } from '../../core/kubernetes/objects/dra.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import type { TrailCluster } from '../../core/audit/trail-record.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { LabelDifference } from '../../core/taint-change/label-difference.js';
import { redoChange } from '../../core/taint-change/redo-change.js';
import { Slices } from '../../event-loop/slices.js';
import {
  addObservations,
  GONE,
  hasSightings,
  lastObservations,
  type NewObservation,
  nextSighting,
  noteSighting,
  showsTheSame,
  type WatchedNode,
} from './evidence-store.js';
import { nodeColumns, nodeOf, nodeRow, type NodeRow } from './node-row.js';
import { keepTrail } from './trail-keeper.js';
import { RULES, type WatchedKind } from './watched-kind.js';

/** A snapshot whose objects have been written, in a transaction that has locked the cluster's row, as to one kind. */
export interface WrittenSnapshot {
  readonly of: WatchedKind;
  readonly cluster: TrailCluster;
  readonly revision: number;
  /** The previous head; 0 if there was none. */
  readonly previous: number;
  /** Whether it was stored as a past state, so that `revision + 1` restates the head. */
  readonly backfill: boolean;
  readonly capturedAt: Date;
  readonly receivedAt: Date;
  /** Whether it covers all objects of the kind, so that a missing one is deleted. */
  readonly all: boolean;
  /** Whether it says that the object with this name, which it does not contain, is deleted. */
  readonly lacks: (name: string) => boolean;
  /** Whether any object of the kind differs from the previous head. */
  readonly differ: boolean;
  /** Whether the snapshot itself contains this object: others are carried over and were not observed. */
  readonly shows: (name: string) => boolean;
}

/** The number of nodes to read and compare at once. */
const BATCH = 500;

/**
 * Processes a snapshot's evidence about taints: stores its observations of nodes, determines the outcome of changes made
 * through this service, and adds the resulting records to the trail.
 *
 * A snapshot cannot decide about a change that is younger. The node is then stored with the change applied again to the state
 * in the snapshot, and separately as it was observed.
 *
 * @returns the number of nodes of the revision with undecided changes
 */
export async function observeSnapshot(client: ClientBase, snapshot: WrittenSnapshot): Promise<number> {
  const { of, cluster, revision, previous, backfill, capturedAt, receivedAt, all } = snapshot;
  if (previous > 0 && all && !(await hasSightings(client, of.sightings, cluster.id))) await seed(client, snapshot);
  const touched = new Set<string>();
  const open = backfill || of.kind !== 'Node' ? [] : await openNodes(client, cluster.id);
  if (all) await noteSighting(client, of.sightings, cluster.id, { at: capturedAt, revision });
  const seen = snapshot.differ || backfill ? await changedNodes(client, snapshot) : new Map<string, ShownNode | null>();
  for (const [node, content] of await currentContents(client, cluster.id, open.filter(snapshot.shows))) {
    seen.set(node, content);
  }
  // That a rule is not there decides about a change that creates it.
  const rules = backfill || of.kind === 'Node' ? [] : await openRules(client, snapshot);
  for (const rule of rules) if (snapshot.lacks(rule)) seen.set(rule, null);
  const names = [...seen.keys()];
  for (let start = 0; start < names.length; start += BATCH) {
    for (const node of await keepObservations(client, snapshot, names.slice(start, start + BATCH), seen, rules)) {
      touched.add(node);
    }
  }
  const observedOpen = open.filter((node) => snapshot.shows(node) || snapshot.lacks(node));
  for (const node of observedOpen) touched.add(node);
  for (const rule of rules) touched.add(of.subjectOf(rule));
  const at = { recordedAt: receivedAt, revision };
  if (touched.size > 0) await keepTrail(client, cluster, [...touched].sort(), at);
  // A past state has none of the later changes; the restated head has all of them.
  if (!backfill) await settleOpenNodes(client, cluster.id, revision, observedOpen, seen);
  if (open.length === 0 && !backfill) return 0;
  const count = await countUnconfirmed(client, cluster.id, backfill ? revision + 1 : revision);
  return backfill ? 0 : count;
}

/** Stores in the head the number of its nodes with undecided changes. */
export async function countUnconfirmed(client: ClientBase, clusterId: number, revision: number): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `update revisions set unconfirmed_nodes = (
       select count(*) from observed_nodes where cluster_id = $1 and valid_to is null)
     where cluster_id = $1 and number = $2
     returning unconfirmed_nodes as count`,
    [clusterId, revision],
  );
  return rows[0]?.count ?? 0;
}

/** Adds observations for data from before the trail existed: the head's objects, at their capture time. */
async function seed(client: ClientBase, { of, cluster, previous }: WrittenSnapshot): Promise<void> {
  const { rows } = await client.query<{ at: Date }>(
    `select captured_at as at from revisions
     where cluster_id = $1 and number = $2 and loaded_kinds @> array[$3::text]`,
    [cluster.id, previous, of.kind],
  );
  const [head] = rows;
  if (head === undefined) return;
  const nodes = await client.query<{ name: string } & ShownNode>(
    `select name, content, ${VERSION} from object_versions
     where cluster_id = $1 and kind = $3 and valid_from <= $2 and (valid_to is null or valid_to > $2)`,
    [cluster.id, previous, of.kind],
  );
  await noteSighting(client, of.sightings, cluster.id, { at: head.at, revision: previous });
  const shown = nodes.rows.map(({ name, ...object }) => ({
    node: of.subjectOf(name),
    shown: of.watched(objectIn(object)),
  }));
  await addObservations(client, cluster.id, head.at, previous, shown);
}

/**
 * The objects that differ between the snapshot and the previous head, by name: their content, or null for deleted ones. For a
 * past state, all of them, because the head is not the state to compare with.
 */
async function changedNodes(
  client: ClientBase,
  { of, cluster, revision, shows, lacks, backfill }: WrittenSnapshot,
): Promise<Map<string, ShownNode | null>> {
  if (backfill) {
    const { rows } = await client.query<NodeColumns>(
      `select name, v.content, v.resource_version as "resourceVersion"
       from (select substr(node, length($4) + 1) as name from node_observations
             where cluster_id = $1 and starts_with(node, $4) and strpos(substr(node, length($4) + 1), '/') = 0
             union select name from object_versions where cluster_id = $1 and kind = $3 and valid_from = $2) n
       left join (select name, content, resource_version from object_versions
                  where cluster_id = $1 and kind = $3 and valid_from <= $2 and (valid_to is null or valid_to > $2)) v
       using (name)`,
      [cluster.id, revision, of.kind, of.subjectOf('')],
    );
    const shown = rows.filter(({ name }) => shows(name) || lacks(name));
    return new Map(shown.map((row) => [row.name, shows(row.name) ? shownIn(row) : null]));
  }
  const { rows } = await client.query<NodeColumns>(
    `select name, max(content) filter (where valid_from = $2) as content,
            max(resource_version) filter (where valid_from = $2) as "resourceVersion"
     from object_versions
     where cluster_id = $1 and kind = $3 and (valid_from = $2 or valid_to = $2)
     group by name`,
    [cluster.id, revision, of.kind],
  );
  return new Map(
    rows
      .filter(({ name, content }) => (content === null ? lacks(name) : shows(name)))
      .map((row) => [row.name, shownIn(row)]),
  );
}

/** The content of a node or rule, with the resourceVersion that is stored next to it. */
interface ShownNode {
  readonly content: string;
  readonly resourceVersion: string | null;
}

const VERSION = 'resource_version as "resourceVersion"';

interface NodeColumns {
  readonly name: string;
  readonly content: string | null;
  readonly resourceVersion: string | null;
}

const shownIn = ({ content, resourceVersion }: NodeColumns): ShownNode | null =>
  content === null ? null : { content, resourceVersion };

function objectIn({ content, resourceVersion }: ShownNode): Node | DeviceTaintRule {
  const object: Node | DeviceTaintRule = nodeOf(content);
  return resourceVersion === null ? object : { ...object, metadata: { ...object.metadata, resourceVersion } };
}

async function currentContents(
  client: ClientBase,
  clusterId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, ShownNode>> {
  if (names.length === 0) return new Map();
  const { rows } = await client.query<{ name: string } & ShownNode>(
    // By the primary key: for a list of names, the planner may read all objects of the cluster.
    `select n.name, v.content, v."resourceVersion" from unnest($2::text[]) as n (name)
     cross join lateral (
       select content, ${VERSION}, valid_to from object_versions
       where cluster_id = $1 and kind = 'Node' and namespace = '' and name = n.name
       order by valid_from desc limit 1) v
     where v.valid_to is null`,
    [clusterId, names],
  );
  return new Map(rows.map(({ name, ...node }) => [name, node]));
}

/** @returns the subjects for which the snapshot has new information */
async function keepObservations(
  client: ClientBase,
  { of, cluster, revision, capturedAt, backfill, all }: WrittenSnapshot,
  names: readonly string[],
  contents: ReadonlyMap<string, ShownNode | null>,
  awaited: readonly string[],
): Promise<readonly string[]> {
  const former = await lastObservations(client, cluster.id, names.map(of.subjectOf), capturedAt);
  const fresh: NewObservation[] = [];
  const restated: NewObservation[] = [];
  const slices = new Slices();
  for (const name of names) {
    if (slices.due()) await slices.pause();
    const node = of.subjectOf(name);
    const content = contents.get(name) ?? null;
    const shown: WatchedNode = content === null ? GONE : of.watched(objectIn(content));
    const before = former.get(node);
    const isNews = before === undefined ? content !== null || awaited.includes(name) : !showsTheSame(before, shown);
    if (!isNews) continue;
    fresh.push({ node, shown });
    restated.push({ node, shown: before ?? GONE });
  }
  await addObservations(client, cluster.id, capturedAt, revision, fresh);
  // The next sighting has no observation of nodes that had not changed. Add one, or they would seem to equal the past state.
  const next = backfill && all ? await nextSighting(client, of.sightings, cluster.id, capturedAt) : undefined;
  if (next !== undefined) await addObservations(client, cluster.id, next.at, next.revision, restated);
  return fresh.map(({ node }) => node);
}

/** The nodes with changes that no snapshot has decided. */
async function openNodes(client: ClientBase, clusterId: number): Promise<string[]> {
  const { rows } = await client.query<{ node: string }>(
    'select node from observed_nodes where cluster_id = $1 and valid_to is null',
    [clusterId],
  );
  return rows.map(({ node }) => node);
}

/** The DeviceTaintRules with changes that no snapshot has decided, as far as this one has or lacks them. */
async function openRules(client: ClientBase, { cluster, shows, lacks }: WrittenSnapshot): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct substr(node, length($2) + 1) as name from node_intents
     where cluster_id = $1 and starts_with(node, $2) and status = 'recorded'`,
    [cluster.id, RULES.subjectOf('')],
  );
  return rows.map(({ name }) => name).filter((name) => shows(name) || lacks(name));
}

/** Stores nodes with the effect of their undecided changes, and removes the other nodes from the list. */
async function settleOpenNodes(
  client: ClientBase,
  clusterId: number,
  revision: number,
  nodes: readonly string[],
  contents: ReadonlyMap<string, ShownNode | null>,
): Promise<void> {
  if (nodes.length === 0) return;
  await client.query(
    `update observed_nodes set valid_to = $2 where cluster_id = $1 and node = any($3::text[]) and valid_to is null`,
    [clusterId, revision, nodes],
  );
  const undecided = await client.query<{ node: string; difference: string; labels: string | null }>(
    `select node, difference, labels from node_intents
     where cluster_id = $1 and node = any($2::text[]) and status = 'recorded' order by sequence`,
    [clusterId, nodes],
  );
  const still = new Set(undecided.rows.map(({ node }) => node).filter((node) => contents.get(node) != null));
  if (still.size === 0) return;
  const slices = new Slices();
  const observed = await slices.map(still, (node) => nodeRow(nodeOf(contents.get(node)!.content)));
  await client.query(
    `insert into observed_nodes (cluster_id, node, valid_from, uid, hash, content)
     select c.id, n.name, $2, uid, hash, content
     from clusters c cross join unnest($3::text[], $4::text[], $5::bytea[], $6::text[]) as n (name, uid, hash, content)
     where c.id = $1`,
    [clusterId, revision, ...nodeColumns(observed)],
  );
  const redone = new Map(await slices.map(still, (name) => [name, nodeOf(contents.get(name)!.content)] as const));
  for (const { node, difference, labels } of undecided.rows) {
    if (slices.due()) await slices.pause();
    const known = redone.get(node);
    if (known === undefined) continue;
    const made = parseJson(difference) as unknown as TaintDifference;
    const relabelled = labels === null ? undefined : (parseJson(labels) as unknown as LabelDifference);
    redone.set(node, redoChange(known, made, relabelled));
  }
  await replaceNodes(client, clusterId, revision, await slices.map(redone.values(), nodeRow), contents);
}

/** Replaces the content of nodes from a revision on that may already have started or ended versions of them. */
async function replaceNodes(
  client: ClientBase,
  clusterId: number,
  revision: number,
  rows: readonly NodeRow[],
  shown: ReadonlyMap<string, ShownNode | null>,
): Promise<void> {
  const columns = [...nodeColumns(rows), rows.map(({ name }) => shown.get(name)?.resourceVersion ?? null)];
  const given = `unnest($3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[]) as n (name, uid, hash, content, version)`;
  const ofGiven = `v.cluster_id = $1 and v.kind = 'Node' and v.namespace = '' and v.name = n.name`;
  const values = [clusterId, revision, ...columns];
  const run = (sql: string) => client.query(sql, values);
  await run(
    `delete from object_versions v using ${given} where ${ofGiven} and v.valid_to is null and v.valid_from = $2`,
  );
  // Reopen versions whose content equals that from before the snapshot.
  await run(
    `update object_versions v set valid_to = null, resource_version = n.version from ${given} where ${ofGiven} and v.valid_to = $2 and v.hash = n.hash`,
  );
  await run(
    `update object_versions v set valid_to = $2 from ${given} where ${ofGiven} and v.valid_to is null and v.hash <> n.hash`,
  );
  await run(
    `insert into object_versions (cluster_id, kind, namespace, name, uid, resource_version, hash, valid_from, content)
     select c.id, 'Node', '', n.name, n.uid, n.version, n.hash, $2, n.content from clusters c cross join ${given}
     where c.id = $1 and not exists (select from object_versions v where ${ofGiven} and v.valid_to is null)`,
  );
}
