import { randomUUID } from 'node:crypto';
import { Database } from './database.js';

/** A key with its caller and the request that it was sent with. */
export interface KeyedRequest {
  readonly caller: string;
  readonly key: string;
  readonly requestHash: Buffer;
}

/** The first response, as it was sent. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Compressed with gzip. */
  readonly body: Buffer;
}

/**
 * The state of a key: claimed by this request, used by a request in progress, used by a different request, or already
 * answered.
 */
export type KeyState =
  | { readonly kind: 'claimed'; readonly claim: string }
  | { readonly kind: 'in flight' }
  | { readonly kind: 'other request' }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer };

/** How long a response is stored, in milliseconds. */
export const KEPT_MS = 24 * 60 * 60 * 1000;
/** The time without a renewal after which a request and its process count as lost. */
export const LEASE_MS = 60_000;
/** The maximum number of expired keys to delete for each new one. */
const PRUNED_AT_ONCE = 100;

interface Row {
  readonly request_hash: Buffer;
  readonly leased_until: Date;
  readonly status: number | null;
  readonly headers: string | null;
  readonly body: Buffer | null;
}

/** Stores the idempotency keys of writes with their responses. */
export class IdempotencyStore {
  constructor(private readonly database: Database) {}

  /** Claims a key that is new, expired or abandoned; otherwise returns its state. */
  async claim({ caller, key, requestHash }: KeyedRequest, now: Date): Promise<KeyState> {
    await this.prune(now);
    const claim = randomUUID();
    const lease = new Date(now.getTime() + LEASE_MS);
    const expiry = new Date(now.getTime() + KEPT_MS);
    // Only the same request may take over an abandoned key.
    const taken = await this.database.query(
      `insert into idempotency_keys (caller, key, request_hash, claim, leased_until, expires_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (caller, key) do update
         set request_hash = excluded.request_hash, claim = excluded.claim, leased_until = excluded.leased_until,
             expires_at = excluded.expires_at, status = null, headers = null, body = null
         where idempotency_keys.expires_at <= $7
            or (idempotency_keys.status is null and idempotency_keys.leased_until <= $7
                and idempotency_keys.request_hash = excluded.request_hash)
       returning 1`,
      [caller, key, requestHash, claim, lease, expiry, now],
    );
    if (taken.length > 0) return { kind: 'claimed', claim };
    const [row] = await this.database.query<Row>(
      'select request_hash, leased_until, status, headers, body from idempotency_keys where caller = $1 and key = $2',
      [caller, key],
    );
    // The key was released in the meantime; the client's next attempt can claim it.
    if (row === undefined) return { kind: 'in flight' };
    if (!row.request_hash.equals(requestHash)) return { kind: 'other request' };
    if (row.status === null) return { kind: 'in flight' };
    const headers = JSON.parse(row.headers ?? '{}') as Record<string, string>;
    return { kind: 'answered', answer: { status: row.status, headers, body: row.body ?? Buffer.alloc(0) } };
  }

  /** Extends the lease of a request in progress. */
  async renew(claim: string, { caller, key }: KeyedRequest, now: Date): Promise<void> {
    await this.database.query(
      'update idempotency_keys set leased_until = $4 where caller = $1 and key = $2 and claim = $3',
      [caller, key, claim, new Date(now.getTime() + LEASE_MS)],
    );
  }

  async answer(claim: string, { caller, key }: KeyedRequest, { status, headers, body }: StoredAnswer): Promise<void> {
    await this.database.query(
      'update idempotency_keys set status = $4, headers = $5, body = $6 where caller = $1 and key = $2 and claim = $3',
      [caller, key, claim, status, JSON.stringify(headers), body],
    );
  }

  /** Releases the key, so that a retry is processed. */
  async release(claim: string, { caller, key }: KeyedRequest): Promise<void> {
    await this.database.query('delete from idempotency_keys where caller = $1 and key = $2 and claim = $3', [
      caller,
      key,
      claim,
    ]);
  }

  private async prune(now: Date): Promise<void> {
    await this.database.query(
      `delete from idempotency_keys where (caller, key) in
         (select caller, key from idempotency_keys where expires_at <= $1 limit ${PRUNED_AT_ONCE} for update skip locked)`,
      [now],
    );
  }
}
