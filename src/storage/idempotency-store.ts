import { randomUUID } from 'node:crypto';
import { Database } from './database.js';

/** A key, whose it is, and the request that it came with. */
export interface KeyedRequest {
  readonly caller: string;
  readonly key: string;
  readonly requestHash: Buffer;
}

/** The first answer, as it was sent. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Compressed with gzip. */
  readonly body: Buffer;
}

/** What is known of a key: this request is the first, it is in flight, it is another's, or it has an answer. */
export type KeyState =
  | { readonly kind: 'claimed'; readonly claim: string }
  | { readonly kind: 'in flight' }
  | { readonly kind: 'other request' }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer };

/** How long an answer is kept. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** After so long without a sign of life a request counts as lost with its process. */
export const LEASE_MS = 60_000;
/** Expired keys that go with each new one. */
const PRUNED_AT_ONCE = 100;

interface Row {
  readonly request_hash: Buffer;
  readonly leased_until: Date;
  readonly status: number | null;
  readonly headers: string | null;
  readonly body: Buffer | null;
}

/** Keys of writes with the answers that they got. */
export class IdempotencyStore {
  constructor(private readonly database: Database) {}

  /** Takes a key that is new, expired, or was left behind; otherwise says what is known of it. */
  async claim({ caller, key, requestHash }: KeyedRequest, now: Date): Promise<KeyState> {
    await this.prune(now);
    const claim = randomUUID();
    const lease = new Date(now.getTime() + LEASE_MS);
    const expiry = new Date(now.getTime() + KEPT_MS);
    // What was left behind by the same request alone may be taken over.
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
    // It was released in between: who asks again gets it.
    if (row === undefined) return { kind: 'in flight' };
    if (!row.request_hash.equals(requestHash)) return { kind: 'other request' };
    if (row.status === null) return { kind: 'in flight' };
    const headers = JSON.parse(row.headers ?? '{}') as Record<string, string>;
    return { kind: 'answered', answer: { status: row.status, headers, body: row.body ?? Buffer.alloc(0) } };
  }

  /** Says that a request is still being worked on. */
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

  /** Lets the key go, so that a retry is worked on. */
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
