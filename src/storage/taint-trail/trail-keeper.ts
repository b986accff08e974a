import type { ClientBase } from 'pg';
import { stepAttribution } from '../../core/audit/attribution.js';
import type { TaintTrail } from '../../core/audit/attributed-change.js';
import { draftOf } from '../../core/audit/draft-of-finding.js';
import {
  findingsOf,
  type RecordedFinding,
  stepReconcileTrail,
  type TrailFinding,
} from '../../core/audit/trail-finding.js';
import {
  bodyOf,
  type TrailCluster,
  type TrailContent,
  type TrailDraft,
  type TrailRecordKind,
} from '../../core/audit/trail-record.js';
import { parseJson } from '../../core/json/lossless-json.js';
import { loadEvidence, type StoredIntent } from './evidence-store.js';
import { Slices } from '../../event-loop/slices.js';
import { appendToTrail } from './trail-writer.js';

/**
 * The maximum number of nodes whose evidence is in memory at once, and, for several nodes, of bytes of their audit
 * events.
 */
const MAX_NODES = 500;
const MAX_BYTES = 2 * 1024 * 1024;

/** The number of added records by kind. */
export type AddedRecords = ReadonlyMap<TrailRecordKind, number>;

/**
 * Evaluates the evidence about these nodes again, and adds records for new findings to the trail. The caller's
 * transaction must have locked the cluster's row.
 */
export async function keepTrail(
  client: ClientBase,
  cluster: TrailCluster,
  nodes: readonly string[],
  at: { readonly recordedAt: Date; readonly revision?: number },
): Promise<AddedRecords> {
  const added = new Map<TrailRecordKind, number>();
  for (let start = 0; start < nodes.length; start += MAX_NODES) {
    const some = nodes.slice(start, start + MAX_NODES);
    const bytes = await eventBytes(client, cluster.id, some);
    for (const batch of batchesByWeight(some, (node) => bytes.get(node) ?? 0)) {
      const drafts = await keepBatch(client, cluster, batch, at);
      for (const { kind } of drafts) added.set(kind, (added.get(kind) ?? 0) + 1);
    }
  }
  return added;
}

/** The bytes of audit events about each node; nodes without events are absent. */
async function eventBytes(
  client: ClientBase,
  clusterId: number,
  nodes: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ node: string; bytes: string }>(
    `select node, sum(octet_length(content)) as bytes from node_audit_events
     where cluster_id = $1 and node = any($2::text[]) group by node`,
    [clusterId, nodes],
  );
  return new Map(rows.map(({ node, bytes }) => [node, Number(bytes)]));
}

function batchesByWeight(nodes: readonly string[], weightOf: (node: string) => number): string[][] {
  const batches: string[][] = [];
  let weight = Infinity;
  for (const node of nodes) {
    weight += weightOf(node);
    if (weight > MAX_BYTES) {
      batches.push([]);
      weight = weightOf(node);
    }
    batches.at(-1)!.push(node);
  }
  return batches;
}

async function keepBatch(
  client: ClientBase,
  cluster: TrailCluster,
  nodes: readonly string[],
  at: { readonly recordedAt: Date; readonly revision?: number },
): Promise<readonly TrailDraft[]> {
  const evidence = await loadEvidence(client, cluster.id, nodes);
  const slices = new Slices();
  const trail = await slices.run(stepAttribution(evidence));
  await settleIntents(client, cluster.id, trail, evidence.intents);
  const found = byNode(findingsOf(trail), ({ node }) => node);
  const recorded = byNode(await recordedFindings(client, cluster.id, nodes), ({ finding }) => finding.node);
  const intents = byNode(evidence.intents, ({ node }) => node);
  const drafts: TrailDraft[] = [];
  for (const node of nodes) {
    const ofNode = new Map((intents.get(node) ?? []).map((intent) => [intent.id, intent]));
    const steps = stepReconcileTrail(recorded.get(node) ?? [], found.get(node) ?? []);
    for (const addition of await slices.run(steps)) drafts.push(draftOf(addition, ofNode));
  }
  if (drafts.length > 0) await appendToTrail(client, cluster, drafts, at);
  return drafts;
}

/** The records about these nodes that come from evidence and are not superseded. */
async function recordedFindings(
  client: ClientBase,
  clusterId: number,
  nodes: readonly string[],
): Promise<RecordedFinding[]> {
  const { rows } = await client.query<{ sequence: string; content: string }>(
    `select t.sequence, t.content from taint_trail t
     where t.cluster_id = $1 and t.node = any($2::text[])
       and (t.kind in ('found', 'attempt', 'write', 'intent') or t.kind = 'change' and t.channel <> 'api')
       and not exists (select from taint_trail_superseded s where s.cluster_id = $1 and s.sequence = t.sequence)
     order by t.sequence`,
    [clusterId, nodes],
  );
  return new Slices().map(rows, ({ sequence, content }) => ({
    sequence: Number(sequence),
    finding: findingIn(content),
  }));
}

/** The finding in a record. */
function findingIn(content: string): TrailFinding {
  const record = parseJson(content) as unknown as TrailContent;
  const { change, ...finding } = bodyOf(record);
  const id = record.kind === 'intent' ? { id: change } : {};
  return { ...finding, ...id, kind: record.kind } as unknown as TrailFinding;
}

async function settleIntents(
  client: ClientBase,
  clusterId: number,
  trail: TaintTrail,
  known: readonly StoredIntent[],
): Promise<void> {
  const former = new Map(known.map(({ node, id, status }) => [`${node}\n${id}`, status]));
  const changed = trail.intents.filter(({ node, id, status }) => former.get(`${node}\n${id}`) !== status);
  if (changed.length === 0) return;
  await client.query(
    `update node_intents i set status = o.status, said_by = o.said_by
     from unnest($2::text[], $3::uuid[], $4::text[], $5::text[]) as o (node, change_id, status, said_by)
     where i.cluster_id = $1 and i.node = o.node and i.change_id = o.change_id`,
    [
      clusterId,
      changed.map(({ node }) => node),
      changed.map(({ id }) => id),
      changed.map(({ status }) => status),
      changed.map(({ saidBy }) => (saidBy === undefined ? null : JSON.stringify(saidBy))),
    ],
  );
}

function byNode<Item>(items: readonly Item[], nodeOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const nodes = new Map<string, Item[]>();
  for (const item of items) {
    const others = nodes.get(nodeOf(item));
    if (others === undefined) nodes.set(nodeOf(item), [item]);
    else others.push(item);
  }
  return nodes;
}
