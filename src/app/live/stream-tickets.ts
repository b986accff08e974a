import type { Caller } from '../../auth/caller.js';
import { TICKET_SECONDS } from '../../contract/live/stream-ticket.js';
import { StreamTicketStore } from '../../storage/stream-ticket-store.js';

/** Single-use tickets that authenticate a caller where no token can be sent. */
export class StreamTickets {
  constructor(private readonly store: StreamTicketStore) {}

  async issue(caller: Caller, now: Date): Promise<{ readonly ticket: string; readonly expiresAt: Date }> {
    const expiresAt = new Date(now.getTime() + TICKET_SECONDS * 1000);
    return { ticket: await this.store.issue(JSON.stringify(caller), now, expiresAt), expiresAt };
  }

  /** Redeems a ticket: returns its caller, or undefined if it is unknown, used or expired. */
  async redeem(ticket: string, now: Date): Promise<Caller | undefined> {
    const caller = await this.store.redeem(ticket, now);
    return caller === undefined ? undefined : (JSON.parse(caller) as Caller);
  }
}
