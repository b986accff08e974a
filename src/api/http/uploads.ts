import type { FastifyInstance } from 'fastify';
import { callerKey } from '../../app/caller-key.js';
import { ServiceError } from '../../app/errors/service-error.js';
import type { RequestContext } from '../../app/request-context.js';

export interface UploadLimits {
  /** Streamed bodies that are read at once: of one caller, and of all. */
  readonly perCaller: number;
  readonly inTotal: number;
}

const RETRY_AFTER_SECONDS = 5;

/** Bounds how many streamed bodies are read at once, so that no caller has all the places. Must come after the door. */
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
   * @returns what ends it
   * @throws {ServiceError} `too-many-uploads`, `too-many-snapshots`
   */
  begin(requestContext: RequestContext): () => void {
    const { perCaller, inTotal } = this.limits;
    const caller = callerKey(requestContext);
    const own = this.byCaller.get(caller) ?? 0;
    if (own >= perCaller) {
      throw new ServiceError(
        'too-many-uploads',
        `You are sending ${own} snapshots or bodies of audit events, as many as you may at once; send this one after them.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    if (this.total >= inTotal) {
      throw new ServiceError(
        'too-many-snapshots',
        `${this.total} snapshots and bodies of audit events are being read, as many as this replica reads at once.`,
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
