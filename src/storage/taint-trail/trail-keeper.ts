import type { ClientBase } from 'pg';
import { attributeTaintChanges } from '../../core/audit/attribution.js';
import type { TaintTrail } from '../../core/audit/attributed-change.js';
import { draftOf } from '../../core/audit/draft-of-finding.js';
import { findingsOf, type RecordedFinding, reconcileTrail, type TrailFinding } from '../../core/audit/trail-finding.js';
import { bodyOf, type TrailCluster, type TrailContent, type TrailDraft } from '../../core/audit/trail-record.js';
import { parseJson } from '../../core/json/lossless-json.js';
import { loadEvidence, type StoredIntent } from './evidence-store.js';
import { appendToTrail } from './trail-writer.js';

/** Nodes whose evidence is in memory at once. */
const BATCH = 500;

/**
 * Looks at the evidence about these nodes anew and adds to the trail what it says beyond what was recorded. Inside the
 * caller's transaction, which must hold the lock of the cluster's row.
 * @returns how many records were added
 */
export async function keepTrail(
  client: ClientBase,
  cluster: TrailCluster,
  nodes: readonly string[],
  at: { readonly recordedAt: Date; readonly revision?: number },
): Promise<number> {
  let added = 0;
  for (let start = 0; start < nodes.length; start += BATCH) {
    added += await keepBatch(client, cluster, nodes.slice(start, start + BATCH), at);
  }
  return added;
}

async function keepBatch(
  client: ClientBase,
  cluster: TrailCluster,
  nodes: readonly string[],
  at: { readonly recordedAt: Date; readonly revision?: number },
): Promise<number> {
  const evidence = await loadEvidence(client, cluster.id, nodes);
  const trail = attributeTaintChanges(evidence);
  await settleIntents(client, cluster.id, trail, evidence.intents);
  const found = byNode(findingsOf(trail), ({ node }) => node);
  const recorded = byNode(await recordedFindings(client, cluster.id, nodes), ({ finding }) => finding.node);
  const intents = byNode(evidence.intents, ({ node }) => node);
  const drafts = nodes.flatMap((node): TrailDraft[] => {
    const ofNode = new Map((intents.get(node) ?? []).map((intent) => [intent.id, intent]));
    return reconcileTrail(recorded.get(node) ?? [], found.get(node) ?? []).map((addition) => draftOf(addition, ofNode));
  });
  if (drafts.length > 0) await appendToTrail(client, cluster, drafts, at);
  return drafts.length;
}

/** The records about these nodes that stem from evidence and have not been superseded. */
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
  return rows.map(({ sequence, content }) => ({ sequence: Number(sequence), finding: findingIn(content) }));
}

/** A finding out of its record. */
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
