import { describe, expect, it } from '@jest/globals';
import type { StreamedAnswer, StreamingClient } from '../../kube-api/reflector/call.js';
import { LeaseLost } from '../../storage/follow-leases.js';
import { StorageUnavailable } from '../../storage/storage-error.js';
import { ClusterFollower, type FollowerTools } from './cluster-follower.js';
import { Semaphore } from '../../event-loop/semaphore.js';

const CLUSTER = { id: 1, name: 'burst', connectedAt: new Date(0) };
const NODES = { kind: 'Node', servedAs: 'Node', group: '', version: 'v1', plural: 'nodes' } as const;
/** More than a follower takes while nothing is stored. */
const BURST = 12_000;
/** One object that is being stored, and those after which reading waits. */
const UNTIL_HELD_BACK = 5_002;

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

const event = (number: number): string =>
  `${JSON.stringify({
    type: 'ADDED',
    object: {
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { name: `n${number}`, uid: `u${number}`, resourceVersion: String(number + 10) },
    },
  })}\n`;

/** An API server whose watch tells of one node, then of all others as fast as they are read, and then stays open. */
class Burst implements StreamingClient {
  /** The others are told of once this is resolved. */
  readonly others = deferred();

  get(_path: string, signal: AbortSignal): Promise<StreamedAnswer> {
    return Promise.resolve({
      status: 200,
      contentType: 'application/json',
      retryAfter: undefined,
      body: this.events(signal),
    });
  }

  private async *events(signal: AbortSignal): AsyncGenerator<Buffer, void> {
    yield Buffer.from(event(0));
    await this.others.promise;
    for (let from = 1; from < BURST; from += 100) {
      yield Buffer.from(Array.from({ length: 100 }, (_, index) => event(from + index)).join(''));
    }
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
    });
  }
}

/** A follower whose first delta fails while the reading of further events is held back. */
function followed(failure: Error): {
  readonly follower: ClusterFollower;
  readonly stored: Set<string>;
  readonly stop: AbortController;
} {
  const burst = new Burst();
  const stored = new Set<string>();
  const stop = new AbortController();
  const heldBack = deferred();
  let events = 0;
  let hasFailed = false;
  const position = { kind: 'Node', resourceVersion: '9', snapshotNeeded: false };
  const tools = {
    snapshots: { take: () => Promise.reject(new Error('nothing is to be listed')) },
    deltas: {
      takeRows: async ({ rows }: { readonly rows: readonly { readonly name: string }[] }) => {
        if (!hasFailed) {
          burst.others.resolve();
          await heldBack.promise;
          hasFailed = true;
          throw failure;
        }
        for (const { name } of rows) stored.add(name);
        if (stored.size >= BURST) stop.abort();
        return { snapshotNeeded: [], positions: [] };
      },
    },
    follows: { deltaState: () => Promise.resolve({ positions: [position] }) },
    leases: { storedObjects: () => Promise.resolve() },
    clock: { now: () => 1_000_000, sleep: () => Promise.resolve(), after: () => () => undefined },
    random: () => 0,
    coalesceMs: 0,
    turns: new Semaphore(1),
    counts: {
      events: () => {
        // The event is noted once this has returned.
        if ((events += 1) === UNTIL_HELD_BACK) setImmediate(() => heldBack.resolve());
      },
      relist: () => undefined,
    },
  } as unknown as FollowerTools;
  return {
    follower: new ClusterFollower(CLUSTER, 'holder', { served: [NODES], version: null }, burst, tools),
    stored,
    stop,
  };
}

describe('a follower whose reading is held back', () => {
  it('ends when another replica has its lease, instead of waiting for ever', async () => {
    const { follower, stop } = followed(new LeaseLost(1));
    await expect(follower.run(stop.signal)).rejects.toThrow(LeaseLost);
  });

  it('stores all events after the database gave no connection in time', async () => {
    const { follower, stored, stop } = followed(
      new StorageUnavailable(new Error('timeout exceeded when trying to connect')),
    );
    await follower.run(stop.signal);
    expect(stored.size).toBeGreaterThanOrEqual(BURST);
  });
});

const PODS = { kind: 'Pod', servedAs: 'Pod', group: '', version: 'v1', plural: 'pods' } as const;

/** An API server that has a list of nodes, and says nothing about pods. */
class OfNodesOnly implements StreamingClient {
  async get(path: string, signal: AbortSignal): Promise<StreamedAnswer> {
    if (path.includes('/pods')) {
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      });
    }
    const metadata = { name: 'n', uid: 'u', resourceVersion: '1' };
    const list = { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '2' }, items: [{ metadata }] };
    const bytes = async function* (): AsyncGenerator<Buffer, void> {
      yield await Promise.resolve(Buffer.from(JSON.stringify(list)));
    };
    return { status: 200, contentType: 'application/json', retryAfter: undefined, body: bytes() };
  }
}

describe('a follower that ends while it lists', () => {
  it('does not wait for kinds that are not read any longer, and stores nothing', async () => {
    const stop = new AbortController();
    let outcome = 'not begun';
    const take = async ({ body }: { readonly body: { readonly bytes: AsyncIterable<Uint8Array> } }): Promise<void> => {
      outcome = 'begun';
      try {
        for await (const bytes of body.bytes) {
          // The list of the nodes is complete.
          if (Buffer.from(bytes).includes('NodeList')) setImmediate(() => stop.abort());
        }
        outcome = 'stored';
      } catch (error) {
        outcome = 'cut';
        throw error;
      }
    };
    const tools = {
      snapshots: { take },
      follows: { deltaState: () => Promise.resolve({ positions: [] }) },
      leases: { storedObjects: () => Promise.resolve() },
      clock: { now: () => 1_000_000, sleep: () => Promise.resolve(), after: () => () => undefined },
      random: () => 0,
      coalesceMs: 0,
      turns: new Semaphore(1),
      counts: { events: () => undefined, relist: () => undefined },
    } as unknown as FollowerTools;
    await new ClusterFollower(
      CLUSTER,
      'holder',
      { served: [NODES, PODS], version: null },
      new OfNodesOnly(),
      tools,
    ).run(stop.signal);
    expect(outcome).toBe('cut');
  });
});
