import { createHash, randomBytes } from 'node:crypto';
import { Database } from './database.js';

const BYTES = 32;

/** Tickets that open one stream each. All replicas accept them. */
export class StreamTicketStore {
  constructor(private readonly database: Database) {}

  /** Issues a new ticket for a caller, given as text; deletes expired tickets. */
  async issue(caller: string, now: Date, expiresAt: Date): Promise<string> {
    const ticket = randomBytes(BYTES).toString('base64url');
    await this.database.query('delete from stream_tickets where expires_at <= $1', [now]);
    await this.database.query('insert into stream_tickets (ticket_hash, caller, expires_at) values ($1, $2, $3)', [
      hashOf(ticket),
      caller,
      expiresAt,
    ]);
    return ticket;
  }

  /** Returns the caller's text of a ticket and invalidates it; undefined if the ticket is unknown, used or expired. */
  async redeem(ticket: string, now: Date): Promise<string | undefined> {
    const [row] = await this.database.query<{ caller: string; expires_at: Date }>(
      'delete from stream_tickets where ticket_hash = $1 returning caller, expires_at',
      [hashOf(ticket)],
    );
    return row === undefined || row.expires_at <= now ? undefined : row.caller;
  }
}

function hashOf(ticket: string): Buffer {
  return createHash('sha256').update(ticket).digest();
}
