import type { createStreamTicket } from '../../contract/live/stream-ticket.js';
import type { AnswerTo } from '../../contract/question.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { StreamTickets } from './stream-tickets.js';

/** Creates a ticket for clients that cannot send a token with a stream. */
export class CreateStreamTicket {
  constructor(private readonly tickets: StreamTickets) {}

  run(
    _request: RequestOf<typeof createStreamTicket>,
    { caller, now }: RequestContext,
  ): Promise<AnswerTo<typeof createStreamTicket>> {
    return this.tickets.issue(caller, now);
  }
}
