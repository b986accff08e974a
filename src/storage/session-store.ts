import { createHash, randomBytes } from 'node:crypto';
import { Database } from './database.js';

const BYTES = 32;

/** Sessions of browsers. All replicas know them. */
export class SessionStore {
  constructor(private readonly database: Database) {}

  /** Opens a session for a caller, given as text; deletes expired sessions. @returns its id, which is not stored */
  async open(caller: string, now: Date, expiresAt: Date): Promise<string> {
    const id = randomBytes(BYTES).toString('base64url');
    await this.database.query('delete from sessions where expires_at <= $1', [now]);
    await this.database.query('insert into sessions (session_hash, caller, expires_at) values ($1, $2, $3)', [
      hashOf(id),
      caller,
      expiresAt,
    ]);
    return id;
  }

  /** The caller's text and the end of a session; undefined if it is unknown, closed or expired. */
  async find(id: string, now: Date): Promise<{ readonly caller: string; readonly expiresAt: Date } | undefined> {
    const [row] = await this.database.query<{ caller: string; expires_at: Date }>(
      'select caller, expires_at from sessions where session_hash = $1 and expires_at > $2',
      [hashOf(id), now],
    );
    return row && { caller: row.caller, expiresAt: row.expires_at };
  }

  async close(id: string): Promise<void> {
    await this.database.query('delete from sessions where session_hash = $1', [hashOf(id)]);
  }
}

function hashOf(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}
