import { TICKET_SECONDS, type createStreamTicket } from '../../contract/live/stream-ticket.js';
import type { AnswerTo } from '../../contract/question.js';
import { StreamTicketStore } from '../../storage/stream-ticket-store.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';

/** A ticket for who cannot send a token with a stream. */
export class CreateStreamTicket {
  constructor(private readonly tickets: StreamTicketStore) {}

  async run(
    _request: RequestOf<typeof createStreamTicket>,
    { caller, now }: RequestContext,
  ): Promise<AnswerTo<typeof createStreamTicket>> {
    const expiresAt = new Date(now.getTime() + TICKET_SECONDS * 1000);
    return { ticket: await this.tickets.issue(caller, now, expiresAt), expiresAt };
  }
}
