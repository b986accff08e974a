import { question } from '../question.js';
import { object } from '../schema.js';

/** How long a ticket can be used. */
export const TICKET_SECONDS = 60;

/** The parameter of a stream that takes a ticket. */
export const TICKET = {
  type: 'string',
  optional: true,
  maximumLength: 100,
  description:
    'A ticket of `POST stream-tickets` in the place of the Authorization header, which a browser cannot send with an EventSource.',
} as const;

export const streamTicket = object('StreamTicket', 'Opens one stream in the name of the caller who asked for it.', {
  ticket: { type: 'string', description: 'For `ticket` of the stream; secret.', example: 'a-ticket' },
  expiresAt: { type: 'time', description: 'Until when it opens a stream.', example: '2026-05-04T03:03:01.000Z' },
});

export const createStreamTicket = question({
  id: 'streamTickets.create',
  summary: 'Get a ticket for a stream',
  description: `A ticket that opens one stream (\`GET clusters/{cluster}/events?ticket=\`) within ${TICKET_SECONDS} seconds, at any replica, in the name of the caller.`,
  method: 'POST',
  path: 'stream-tickets',
  permission: 'any caller',
  response: streamTicket,
  statuses: { 201: 'The ticket.' },
  errors: [],
  examples: {},
  graphql: {
    on: 'Mutation',
    name: 'createStreamTicket',
    description: 'A ticket that opens one stream of events over REST.',
  },
});
