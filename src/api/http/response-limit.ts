import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { knownJson } from '../../app/known-json.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { JsonLength } from '../../core/json/json-length.js';
import { Slices } from '../../event-loop/slices.js';
import { isPruned } from './sparse-responses.js';
import { writtenLength } from './written-body.js';
import { formatErrors } from '../graphql/format-errors.js';

/** Maximum characters of JSON in a response. Streams and text pages have their own limits. */
export const MAX_RESPONSE_CHARACTERS = 32 * 1024 * 1024;

/** Values of a response that are measured in one step. */
const STEP = 5000;

/**
 * Rejects responses that are too large before they are masked or serialized: a few hundred megabytes of text would
 * exhaust the memory.
 */
export function installAnswerLimit(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, reply, payload: unknown, done) => {
    // Their number of reasons and nodes is limited while they are made.
    const isWhole = typeof payload === 'object' && payload !== null && !isPruned(request);
    const written = isWhole ? writtenLength(payload) : undefined;
    if (written !== undefined) {
      if (written > MAX_RESPONSE_CHARACTERS) refuse(request, reply, done);
      else done(null, payload);
      return;
    }
    const length = new JsonLength(payload, MAX_RESPONSE_CHARACTERS, (value) => knownJson(value)?.length);
    const finish = (): void => {
      if (length.isLonger) refuse(request, reply, done);
      else done(null, payload);
    };
    if (length.visit(STEP)) finish();
    else new Slices().run(stepLength(length)).then(finish, done);
  });
}

function* stepLength(length: JsonLength): Generator<undefined, void> {
  while (!length.visit(STEP)) yield;
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error: Error | null, payload?: unknown) => void,
): void {
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
}
