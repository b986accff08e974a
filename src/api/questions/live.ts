import { CreateStreamTicket } from '../../app/live/create-stream-ticket.js';
import { createStreamTicket } from '../../contract/live/stream-ticket.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const LIVE_QUESTIONS: readonly AnyAnswered[] = [answeredBy(createStreamTicket, CreateStreamTicket)];
