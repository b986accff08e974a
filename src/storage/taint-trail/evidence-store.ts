import type { ClientBase } from 'pg';
import type { AuditEvent } from '../../core/audit/audit-event.js';
import type { AuditEventRow } from '../../core/audit/audit-event-row.js';
import { cleanText, cleanValue } from '../../core/audit/clean-text.js';
import type { NodeObservation, TaintEvidence, TaintIntent } from '../../core/audit/evidence.js';
import { ruleOf, ruleTaintState } from '../../core/audit/rule-subject.js';
import { type NodeTaintState, nodeTaintState, type TaintDifference } from '../../core/audit/taint-difference.js';
import { defined } from '../../core/collections/defined.js';
import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import type { TaintOwnership } from '../../core/kubernetes/objects/meta.js';
import type { DeviceTaintRule } from '../../core/kubernetes/objects/dra.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { Slices } from '../../event-loop/slices.js';
import type { SightingsTable } from './watched-kind.js';

/** The members of an observed node, or DeviceTaintRule, that the trail uses. */
export interface WatchedNode {
  /** null: the snapshot includes all nodes of the cluster, but not this one. */
  readonly state: NodeTaintState | null;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly ownership?: readonly TaintOwnership[];
}

export const GONE: WatchedNode = { state: null };

/** Extracts those members. Replaces text that cannot be hashed (lone surrogates), as everywhere in the trail. */
export function watchedNode({ metadata, spec }: Node): WatchedNode {
  const { taints, unschedulable } = nodeTaintState(spec);
  return watchedObject(metadata, { taints: taints.map(cleaned), unschedulable });
}

export const watchedRule = ({ metadata, spec }: DeviceTaintRule): WatchedNode =>
  watchedObject(metadata, cleanValue(ruleTaintState(spec)) as NodeTaintState);

function watchedObject({ uid, resourceVersion, taintOwnership }: Node['metadata'], state: NodeTaintState): WatchedNode {
  return {
    state,
    ...defined({ uid, resourceVersion }),
    ...(taintOwnership !== undefined && { ownership: taintOwnership.map(cleaned) }),
  };
}

/** A copy of the object with cleaned texts in its members. */
function cleaned<Item extends object>(item: Item): Item {
  const entries = Object.entries(item).map(([key, value]) => [
    key,
    typeof value === 'string' ? cleanText(value) : (value as unknown),
  ]);
  return Object.fromEntries(entries) as Item;
}

/** Whether two observations are equal except for the resource version, which changes with every heartbeat. */
export function showsTheSame(a: WatchedNode, b: WatchedNode): boolean {
  const text = (node: WatchedNode): string =>
    stringifyJson({ ...node, resourceVersion: undefined }, { sortKeys: true });
  return text(a) === text(b);
}

/** A node in a snapshot. */
export interface NewObservation {
  readonly node: string;
  readonly shown: WatchedNode;
}

/** Records that a snapshot contained all objects of a kind. */
export async function noteSighting(
  client: ClientBase,
  table: SightingsTable,
  clusterId: number,
  { at, revision }: { readonly at: Date; readonly revision: number },
): Promise<void> {
  await client.query(
    `insert into ${table} (cluster_id, captured_at, revision) values ($1, $2, $3) on conflict do nothing`,
    [clusterId, at, revision],
  );
}

export async function hasSightings(client: ClientBase, table: SightingsTable, clusterId: number): Promise<boolean> {
  const { rowCount } = await client.query(`select from ${table} where cluster_id = $1 limit 1`, [clusterId]);
  return rowCount !== 0;
}

/** The next time after `at` at which all objects of a kind were observed, with the revision. */
export async function nextSighting(
  client: ClientBase,
  table: SightingsTable,
  clusterId: number,
  at: Date,
): Promise<{ readonly at: Date; readonly revision: number } | undefined> {
  const { rows } = await client.query<{ at: Date; revision: number }>(
    `select captured_at as at, revision from ${table} where cluster_id = $1 and captured_at > $2
     order by captured_at, revision limit 1`,
    [clusterId, at],
  );
  return rows[0];
}

/** The last observation of each node at or before a time. */
export async function lastObservations(
  client: ClientBase,
  clusterId: number,
  nodes: readonly string[],
  at: Date,
): Promise<ReadonlyMap<string, WatchedNode>> {
  const { rows } = await client.query<{ node: string; content: string }>(
    `select distinct on (node) node, content from node_observations
     where cluster_id = $1 and node = any($2::text[]) and captured_at <= $3
     order by node, captured_at desc, revision desc`,
    [clusterId, nodes, at],
  );
  return new Map(rows.map(({ node, content }) => [node, parseJson(content) as unknown as WatchedNode]));
}

export async function addObservations(
  client: ClientBase,
  clusterId: number,
  at: Date,
  revision: number,
  observations: readonly NewObservation[],
): Promise<void> {
  if (observations.length === 0) return;
  await client.query(
    `insert into node_observations (cluster_id, captured_at, revision, node, content)
     select c.id, $2, $3, node, content from clusters c cross join unnest($4::text[], $5::text[]) as o (node, content)
     where c.id = $1
     on conflict do nothing`,
    [
      clusterId,
      at,
      revision,
      observations.map(({ node }) => node),
      observations.map(({ shown }) => stringifyJson(shown)),
    ],
  );
}

/** The maximum number of audit events per statement, because the driver serializes it without a pause. */
const MAX_INSERTED = 250;

/** Stores audit events, each text once. @returns the nodes of the new events, by name */
export async function addAuditEvents(
  client: ClientBase,
  clusterId: number,
  events: readonly AuditEventRow[],
): Promise<{ readonly added: number; readonly nodes: readonly string[] }> {
  let added = 0;
  const nodes = new Set<string>();
  for (let start = 0; start < events.length; start += MAX_INSERTED) {
    const some = events.slice(start, start + MAX_INSERTED);
    const { rows } = await client.query<{ node: string }>(
      `insert into node_audit_events (cluster_id, node, happened_at, hash, content)
       select c.id, node, at, hash, content from clusters c
       cross join unnest($2::text[], $3::timestamptz[], $4::text[], $5::text[]) as e (node, at, hash, content)
       where c.id = $1
       on conflict do nothing returning node`,
      [
        clusterId,
        some.map(({ node }) => node),
        some.map(({ at }) => at),
        some.map(({ hash }) => hash),
        some.map(({ content }) => content),
      ],
    );
    added += rows.length;
    for (const { node } of rows) nodes.add(node);
  }
  return { added, nodes: [...nodes].sort() };
}

/** An intent with its current status. */
export interface StoredIntent extends TaintIntent {
  readonly status: string;
}

/**
 * All evidence about these nodes. Of the snapshots that showed a node unchanged, it includes the last one before each
 * change and the last one of all, because they bound the time of a change.
 */
export async function loadEvidence(
  client: ClientBase,
  clusterId: number,
  nodes: readonly string[],
): Promise<TaintEvidence & { readonly intents: readonly StoredIntent[] }> {
  return {
    observations: [
      ...(await loadObservations(
        client,
        'node_sightings',
        clusterId,
        nodes.filter((node) => !isRule(node)),
      )),
      ...(await loadObservations(client, 'device_taint_rule_sightings', clusterId, nodes.filter(isRule))),
    ],
    events: await loadEvents(client, clusterId, nodes),
    intents: await loadIntents(client, clusterId, nodes),
  };
}

const isRule = (subject: string): boolean => ruleOf(subject) !== undefined;

async function loadObservations(
  client: ClientBase,
  sightings: SightingsTable,
  clusterId: number,
  nodes: readonly string[],
): Promise<NodeObservation[]> {
  if (nodes.length === 0) return [];
  const { rows } = await client.query<{
    node: string;
    at: Date;
    revision: number;
    content: string;
    first: boolean;
    lastAt: Date | null;
    lastRevision: number | null;
    beforeAt: Date | null;
    beforeRevision: number | null;
  }>(
    `with o as (
       select node, captured_at as at, revision, content,
              lead(captured_at) over w as until, lag(captured_at) over w is null as first
       from node_observations where cluster_id = $1 and node = any($2::text[])
       window w as (partition by node order by captured_at, revision))
     select o.node, o.at, o.revision, o.content, o.first, l.at as "lastAt", l.revision as "lastRevision",
            b.at as "beforeAt", b.revision as "beforeRevision"
     from o
     left join lateral (
       select captured_at as at, revision from ${sightings} s
       where s.cluster_id = $1 and s.captured_at > o.at and (o.until is null or s.captured_at < o.until)
       order by captured_at desc, s.revision desc limit 1) l on true
     left join lateral (
       select captured_at as at, revision from ${sightings} s
       where o.first and s.cluster_id = $1 and s.captured_at < o.at
       order by captured_at desc, s.revision desc limit 1) b on true`,
    [clusterId, nodes],
  );
  return rows.flatMap(({ node, at, revision, content, lastAt, lastRevision, beforeAt, beforeRevision }) => {
    const shown = parseJson(content) as unknown as WatchedNode;
    const before: NodeObservation[] =
      beforeAt === null || beforeRevision === null
        ? []
        : [{ node, at: beforeAt.toISOString(), revision: beforeRevision, state: null }];
    const again: NodeObservation[] =
      lastAt === null || lastRevision === null
        ? []
        : [{ ...without(shown), node, at: lastAt.toISOString(), revision: lastRevision }];
    return [...before, { ...shown, node, at: at.toISOString(), revision }, ...again];
  });
}

/** A later observation of the same state, without a resource version, which is unknown. */
function without({ state, uid, ownership }: WatchedNode): WatchedNode {
  return { state, ...defined({ uid, ownership }) };
}

async function loadEvents(client: ClientBase, clusterId: number, nodes: readonly string[]): Promise<AuditEvent[]> {
  const { rows } = await client.query<{ content: string }>(
    'select content from node_audit_events where cluster_id = $1 and node = any($2::text[])',
    [clusterId, nodes],
  );
  return new Slices().map(rows, ({ content }) => parseJson(content) as unknown as AuditEvent);
}

async function loadIntents(client: ClientBase, clusterId: number, nodes: readonly string[]): Promise<StoredIntent[]> {
  const { rows } = await client.query<{
    id: string;
    node: string;
    at: Date;
    author: string;
    difference: string;
    status: string;
    revision: number;
  }>(
    // The time is earlier than that of the change if a clock was ahead and the revision was corrected: see
    // CaptureTimes.
    `select i.change_id as id, i.node, least(i.made_at, r.received_at) as at, i.author, i.difference, i.status, c.revision
     from node_intents i join taint_changes c on c.cluster_id = i.cluster_id and c.id = i.change_id
       left join revisions r on r.cluster_id = c.cluster_id and r.number = c.revision
     where i.cluster_id = $1 and i.node = any($2::text[]) order by i.sequence`,
    [clusterId, nodes],
  );
  return rows.map(({ at, difference, ...intent }) => ({
    ...intent,
    at: at.toISOString(),
    difference: parseJson(difference) as unknown as TaintDifference,
  }));
}
