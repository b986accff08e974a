import type { Caller } from '../../auth/caller.js';
import { TICKET_SECONDS } from '../../contract/live/stream-ticket.js';
import { StreamTicketStore } from '../../storage/stream-ticket-store.js';

/** Tickets that stand for a caller where no token can be sent. */
export class StreamTickets {
  constructor(private readonly store: StreamTicketStore) {}

  async issue(caller: Caller, now: Date): Promise<{ readonly ticket: string; readonly expiresAt: Date }> {
    const expiresAt = new Date(now.getTime() + TICKET_SECONDS * 1000);
    return { ticket: await this.store.issue(JSON.stringify(caller), now, expiresAt), expiresAt };
  }

  /** Who a ticket stands for; undefined where it is unknown, used or expired. It cannot be used again. */
  async redeem(ticket: string, now: Date): Promise<Caller | undefined> {
    const caller = await this.store.redeem(ticket, now);
    return caller === undefined ? undefined : (JSON.parse(caller) as Caller);
  }
}
