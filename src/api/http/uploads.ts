import type { FastifyInstance } from 'fastify';
import { callerKey } from '../../app/caller-key.js';
import { ServiceError } from '../../app/errors/service-error.js';
import type { RequestContext } from '../../app/request-context.js';

export interface UploadLimits {
  /** Streamed bodies that are read at the same time, for each caller and in total. */
  readonly perCaller: number;
  readonly inTotal: number;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Limits how many streamed bodies are read at the same time, so that no caller takes all of them. Must run after the
 * authentication hook.
 */
export function installUploads(fastify: FastifyInstance, limits: UploadLimits): void {
  const uploads = new Uploads(limits);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.is404 || request.routeOptions.config.streamBody !== true) {
      done();
      return;
    }
    try {
      reply.raw.once('close', uploads.begin(request.requestContext));
      done();
    } catch (error) {
      done(error as ServiceError);
    }
  });
}

class Uploads {
  private readonly byCaller = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: UploadLimits) {}

  /**
   * @returns a function that ends the upload
   * @throws {ServiceError} `too-many-uploads`, `too-many-snapshots`
   */
  begin(requestContext: RequestContext): () => void {
    const { perCaller, inTotal } = this.limits;
    const caller = callerKey(requestContext);
    const own = this.byCaller.get(caller) ?? 0;
    if (own >= perCaller) {
      throw new ServiceError(
        'too-many-uploads',
        `You have ${own} uploads of snapshots or audit events in progress, which is the limit; wait until one of them ends.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    if (this.total >= inTotal) {
      throw new ServiceError(
        'too-many-snapshots',
        `This replica has ${this.total} uploads of snapshots and audit events in progress, which is the limit; retry later.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    this.byCaller.set(caller, own + 1);
    this.total += 1;
    return () => {
      this.total -= 1;
      const left = (this.byCaller.get(caller) ?? 1) - 1;
      if (left === 0) this.byCaller.delete(caller);
      else this.byCaller.set(caller, left);
    };
  }
}
