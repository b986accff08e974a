import type { ClientBase } from 'pg';

/** The channel on which every replica hears of every cluster's head. */
export const HEADS_CHANNEL = 'kube_placement_heads';

/**
 * The head of a cluster moved, here or in another replica; or its trail grew while its head stayed; or it got other
 * labels; or it was deleted.
 */
export type HeadEvent =
  | { readonly type: 'head'; readonly clusterId: number; readonly revision: number }
  | { readonly type: 'trail'; readonly clusterId: number }
  | { readonly type: 'relabelled'; readonly clusterId: number }
  | { readonly type: 'deleted'; readonly clusterId: number };

/** Part of the transaction that moves the head: heard when, and only when, it commits. */
export async function notifyHead(client: ClientBase, clusterId: number, revision: number): Promise<void> {
  await notify(client, { type: 'head', clusterId, revision });
}

/** Part of a transaction that adds to the trail and leaves the head where it is. */
export async function notifyTrail(client: ClientBase, clusterId: number): Promise<void> {
  await notify(client, { type: 'trail', clusterId });
}

export async function notifyRelabelled(client: ClientBase, clusterId: number): Promise<void> {
  await notify(client, { type: 'relabelled', clusterId });
}

export async function notifyClusterDeleted(client: ClientBase, clusterId: number): Promise<void> {
  await notify(client, { type: 'deleted', clusterId });
}

async function notify(client: ClientBase, event: HeadEvent): Promise<void> {
  await client.query('select pg_notify($1, $2)', [HEADS_CHANNEL, JSON.stringify(event)]);
}
