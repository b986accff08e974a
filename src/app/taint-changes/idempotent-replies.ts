import { createHash } from 'node:crypto';
import type { Caller } from '../../auth/caller.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { ClusterStore } from '../../storage/cluster-store.js';
import { type IdempotencyKey, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { ServiceError } from '../errors/service-error.js';
import type { RepeatedChange } from './change-to-make.js';

/** A key belongs to its caller: names are unique among callers of one kind and one issuer. A dry run makes nothing to repeat. */
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

/** Whoever writes a default out asks for the same as who leaves it away. */
const DEFAULTS = { dryRun: false, perNode: false, overwrite: false, force: false };

/** Finds the change that a request made before under the same key. */
export class IdempotentReplies {
  constructor(
    private readonly store: TaintChangeStore,
    private readonly clusters: Pick<ClusterStore, 'get'>,
  ) {}

  /**
   * Undefined where nothing was asked for under the key, and without a key.
   * @throws {ServiceError} `idempotency-key-reused` when it was another request
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

  /** The same, of a cluster whose id is at hand. */
  async findIn(
    clusterId: number,
    author: string,
    idempotency: IdempotencyKey | undefined,
  ): Promise<RepeatedChange | undefined> {
    if (idempotency === undefined) return undefined;
    const repeated = await this.store.findByKey(clusterId, author, idempotency.key);
    if (repeated === undefined) return undefined;
    if (repeated.requestHash !== idempotency.requestHash) {
      throw new ServiceError(
        'idempotency-key-reused',
        `The idempotency key belongs to another request, which made change ${repeated.id}.`,
      );
    }
    return { repeated };
  }
}
