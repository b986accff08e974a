import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../app/errors/service-error.js';

/** Questions and changes of one caller that are worked on at once. */
const MOST_RUNNING = 16;
/** Those that may wait; each holds its body in memory. */
const MOST_WAITING = 200;
const RETRY_AFTER_SECONDS = 1;

/**
 * Works on a few questions of each caller at once, and lets the next ones wait: long questions share the processor in
 * slices of time, so that one caller with a hundred of them would leave a hundredth to everybody else.
 *
 * Plain reads are not counted, nor streams and webhooks, which have bounds of their own.
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
        `${MOST_RUNNING} of your questions are being worked on, and ${MOST_WAITING} are waiting; try again in ${RETRY_AFTER_SECONDS} second.`,
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

/** Callers without a name are told apart by their address. */
function callerOf({ requestContext: { caller }, ip }: FastifyRequest): string {
  return caller.kind === 'anonymous' ? `\n${ip}` : `${caller.kind}\n${caller.name}\n${caller.issuer ?? ''}`;
}

/** The questions of one caller, first come first served. */
class CallerQueue {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  /**
   * @param start called when it is the turn of the question; never for one whose caller has gone
   * @param whenGone takes what is to be done when the answer is out, or the caller has gone
   * @param whenEmpty called when nothing is left here
   * @returns false where too many wait already
   */
  enter(start: () => void, whenGone: (leave: () => void) => void, whenEmpty: () => void): boolean {
    let isRunning = this.running < MOST_RUNNING;
    if (!isRunning && this.waiting.size >= MOST_WAITING) return false;
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
    if (first === undefined || this.running >= MOST_RUNNING) return;
    this.waiting.delete(first);
    first();
  }
}
