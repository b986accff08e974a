import type { ClientBase } from 'pg';

/** The channel that informs every replica of changes to every cluster's head. */
export const HEADS_CHANNEL = 'kube_placement_heads';

/**
 * A change to a cluster, made in this replica or another: its head moved, its trail grew without a new head, its labels
 * changed, it was deleted, its connection changed, or there is something to do for its notifications.
 */
export type HeadEvent =
  | {
      readonly type: 'head';
      readonly clusterId: number;
      readonly revision: number;
      /** A change on the record made it: it shows nothing that the cluster did. */
      readonly isMadeHere?: true;
    }
  /** The head is known to be the state of the cluster at this time, RFC 3339. */
  | { readonly type: 'current'; readonly clusterId: number; readonly at: string }
  | { readonly type: 'trail'; readonly clusterId: number }
  | { readonly type: 'relabelled'; readonly clusterId: number }
  | { readonly type: 'deleted'; readonly clusterId: number }
  /** Its connection was put or removed. */
  | { readonly type: 'connection'; readonly clusterId: number }
  | { readonly type: 'outbox'; readonly clusterId: number };

/** Notifies of a new head as part of the transaction that moves it, so that listeners receive it only if it commits. */
export async function notifyHead(client: ClientBase, clusterId: number, revision: number): Promise<void> {
  await notify(client, headEvent(clusterId, revision));
}

export const headEvent = (clusterId: number, revision: number): HeadEvent => ({ type: 'head', clusterId, revision });

export const headMadeHere = (clusterId: number, revision: number): HeadEvent => ({
  type: 'head',
  clusterId,
  revision,
  isMadeHere: true,
});

export const currentEvent = (clusterId: number, at: Date): HeadEvent => ({
  type: 'current',
  clusterId,
  at: at.toISOString(),
});

/** Notifies that the head was still current at a time. */
export async function notifyCurrent(client: ClientBase, clusterId: number, at: Date): Promise<void> {
  await notify(client, currentEvent(clusterId, at));
}

/** Notifies of new trail records, as part of a transaction that does not move the head. */
export async function notifyTrail(client: ClientBase, clusterId: number): Promise<void> {
  await notify(client, { type: 'trail', clusterId });
}

export async function notifyRelabelled(client: ClientBase, clusterId: number): Promise<void> {
  await notify(client, { type: 'relabelled', clusterId });
}

export async function notifyClusterDeleted(client: ClientBase, clusterId: number): Promise<void> {
  await notify(client, { type: 'deleted', clusterId });
}

export async function notifyConnection(client: ClientBase, clusterId: number): Promise<void> {
  await notify(client, { type: 'connection', clusterId });
}

/** Notifies of a new rule of notifications, or of deliveries that wait again. */
export async function notifyOutbox(client: ClientBase, ...clusterIds: readonly number[]): Promise<void> {
  const events = clusterIds.map((clusterId): HeadEvent => ({ type: 'outbox', clusterId }));
  await notify(client, ...events);
}

/** Commits, and notifies of an event if there is one, in one round trip. */
export async function commitWith(client: ClientBase, event: HeadEvent | undefined): Promise<void> {
  const notified =
    event === undefined ? '' : `select pg_notify('${HEADS_CHANNEL}', ${client.escapeLiteral(JSON.stringify(event))}); `;
  await client.query(`${notified}commit`);
}

/**
 * A statement of its own: one that also names tables of clusters may run on the node of a cluster, where nobody listens, if the database
 * is distributed.
 */
async function notify(client: ClientBase, ...events: readonly HeadEvent[]): Promise<void> {
  await client.query('select pg_notify($1, event) from unnest($2::text[]) as event', [
    HEADS_CHANNEL,
    events.map((event) => JSON.stringify(event)),
  ]);
}
