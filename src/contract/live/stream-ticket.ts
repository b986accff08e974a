import { question } from '../question.js';
import { object } from '../schema.js';

/** Validity of a ticket, in seconds. */
export const TICKET_SECONDS = 60;

/** The ticket parameter of a stream. */
export const TICKET = {
  type: 'string',
  optional: true,
  maximumLength: 100,
  description:
    'A ticket from `POST stream-tickets`, as a replacement for the Authorization header, which a browser cannot send with an EventSource.',
} as const;

export const streamTicket = object(
  'StreamTicket',
  'A ticket that opens one stream on behalf of the caller who requested it.',
  {
    ticket: {
      type: 'identifier',
      description: 'The ticket, for the parameter `ticket` of the stream. Keep it secret.',
      example: 'a-ticket',
    },
    expiresAt: { type: 'time', description: 'When the ticket expires.', example: '2026-05-04T03:03:01.000Z' },
  },
);

export const createStreamTicket = question({
  id: 'streamTickets.create',
  summary: 'Get a ticket for a stream',
  description: `A ticket that opens one stream (\`GET clusters/{cluster}/events?ticket=\`) within ${TICKET_SECONDS} seconds, on any replica, on behalf of the caller.`,
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
    description: 'Creates a ticket that opens one REST stream of events.',
  },
});
