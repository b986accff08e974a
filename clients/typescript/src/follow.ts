import { pathOf, queryOf } from './address.js';
import type { Operation, Schemas } from './contract.js';
import { errorFor } from './read-answer.js';
import { pause, waitAfter } from './retry.js';
import { readServerSentEvents } from './server-sent-events.js';
import { ConnectionError, type Problem, ServiceError } from './service-error.js';
import { heard, type Transport } from './transport.js';

/** Something that happened to a cluster; `type` tells which members it has. */
export type ClusterEvent = Schemas['ClusterEvent'];

const EVENTS = '/api/v1/clusters/{cluster}/events';

type Parameters = NonNullable<Operation<typeof EVENTS, 'get'>['parameters']['query']>;

export interface FollowOptions {
  /** Only events of these types. */
  readonly types?: Parameters['types'] | undefined;
  /** Begin after the event with this id, or after this revision; 0: with everything that is stored. Default: only new events. */
  readonly after?: string | number | undefined;
  /** false: end after the stored events. */
  readonly follow?: boolean | undefined;
  /** Ends the iteration, which throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** A stream without any sign of life for so many milliseconds is lost; by default 60,000. Heartbeats come more often. */
  readonly silence?: number | undefined;
  /** Is told when a stream is open, and when one is lost and another will be opened. */
  readonly onState?: ((state: 'open' | 'lost', error?: Error) => void) | undefined;
}

const SILENCE = 60_000;

/** A stream that ended so goes on where it was. */
const RESUMABLE = ['slow-reader', 'shutting-down'];

/** The events of a cluster, each once and in order: a stream that is lost is opened again after the last event. */
export async function* follow(
  transport: Transport,
  cluster: string,
  options: FollowOptions,
): AsyncGenerator<ClusterEvent, void, undefined> {
  const { signal, onState } = options;
  const position: Position = { lastId: undefined, reconnect: 0 };
  for (let failed = 1; ; failed++) {
    try {
      for await (const event of stream(transport, cluster, position, options)) {
        if (event === 'open') onState?.('open');
        else yield event;
        failed = 0;
      }
      if (options.follow === false) return;
      throw new ConnectionError(new Error('the stream has ended'));
    } catch (error) {
      const isResumable = error instanceof ServiceError && RESUMABLE.includes(String(error.code));
      const wait = waitAfter(error, Math.max(failed, 1)) ?? (isResumable ? 0 : undefined);
      if (wait === undefined) throw error;
      onState?.('lost', error as Error);
      await pause(wait + position.reconnect, signal);
    }
  }
}

/** Where a follower is. */
interface Position {
  lastId: string | undefined;
  /** Milliseconds that the service asks for before another stream. */
  reconnect: number;
}

/** The events of one stream. */
async function* stream(
  transport: Transport,
  cluster: string,
  position: Position,
  { types, after, follow, signal, silence = SILENCE }: FollowOptions,
): AsyncGenerator<ClusterEvent | 'open', void, undefined> {
  const dead = new AbortController();
  const alive = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => {
      dead.abort(new ConnectionError(new Error('the stream is silent')));
    }, silence);
  let watch = alive();
  const either = AbortSignal.any([dead.signal, ...(signal === undefined ? [] : [signal])]);
  const { lastId } = position;
  try {
    const response = await transport.open({
      method: 'GET',
      path: pathOf(EVENTS, { cluster }) + queryOf({ types, after, follow }),
      headers: { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) },
      signal: either,
    });
    yield 'open';
    const events = readServerSentEvents(response.body!);
    try {
      for (;;) {
        const { done, value } = await heard(events.next(), either);
        clearTimeout(watch);
        if (done === true) return;
        const { id, type, data, retry } = value;
        if (retry !== undefined) position.reconnect = retry;
        if (id !== undefined) position.lastId = id;
        if (data === undefined) {
          watch = alive();
          continue;
        }
        const parsed: unknown = JSON.parse(data);
        if (type === 'end') throw ended(parsed as Schemas['EndOfStream'], position);
        // Time that the caller takes is no silence.
        yield parsed as ClusterEvent;
        watch = alive();
      }
    } finally {
      await events.return();
    }
  } finally {
    clearTimeout(watch);
    dead.abort();
  }
}

function ended(end: Schemas['EndOfStream'], position: Position): ServiceError {
  position.lastId = end.resumeAfter;
  return errorFor(end satisfies Problem, { retryAfter: undefined, requestId: undefined });
}
