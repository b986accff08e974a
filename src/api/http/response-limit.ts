import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../app/errors/service-error.js';
import { formatErrors } from '../graphql/format-errors.js';

/** Characters of JSON that one answer may have. Streams and pages of text have bounds of their own. */
export const LONGEST_ANSWER = 32 * 1024 * 1024;

/**
 * Refuses an answer that would be longer than it may, before any of it is masked or written: a text of some hundred
 * megabytes would hold everybody else up, and a few of them fill the memory.
 */
export function installAnswerLimit(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, reply, payload: unknown, done) => {
    if (!isLongerThan(payload, LONGEST_ANSWER)) {
      done(null, payload);
      return;
    }
    const error = new ServiceError(
      'answer-too-large',
      `The answer would be longer than ${LONGEST_ANSWER / 1024 / 1024} MiB. Ask for less: a smaller limit, fewer nodes or items, or a summary of each.`,
    );
    if (request.routeOptions.url !== '/graphql') {
      done(error);
      return;
    }
    const { errors } = formatErrors([error], request.id);
    void reply.code(200);
    done(null, { data: null, errors });
  });
}

/** Whether a value is longer than so many characters of JSON, give or take escapes; looks no further than that. */
export function isLongerThan(value: unknown, most: number): boolean {
  let left = most;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') left -= next.length + 3;
    else if (typeof next !== 'object' || next === null) left -= 5;
    else if (next instanceof Date) left -= 26;
    else if (Array.isArray(next)) {
      left -= 2;
      // A list that is too long by its count alone need not be put on the stack.
      if (left < next.length) return true;
      for (const member of next) waiting.push(member);
    } else {
      left -= 2;
      for (const name in next) {
        const member = (next as Record<string, unknown>)[name];
        if (member === undefined) continue;
        left -= name.length + 4;
        waiting.push(member);
      }
    }
    if (left < 0) return true;
  }
  return false;
}
