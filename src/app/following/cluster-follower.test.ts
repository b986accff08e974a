import { afterAll, describe, expect, it } from '@jest/globals';
import type { StreamedAnswer, StreamingClient } from '../../kube-api/reflector/call.js';
import { LeaseLost } from '../../storage/follow-leases.js';
import { StorageUnavailable } from '../../storage/storage-error.js';
import { ClusterFollower, followerShares, type FollowerShares, type FollowerTools } from './cluster-follower.js';
import { Semaphore } from '../../event-loop/semaphore.js';

const CLUSTER = { id: 1, name: 'burst', connectedAt: new Date(0) };
const NODES = { kind: 'Node', servedAs: 'Node', group: '', version: 'v1', plural: 'nodes' } as const;
/** The nodes are stored as of version 9. */
const AT_NINE = {
  deltaState: () => Promise.resolve({ positions: [{ kind: 'Node', resourceVersion: '9', snapshotNeeded: false }] }),
};
/** More than a follower takes while nothing is stored. */
const BURST = 12_000;
/** One object that is being stored, and those after which reading waits. */
const UNTIL_HELD_BACK = 5_002;

/** Tools that wait for nothing; of nothing stored. */
const toolsWith = (parts: object): FollowerTools =>
  ({
    leases: { storedObjects: () => Promise.resolve() },
    clock: { now: () => 1_000_000, sleep: () => Promise.resolve(), after: () => () => undefined },
    random: () => 0,
    coalesceMs: 0,
    ...followerShares(),
    counts: { events: () => undefined, relist: () => undefined },
    ...parts,
  }) as unknown as FollowerTools;

const followerOf = (server: StreamingClient, tools: FollowerTools): ClusterFollower =>
  new ClusterFollower(CLUSTER, 'holder', { served: [NODES], version: null }, server, tools);

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
  const tools = toolsWith({
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
    follows: AT_NINE,
    counts: {
      events: () => {
        // The event is noted once this has returned.
        if ((events += 1) === UNTIL_HELD_BACK) setImmediate(() => heldBack.resolve());
      },
      relist: () => undefined,
    },
  });
  return {
    follower: followerOf(burst, tools),
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

/** An API server whose watch of nodes tells what a test says. */
class Told implements StreamingClient {
  readonly asked: string[] = [];
  private readonly parts: Buffer[] = [];
  private wake: () => void = () => undefined;

  tell(...numbers: number[]): void {
    for (const number of numbers) this.parts.push(Buffer.from(event(number)));
    this.wake();
  }

  /** As one piece of the stream. */
  tellAtOnce(...numbers: number[]): void {
    this.parts.push(Buffer.from(numbers.map(event).join('')));
    this.wake();
  }

  get(path: string, signal: AbortSignal): Promise<StreamedAnswer> {
    this.asked.push(path);
    return Promise.resolve({
      status: 200,
      contentType: 'application/json',
      retryAfter: undefined,
      body: this.events(signal),
    });
  }

  private async *events(signal: AbortSignal): AsyncGenerator<Buffer, void> {
    signal.addEventListener('abort', () => this.wake(), { once: true });
    while (!signal.aborted) {
      const part = this.parts.shift();
      if (part !== undefined) yield part;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

interface Following {
  readonly server: Told;
  /** The names of the nodes of each commit that has begun. */
  readonly commits: string[][];
  readonly counted: () => number;
  readonly ended: Promise<void>;
}

describe('followers of several clusters', () => {
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const holds: (() => void)[] = [];
  const holding = (): ReturnType<typeof deferred> => {
    const held = deferred();
    holds.push(held.resolve);
    return held;
  };
  afterAll(async () => {
    stop.abort();
    for (const release of holds) release();
    await Promise.allSettled(running);
  });

  /** @param commit what becomes of a commit */
  function following(
    shares: FollowerShares,
    commit: (number: number) => Promise<void> = () => Promise.resolve(),
    reading: () => Promise<void> = () => Promise.resolve(),
  ): Following {
    const server = new Told();
    const commits: string[][] = [];
    let events = 0;
    const tools = toolsWith({
      deltas: {
        takeRows: async ({ rows }: { readonly rows: readonly { readonly name: string }[] }) => {
          commits.push(rows.map(({ name }) => name));
          await commit(commits.length);
          return { snapshotNeeded: [], positions: [] };
        },
      },
      follows: {
        deltaState: async () => {
          await reading();
          return { positions: [{ kind: 'Node', resourceVersion: '9', snapshotNeeded: false }] };
        },
      },
      ...shares,
      counts: { events: () => (events += 1), relist: () => undefined },
    });
    const follower = followerOf(server, tools);
    const ended = follower.run(stop.signal);
    running.push(ended);
    return { server, commits, counted: () => events, ended };
  }

  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };

  it('begin in turns', async () => {
    const shares = { ...followerShares(), starts: new Semaphore(1) };
    const held = holding();
    const begun: number[] = [];
    const reading = (number: number) => (): Promise<void> => {
      begun.push(number);
      return held.promise;
    };
    following(shares, undefined, reading(1));
    const other = following(shares, undefined, reading(2));
    await until(() => begun.length === 1);
    other.server.tell(1);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(begun).toEqual([1]);
    held.resolve();
    await until(() => other.commits.length === 1);
    expect(begun).toEqual([1, 2]);
  });

  it('commit in turns, each with all that has changed until its turn', async () => {
    const shares = { ...followerShares(), commits: new Semaphore(1) };
    const held = holding();
    const one = following(shares, (number) => (number === 1 ? held.promise : Promise.resolve()));
    const other = following(shares);
    one.server.tell(1);
    await until(() => one.commits.length === 1);
    for (const number of [1, 2, 3]) {
      other.server.tell(number);
      await until(() => other.counted() === number);
    }
    one.server.tell(2);
    held.resolve();
    await until(() => one.commits.length === 2);
    expect(other.commits).toEqual([['n1', 'n2', 'n3']]);
    expect(one.commits).toEqual([['n1'], ['n2']]);
  });

  it('let others commit while the database of one is away', async () => {
    const shares = { ...followerShares(), commits: new Semaphore(1) };
    const away = following(shares, () => Promise.reject(new StorageUnavailable(new Error('no connection'))));
    const other = following(shares);
    away.server.tell(1);
    await until(() => away.commits.length === 1);
    other.server.tell(1);
    await until(() => other.commits.length === 1);
    expect(other.commits).toEqual([['n1']]);
  });

  it('read one event at a time beyond those that are being stored once much is not stored', async () => {
    const shares = { ...followerShares(), commits: new Semaphore(1), unstored: { bytes: 0, mostBytes: 400 } };
    const held = holding();
    const one = following(shares, () => held.promise);
    const other = following(shares);
    one.server.tell(1);
    await until(() => one.commits.length === 1);
    // Each has more than a hundred bytes.
    other.server.tell(1, 2, 3, 4, 5, 6, 7, 8);
    await until(() => shares.unstored.bytes > 400);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const read = other.counted();
    expect(read).toBeLessThan(8);
    one.server.tell(2, 3, 4);
    await until(() => one.counted() === 2);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect([one.counted(), other.counted()]).toEqual([2, read]);
    held.resolve();
    await until(() => other.commits.flat().length === 8 && one.commits.flat().length === 4);
    await until(() => shares.unstored.bytes === 0);
    expect(other.commits[0]).toHaveLength(read);
  });
});

interface Committed {
  readonly rows: readonly { readonly name: string }[];
  readonly positions: readonly { readonly resourceVersion: string; readonly count: number }[];
}

describe('the position that is stored with changes', () => {
  it('is that of the last of them', async () => {
    const stop = new AbortController();
    const server = new Told();
    const commits: Committed[] = [];
    const stored = (): number => commits.flatMap(({ rows }) => rows).length;
    const tools = toolsWith({
      deltas: {
        takeRows: (delta: Committed) => {
          commits.push(delta);
          if (stored() >= 12) stop.abort();
          else server.tellAtOnce(...Array.from({ length: commits.length }, (_, index) => stored() + 1 + index));
          return Promise.resolve({ snapshotNeeded: [], positions: [] });
        },
      },
      follows: AT_NINE,
    });
    server.tellAtOnce(1);
    await followerOf(server, tools).run(stop.signal);
    // Node 1 has version 11.
    const versions = commits.map(({ rows }) => String(Math.max(...rows.map(({ name }) => Number(name.slice(1)))) + 10));
    expect(commits.map(({ positions }) => positions.map(({ resourceVersion }) => resourceVersion))).toEqual(
      versions.map((version) => [version]),
    );
    expect(commits.map(({ positions }) => positions[0]!.count)).toEqual(
      commits.map((_, index) => commits.slice(0, index + 1).flatMap(({ rows }) => rows).length),
    );
  });

  it('is given up where a snapshot is needed, also while the reading of an event is held back', async () => {
    const stop = new AbortController();
    const server = new Told();
    const shares = { ...followerShares(), unstored: { bytes: 0, mostBytes: 0 } };
    const committing = deferred();
    let events = 0;
    const tools = toolsWith({
      ...shares,
      deltas: {
        takeRows: async () => {
          server.tellAtOnce(2, 3);
          await committing.promise;
          return { snapshotNeeded: ['Node'], positions: [] };
        },
      },
      follows: AT_NINE,
      counts: {
        events: () => {
          // The event is noted once this has returned.
          if ((events += 1) === 2) setImmediate(() => committing.resolve());
        },
        relist: () => undefined,
      },
    });
    server.tellAtOnce(1);
    const follower = followerOf(server, tools);
    const ended = follower.run(stop.signal);
    while (server.asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await ended;
    // What it then lists is cut by the end.
    expect(server.asked.slice(0, 2).map((path) => path.includes('watch=true'))).toEqual([true, false]);
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
    const tools = toolsWith({
      snapshots: { take },
      follows: { deltaState: () => Promise.resolve({ positions: [] }) },
    });
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

/** An API server that lets nobody read. */
class Denying implements StreamingClient {
  get(): Promise<StreamedAnswer> {
    const bytes = async function* (): AsyncGenerator<Buffer, void> {
      yield await Promise.resolve(Buffer.from('{"kind":"Status","status":"Failure","code":403,"message":"no"}'));
    };
    return Promise.resolve({ status: 403, contentType: 'application/json', retryAfter: undefined, body: bytes() });
  }
}

describe('the marks of a status', () => {
  it('count events as moves, and a kind that is refused as another state', async () => {
    const stop = new AbortController();
    const marks = { states: 0, moves: 0 };
    const seen: (typeof marks)[] = [];
    const server = new Told();
    const tools = toolsWith({
      marks,
      deltas: {
        takeRows: () => {
          seen.push({ ...marks });
          if (seen.length === 2) stop.abort();
          else server.tell(2);
          return Promise.resolve({ snapshotNeeded: [], positions: [] });
        },
      },
      follows: AT_NINE,
    });
    server.tell(1);
    await followerOf(server, tools).run(stop.signal);
    expect(seen[1]!.states).toBe(seen[0]!.states);
    expect(seen[1]!.moves).toBeGreaterThan(seen[0]!.moves);

    const denied = new AbortController();
    const before = marks.states;
    let waits = 0;
    const follower = new ClusterFollower(
      CLUSTER,
      'holder',
      { served: [NODES], version: null },
      new Denying(),
      toolsWith({
        marks,
        clock: {
          now: () => 1_000_000,
          sleep: () => {
            if ((waits += 1) === 1) denied.abort();
            return Promise.resolve();
          },
          after: () => () => undefined,
        },
        follows: { deltaState: () => Promise.resolve({ positions: [] }) },
      }),
    );
    await follower.run(denied.signal);
    expect(follower.status.kinds[0]!.state).toBe('denied');
    // Listing, its turn that begins and ends, and denied.
    expect(marks.states - before).toBe(4);
  });
});
