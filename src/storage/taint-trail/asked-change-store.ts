import type { TrailDraft } from '../../core/audit/trail-record.js';
import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import type { PlaceFailed } from '../cluster-places.js';
import { Database } from '../database.js';
import { notifyTrail } from '../head-notifications.js';
import { lockCluster } from '../lock-cluster.js';
import { NulCharacter } from '../storage-error.js';
import { type AskedState, type AskedStep, type ChangeVote, takeStep } from './asked-step.js';
import { HeadMoved } from './head-moved.js';
import { AlreadyDone, type IdempotencyKey, isKeyUsed } from './taint-change-store.js';
import { appendToTrail } from './trail-writer.js';

export interface ChangeToAsk {
  readonly id: string;
  readonly clusterId: number;
  readonly askedAt: Date;
  readonly approveBy: Date;
  readonly author: string;
  /** The revision that the preview was computed from. */
  readonly head: number;
  readonly idempotency?: IdempotencyKey;
  /** The request, stored verbatim: plain JSON. */
  readonly asked: unknown;
  /** What the request would do, stored verbatim: plain JSON. */
  readonly preview: unknown;
  /** What it would do to each node, stored verbatim: plain JSON. */
  readonly outcomes: unknown;
  readonly draft: TrailDraft;
}

export interface StoredAskedChange {
  readonly id: string;
  readonly clusterId: number;
  /** Number of its first record in the trail. */
  readonly sequence: number;
  readonly askedAt: Date;
  readonly approveBy: Date;
  readonly author: string;
  readonly requestHash: string | null;
  readonly asked: unknown;
  readonly state: AskedState;
  /** Approvals of earlier rounds, which had another preview, do not count. */
  readonly round: number;
  /** The revision of the preview. */
  readonly revision: number;
  readonly preview: unknown;
  /** Undefined in lists. */
  readonly outcomes: unknown;
  /** In the order in which they were given. */
  readonly votes: readonly StoredVote[];
}

export interface StoredVote extends ChangeVote {
  readonly round: number;
}

/** Too many changes of the cluster wait. */
export class TooManyAsked extends Error {
  override readonly name = 'TooManyAsked';
}

/** Maximum number of changes of a cluster that wait at a time. */
export const MAX_WAITING_CHANGES = 1000;

/** The changes that wait for approval, or waited for it. */
export class AskedChangeStore {
  constructor(private readonly database: Database) {}

  /**
   * Stores a change that waits, with its record.
   * @returns the number of the record
   * @throws {HeadMoved} if the head has moved: preview it again
   * @throws {AlreadyDone} another request has used the key
   * @throws {ClusterNotFound}
   * @throws {TooManyAsked}
   * @throws what `checkInTime` throws, which is called while the cluster is locked
   */
  async ask(change: ChangeToAsk, checkInTime?: () => void): Promise<number> {
    const { id, clusterId, askedAt, approveBy, author, head, idempotency, asked, preview, draft } = change;
    const texts = [stringifyJson(asked), stringifyJson(preview), stringifyJson(change.outcomes)];
    if (texts.some((text) => text.includes('\\u0000'))) throw new NulCharacter('the change');
    return this.database.transaction(async (client) => {
      const cluster = await lockCluster(client, clusterId);
      if (idempotency !== undefined) {
        const use = { clusterId, author, key: idempotency.key, at: askedAt };
        if (await isKeyUsed(client, use)) throw new AlreadyDone();
      }
      checkInTime?.();
      if (cluster.head !== head) throw new HeadMoved(cluster.head);
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::integer as count from asked_changes where cluster_id = $1 and state = 'waiting'`,
        [clusterId],
      );
      if (rows[0]!.count >= MAX_WAITING_CHANGES) throw new TooManyAsked();
      const sequence = await appendToTrail(client, { id: clusterId, name: cluster.name }, [draft], {
        recordedAt: askedAt,
      });
      await notifyTrail(client, clusterId);
      await client.query(
        `insert into asked_changes (cluster_id, id, sequence, asked_at, approve_by, author, idempotency_key, request_hash,
                                    asked, state, round, revision, preview, outcomes)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', 1, $10, $11, $12)`,
        [
          clusterId,
          id,
          sequence,
          askedAt,
          approveBy,
          author,
          idempotency?.key ?? null,
          idempotency?.requestHash ?? null,
          texts[0],
          head,
          texts[1],
          texts[2],
        ],
      );
      return sequence;
    });
  }

  /**
   * Takes a step that creates no revision.
   * @throws {AskedMoved}
   * @throws {ClusterNotFound}
   * @throws what `checkInTime` throws, which is called while the cluster is locked
   */
  async step(step: AskedStep, checkInTime?: () => void): Promise<void> {
    await this.database.transaction(async (client) => {
      const { name } = await lockCluster(client, step.clusterId);
      checkInTime?.();
      await takeStep(client, name, step);
    });
  }

  async get(clusterId: number, id: string): Promise<StoredAskedChange | undefined> {
    const [row] = await this.read('where cluster_id = $1 and id = $2', [clusterId, id]);
    return row;
  }

  async findByKey(clusterId: number, author: string, key: string): Promise<StoredAskedChange | undefined> {
    const [row] = await this.read('where cluster_id = $1 and author = $2 and idempotency_key = $3', [
      clusterId,
      author,
      key,
    ]);
    return row;
  }

  /** The name of the cluster of a change; undefined if there is none. */
  async clusterOf(id: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ name: string }>(
      'select c.name from clusters c join asked_changes a on a.cluster_id = c.id where a.id = $1',
      [id],
    );
    return row?.name;
  }

  /**
   * Changes in a state whose record number is below `before`, newest first. One that waits counts as expired from when it can no
   * longer be approved.
   */
  async list(
    clusterId: number,
    state: AskedState,
    {
      now,
      limit,
      before = Number.MAX_SAFE_INTEGER,
    }: { readonly now: Date; readonly limit: number; readonly before?: number },
  ): Promise<readonly StoredAskedChange[]> {
    return this.read(
      `where cluster_id = $1 and sequence < $2 and ${STATE_AT('$3')} = $4 order by sequence desc limit $5`,
      [clusterId, before, now, state, limit],
      { isList: true },
    );
  }

  async count(clusterId: number, state: AskedState, now: Date, before = Number.MAX_SAFE_INTEGER): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::integer as count from asked_changes
       where cluster_id = $1 and sequence < $2 and ${STATE_AT('$3')} = $4`,
      [clusterId, before, now, state],
    );
    return row!.count;
  }

  /**
   * Changes that wait although they can no longer be approved, longest overdue first, at most so many of each place.
   * @param among the clusters that are asked about; all, if it is left out
   */
  async overdue(
    now: Date,
    limit: number,
    failed: PlaceFailed,
    among?: readonly number[],
  ): Promise<readonly StoredAskedChange[]> {
    const changes = await this.database.places.ofAll(
      (ids) =>
        this.read(
          `where a.cluster_id = any($3::bigint[]) and state = 'waiting' and approve_by <= $1 order by approve_by, id limit $2`,
          [now, limit, ids],
          { isList: true, cluster: 'a.cluster_id and v.cluster_id = any($3::bigint[])' },
        ),
      failed,
      among,
    );
    return changes.toSorted((a, b) => a.approveBy.getTime() - b.approveBy.getTime());
  }

  /** When the next change can no longer be approved; undefined if none waits. Parameters as of `overdue`. */
  async nextOverdue(failed: PlaceFailed, among?: readonly number[]): Promise<Date | undefined> {
    return this.database.places.first(
      (ids) =>
        this.database.query(
          `select min(approve_by) as at from asked_changes where cluster_id = any($1::bigint[]) and state = 'waiting'`,
          [ids],
        ),
      failed,
      among,
    );
  }

  /** @param cluster an expression for the id of the cluster, by default the first value */
  private async read(
    where: string,
    values: readonly unknown[],
    { isList = false, cluster = '$1' }: { readonly isList?: boolean; readonly cluster?: string } = {},
  ): Promise<StoredAskedChange[]> {
    const rows = await this.database.query<AskedRow>(
      `select cluster_id as "clusterId", id, sequence, asked_at as "askedAt", approve_by as "approveBy", author,
              request_hash as "requestHash", asked, state, round, revision, preview, ${isList ? 'null' : 'outcomes'} as outcomes,
              (select coalesce(json_agg(json_build_object('decision', decision, 'details', details, 'round', v.round,
                 'saidAt', said_at) order by number), '[]')
               from change_votes v where v.cluster_id = ${cluster} and v.change_id = a.id) as votes
       from asked_changes a ${where}`,
      [...values],
    );
    return rows.map(toAsked);
  }
}

const STATE_AT = (now: string): string =>
  `case when state = 'waiting' and approve_by <= ${now} then 'expired' else state end`;

interface AskedRow extends Omit<
  StoredAskedChange,
  'clusterId' | 'sequence' | 'asked' | 'preview' | 'outcomes' | 'votes'
> {
  readonly clusterId: string;
  readonly sequence: string;
  readonly asked: string;
  readonly preview: string;
  readonly outcomes: string | null;
  readonly votes: readonly {
    readonly decision: ChangeVote['decision'];
    readonly details: string;
    readonly round: number;
    readonly saidAt: string;
  }[];
}

const toAsked = ({ clusterId, sequence, asked, preview, outcomes, votes, ...row }: AskedRow): StoredAskedChange => ({
  ...row,
  clusterId: Number(clusterId),
  sequence: Number(sequence),
  asked: parseJson(asked),
  preview: parseJson(preview),
  outcomes: outcomes === null ? undefined : parseJson(outcomes),
  votes: votes.map(({ details, saidAt, ...vote }) => ({
    ...vote,
    details: parseJson(details),
    saidAt: new Date(saidAt),
  })),
});
