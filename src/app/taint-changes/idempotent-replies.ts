import { createHash } from 'node:crypto';
import type { Caller } from '../../auth/caller.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { ClusterStore } from '../../storage/cluster-store.js';
import { AskedChangeStore } from '../../storage/taint-trail/asked-change-store.js';
import { type IdempotencyKey, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { NoOpAnswerStore } from '../../storage/taint-trail/no-op-answer-store.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import type { ChangeAnswer, Moment, PlannedChange, RepeatedChange } from './change-to-make.js';
import { ChangeQueue } from './change-queue.js';
import { isTooLate } from './check-change-request.js';

/**
 * Scopes a key to its caller: names are unique among callers of one kind and issuer. A dry run has no key, since it
 * stores nothing.
 */
export function idempotencyKeyOf(
  request: { readonly idempotencyKey?: string; readonly dryRun?: boolean; readonly expiresAt?: string },
  { kind, issuer = '' }: Caller,
): IdempotencyKey | undefined {
  const { idempotencyKey, dryRun = false, expiresAt } = request;
  if (idempotencyKey === undefined || dryRun) return undefined;
  const canonical = {
    ...DEFAULTS,
    ...request,
    idempotencyKey: undefined,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
  };
  const requestHash = createHash('sha256')
    .update(stringifyJson(canonical, { sortKeys: true }))
    .digest('hex');
  return { key: JSON.stringify([kind, issuer, idempotencyKey]), requestHash };
}

/** Omitted members are equal to their defaults. */
const DEFAULTS = { dryRun: false, perNode: false, overwrite: false, force: false };

/** Finds what an earlier request with the same key came to. */
export class IdempotentReplies {
  /** Requests that came too late wait one by one, so that those of a cluster hold one connection to the database. */
  private readonly late = new ChangeQueue();

  constructor(
    private readonly store: TaintChangeStore,
    private readonly clusters: Pick<ClusterStore, 'get'>,
    private readonly asked: AskedChangeStore,
    private readonly noOps: NoOpAnswerStore,
  ) {}

  /**
   * Returns undefined without a key, or if the key is unused.
   * @throws {ServiceError} `idempotency-key-reused` if it was a different request
   */
  async find(
    cluster: string,
    author: string,
    idempotency: IdempotencyKey | undefined,
    now: Date,
  ): Promise<RepeatedChange | undefined> {
    if (idempotency === undefined) return undefined;
    const known = await this.clusters.get(cluster);
    return known && this.findIn(known.id, author, idempotency, now);
  }

  /**
   * What an earlier request with the same key came to, or the change that this one asks for. A request that comes too late waits for
   * an equal one that came in time: both get one answer.
   * @param read reads the request
   * @throws what `read` throws
   * @throws {ServiceError} as `find`; `too-many-changes`
   */
  async findOrRead<Change>(
    cluster: string,
    idempotency: IdempotencyKey | undefined,
    { caller, now }: Pick<RequestContext, 'caller' | 'now'>,
    read: () => Change,
  ): Promise<RepeatedChange | Change> {
    const repeated = await this.find(cluster, caller.name, idempotency, now);
    if (repeated !== undefined) return repeated;
    try {
      return read();
    } catch (error) {
      if (idempotency === undefined || !isTooLate(error)) throw error;
      const known = await this.clusters.get(cluster);
      if (known === undefined) throw error;
      // An equal request that begins to commit from now on is refused: see `Moment.checkInTime`.
      const leave = await this.late.enter(cluster);
      await this.store.settled(known.id).finally(leave);
      const made = await this.findIn(known.id, caller.name, idempotency, now);
      if (made === undefined) throw error;
      return made;
    }
  }

  /** Like `find`, for a cluster with a known id. */
  async findIn(
    clusterId: number,
    author: string,
    idempotency: IdempotencyKey | undefined,
    now: Date,
  ): Promise<RepeatedChange | undefined> {
    if (idempotency === undefined) return undefined;
    const { key } = idempotency;
    const repeated = await this.store.findByKey(clusterId, author, key);
    if (repeated !== undefined) {
      refuseOther(repeated, idempotency, `, which asked for change ${repeated.id}`);
      return { repeated };
    }
    const [asked, noOp] = await Promise.all([
      this.asked.findByKey(clusterId, author, key),
      this.noOps.findByKey(clusterId, author, key, now),
    ]);
    if (asked !== undefined) {
      refuseOther(asked, idempotency, `, which asked for change ${asked.id}`);
      return { repeatedAsked: asked };
    }
    if (noOp === undefined) return undefined;
    refuseOther(noOp, idempotency, ', which changed nothing');
    return { repeatedAnswer: noOp.answer as ChangeAnswer };
  }

  /**
   * Stores the answer to a request that changes nothing, for its retries.
   * @throws {HeadMoved} compute it again
   * @throws {AlreadyDone} another request used the key
   * @throws what `checkInTime` throws
   */
  async keep(
    { head, change }: PlannedChange,
    idempotency: IdempotencyKey,
    answer: ChangeAnswer,
    { now, checkInTime }: Moment,
  ): Promise<void> {
    const { cluster, revision } = head;
    const asked = { clusterId: cluster.id, author: change.author.name, head: revision.number };
    await this.noOps.keep({ ...asked, idempotency, answer, at: now }, checkInTime);
  }
}

function refuseOther(
  { requestHash }: { readonly requestHash: string | null },
  asked: IdempotencyKey,
  which: string,
): void {
  if (requestHash === asked.requestHash) return;
  throw new ServiceError(
    'idempotency-key-reused',
    `The idempotency key belongs to another request${which}. Use a new key.`,
  );
}
