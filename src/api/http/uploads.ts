import type { FastifyInstance } from 'fastify';
import { callerKey } from '../../app/caller-key.js';
import { ServiceError } from '../../app/errors/service-error.js';
import type { PlaceLimits, SharedCounts } from '../../app/shared-counts.js';
import { leaveWhenClosed } from './leave-when-closed.js';

const RETRY_AFTER_SECONDS = 5;

/**
 * Limits how many streamed bodies are read at the same time, so that no caller takes all of them. Must run after the
 * authentication hook.
 */
export function installUploads(fastify: FastifyInstance, limits: PlaceLimits, counts: SharedCounts): void {
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.is404 || request.routeOptions.config.streamBody !== true) return;
    const entry = await counts.enter('uploads', callerKey(request.requestContext), limits);
    if (!('leave' in entry)) throw tooMany(entry.full, entry.taken);
    leaveWhenClosed(reply.raw, entry.leave);
  });
}

function tooMany(full: keyof PlaceLimits, uploads: number): ServiceError {
  return full === 'perCaller'
    ? new ServiceError(
        'too-many-uploads',
        `You have ${uploads} uploads of snapshots or audit events in progress, which is the limit; wait until one of them ends.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      )
    : new ServiceError(
        'too-many-snapshots',
        `This replica has ${uploads} uploads of snapshots and audit events in progress, which is the limit; retry later.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
}
