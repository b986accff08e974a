import { createHash } from 'node:crypto';
import type { Caller } from '../../auth/caller.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { ClusterStore } from '../../storage/cluster-store.js';
import { AskedChangeStore } from '../../storage/taint-trail/asked-change-store.js';
import { type IdempotencyKey, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { ServiceError } from '../errors/service-error.js';
import type { RepeatedChange } from './change-to-make.js';

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

/** Finds the change of an earlier request with the same key. */
export class IdempotentReplies {
  constructor(
    private readonly store: TaintChangeStore,
    private readonly clusters: Pick<ClusterStore, 'get'>,
    private readonly asked: AskedChangeStore,
  ) {}

  /**
   * Returns undefined without a key, or if the key is unused.
   * @throws {ServiceError} `idempotency-key-reused` if it was a different request
   */
  async find(
    cluster: string,
    author: string,
    idempotency: IdempotencyKey | undefined,
  ): Promise<RepeatedChange | undefined> {
    if (idempotency === undefined) return undefined;
    const known = await this.clusters.get(cluster);
    return known && this.findIn(known.id, author, idempotency);
  }

  /** Like `find`, for a cluster with a known id. */
  async findIn(
    clusterId: number,
    author: string,
    idempotency: IdempotencyKey | undefined,
  ): Promise<RepeatedChange | undefined> {
    if (idempotency === undefined) return undefined;
    const repeated = await this.store.findByKey(clusterId, author, idempotency.key);
    const asked = repeated === undefined ? await this.asked.findByKey(clusterId, author, idempotency.key) : undefined;
    const found = repeated ?? asked;
    if (found === undefined) return undefined;
    if (found.requestHash !== idempotency.requestHash) {
      throw new ServiceError(
        'idempotency-key-reused',
        `The idempotency key belongs to another request, which asked for change ${found.id}. Use a new key.`,
      );
    }
    return repeated !== undefined ? { repeated } : { repeatedAsked: asked! };
  }
}
