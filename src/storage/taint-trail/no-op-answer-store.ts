import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import { Database } from '../database.js';
import { KEPT_MS } from '../idempotency-store.js';
import { lockCluster } from '../lock-cluster.js';
import { HeadMoved } from './head-moved.js';
import { AlreadyDone, type IdempotencyKey, isKeyUsed } from './taint-change-store.js';

/** The maximum number of expired answers to delete for each new one. */
const PRUNED_AT_ONCE = 100;

export interface NoOpAnswer {
  readonly clusterId: number;
  readonly author: string;
  /** The revision on which the request changed nothing. */
  readonly head: number;
  readonly idempotency: IdempotencyKey;
  /** Stored verbatim: plain JSON. */
  readonly answer: unknown;
  readonly at: Date;
}

/** The answers to requests with an idempotency key that changed nothing. */
export class NoOpAnswerStore {
  constructor(private readonly database: Database) {}

  /**
   * Stores the answer unless another request has used the key, or the head has moved. So two equal requests at the same time get one answer,
   * although they may have been computed on different heads.
   * @throws {HeadMoved} compute it again
   * @throws {AlreadyDone} another request has used the key
   * @throws {ClusterNotFound}
   * @throws what `checkInTime` throws, which is called while the cluster is locked
   */
  async keep(
    { clusterId, author, head, idempotency, answer, at }: NoOpAnswer,
    checkInTime?: () => void,
  ): Promise<void> {
    const { key, requestHash } = idempotency;
    await this.database.transaction(async (client) => {
      const cluster = await lockCluster(client, clusterId);
      if (await isKeyUsed(client, { clusterId, author, key, at })) throw new AlreadyDone();
      checkInTime?.();
      if (cluster.head !== head) throw new HeadMoved(cluster.head);
      await client.query(
        `delete from no_op_answers where cluster_id = $1 and (author, idempotency_key) in
           (select author, idempotency_key from no_op_answers where cluster_id = $1 and expires_at <= $2 limit ${PRUNED_AT_ONCE})`,
        [clusterId, at],
      );
      await client.query(
        `insert into no_op_answers (cluster_id, author, idempotency_key, request_hash, expires_at, answer)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (cluster_id, author, idempotency_key) do update
           set request_hash = excluded.request_hash, expires_at = excluded.expires_at, answer = excluded.answer`,
        [clusterId, author, key, requestHash, new Date(at.getTime() + KEPT_MS), stringifyJson(answer)],
      );
    });
  }

  async findByKey(
    clusterId: number,
    author: string,
    key: string,
    at: Date,
  ): Promise<{ readonly requestHash: string; readonly answer: unknown } | undefined> {
    const [row] = await this.database.query<{ requestHash: string; answer: string }>(
      `select request_hash as "requestHash", answer from no_op_answers
       where cluster_id = $1 and author = $2 and idempotency_key = $3 and expires_at > $4`,
      [clusterId, author, key, at],
    );
    return row && { requestHash: row.requestHash, answer: parseJson(row.answer) };
  }
}
