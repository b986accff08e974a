import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../app/errors/service-error.js';

/** Requests of one caller that run at the same time. */
const MAX_RUNNING = 16;
/** Requests of one caller that may wait; each keeps its body in memory. */
const MAX_WAITING = 200;
const RETRY_AFTER_SECONDS = 1;

/**
 * Runs a few requests of each caller at the same time and queues the others. Long requests share the CPU in time
 * slices, so one caller with a hundred of them would otherwise leave a hundredth to everyone else.
 *
 * Plain reads, streams and webhooks are not queued; they have limits of their own.
 */
export function installCallerQueues(fastify: FastifyInstance): void {
  const queues = new Map<string, CallerQueue>();
  fastify.addHook('preHandler', (request, reply, done) => {
    if (!isQuestion(request)) {
      done();
      return;
    }
    const caller = callerOf(request);
    let queue = queues.get(caller);
    if (queue === undefined) queues.set(caller, (queue = new CallerQueue()));
    const entered = queue.enter(
      done,
      (leave) => reply.raw.once('close', leave),
      () => {
        queues.delete(caller);
      },
    );
    if (entered) return;
    done(
      new ServiceError(
        'too-many-questions',
        `${MAX_RUNNING} of your requests are running and ${MAX_WAITING} are waiting; retry in ${RETRY_AFTER_SECONDS} second.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      ),
    );
  });
}

function isQuestion({ method, ws, query, routeOptions: { url, config } }: FastifyRequest): boolean {
  if (ws || config.open === true || config.streamBody === true || config.fromApiServer === true) return false;
  if (method !== 'GET' && method !== 'HEAD') return true;
  return url === '/graphql' || (query as { readonly scenario?: unknown }).scenario !== undefined;
}

/** Anonymous callers are distinguished by their address. */
function callerOf({ requestContext: { caller }, ip }: FastifyRequest): string {
  return caller.kind === 'anonymous' ? `\n${ip}` : `${caller.kind}\n${caller.name}\n${caller.issuer ?? ''}`;
}

/** The requests of one caller, first come, first served. */
class CallerQueue {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  /**
   * @param start called when the request may run; never if its caller has gone
   * @param whenGone registers the callback for when the response was sent or the caller has gone
   * @param whenEmpty called when the queue is empty
   * @returns false if too many requests are waiting
   */
  enter(start: () => void, whenGone: (leave: () => void) => void, whenEmpty: () => void): boolean {
    let isRunning = this.running < MAX_RUNNING;
    if (!isRunning && this.waiting.size >= MAX_WAITING) return false;
    const begin = (): void => {
      isRunning = true;
      this.running++;
      start();
    };
    whenGone(() => {
      if (isRunning) this.running--;
      else this.waiting.delete(begin);
      this.next();
      if (this.running === 0) whenEmpty();
    });
    if (isRunning) begin();
    else this.waiting.add(begin);
    return true;
  }

  private next(): void {
    const [first] = this.waiting;
    if (first === undefined || this.running >= MAX_RUNNING) return;
    this.waiting.delete(first);
    first();
  }
}
