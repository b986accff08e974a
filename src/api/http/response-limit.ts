import type { FastifyInstance, FastifyRequest } from 'fastify';
import { knownJson } from '../../app/known-json.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { formatErrors } from '../graphql/format-errors.js';

/** Maximum characters of JSON in a response. Streams and text pages have their own limits. */
export const MAX_RESPONSE_CHARACTERS = 32 * 1024 * 1024;

/**
 * Rejects responses that are too large before they are masked or serialized: a few hundred megabytes of text would
 * block all other requests, and several would exhaust the memory.
 */
export function installAnswerLimit(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, reply, payload: unknown, done) => {
    if (!isLongerThan(payload, MAX_RESPONSE_CHARACTERS)) {
      done(null, payload);
      return;
    }
    const error = new ServiceError(
      'answer-too-large',
      `The response would be larger than ${MAX_RESPONSE_CHARACTERS / 1024 / 1024} MiB. Request less: a smaller limit, fewer nodes or items, or a summary.`,
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

/** Whether the JSON of a value is longer than this many characters, ignoring escapes. Stops as soon as it is. */
export function isLongerThan(value: unknown, most: number): boolean {
  let left = most;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    let json: ReturnType<typeof knownJson>;
    if (typeof next === 'string') left -= next.length + 3;
    else if (typeof next !== 'object' || next === null) left -= 5;
    else if (next instanceof Date) left -= 26;
    else if ((json = knownJson(next)) !== undefined) left -= json.length;
    else if (Array.isArray(next)) {
      left -= 2;
      // A list with too many items is not pushed onto the stack.
      if (left < next.length) return true;
      // Lists of names are most of the longest answers.
      for (const member of next)
        if (typeof member === 'string') left -= member.length + 3;
        else waiting.push(member);
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
