import pg from 'pg';
import { type AskedClusters, askedClusters } from './asked-clusters.js';
import { ClusterPlaces, type ReadPlaces } from './cluster-places.js';
import { StorageError } from './storage-error.js';
import type { StorageLog } from './storage-log.js';

interface Limits {
  /** A statement without an answer for so long, in milliseconds, may wait for a node that hangs. */
  readonly slowMs: number;
  /** How long a node may take to answer a statement that reads nothing. */
  readonly longestMs: number;
  /** How often connections are looked at. */
  readonly everyMs: number;
  /** How long after a look at the nodes another one is due for a statement that is still unanswered. */
  readonly againMs: number;
}

const LIMITS: Limits = { slowMs: 1_000, longestMs: 2_500, everyMs: 500, againMs: 5_000 };

/** What a connection was last sent. */
interface Sent {
  at: number;
  asked: AskedClusters;
}

/** What `pg.Client.query` takes: a text, an object with one, or a stream such as COPY's. */
type Query = (...given: unknown[]) => unknown;

interface Querying {
  readonly query: Query;
}

/** What the driver says of a connection besides its types. */
interface Driven {
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: { destroy(): void } };
}

const unavailable = (): StorageError => new StorageError('StorageTimeout', 'a node of the database does not answer');

/**
 * Keeps a node of a distributed database that hangs from taking all connections. Where a statement waits for long, each node is asked whether
 * it answers. Until one does that did not, statements about its clusters are refused, and connections that wait for it are closed: the
 * coordinator ends no statement before its node answers, not even one that takes too long.
 */
export class HangingPlaces {
  private readonly connections = new Map<pg.Client, Sent>();
  /** The clusters of each place that hangs. */
  private readonly hanging = new Map<string, ReadonlySet<number>>();
  private readonly read: ReadPlaces;
  private timer: NodeJS.Timeout | undefined;
  private nextLook = -Infinity;
  private isLooking = false;

  constructor(
    private readonly url: string,
    private readonly log: StorageLog,
    readPlaces?: ReadPlaces,
    private readonly limits = LIMITS,
  ) {
    // All connections of the pool may be waiting.
    const places = new ClusterPlaces((sql, values = []) => this.askAlone(sql, values), readPlaces);
    this.read = () => places.all();
  }

  /** Notes what a connection is sent from now on. */
  watch(client: pg.Client): void {
    const own = Object.hasOwn(client, 'query') ? (client as unknown as Querying).query : undefined;
    const prototype = Object.getPrototypeOf(client) as Querying;
    const sent: Sent = { at: Infinity, asked: undefined };
    this.connections.set(client, sent);
    this.timer ??= setInterval(() => this.look(), this.limits.everyMs).unref();
    client.once('end', () => {
      this.connections.delete(client);
      if (this.connections.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    });
    const watched: Query = (...given) => {
      sent.at = performance.now();
      const asked = askedBy(given);
      // In a transaction, what names no cluster belongs to what did.
      if (asked !== undefined) sent.asked = asked;
      if (this.isLost(asked) && typeof given.at(-1) !== 'function') return Promise.reject(unavailable());
      return (own ?? prototype.query).apply(client, given);
    };
    client.query = watched as typeof client.query;
  }

  private isLost(asked: AskedClusters): boolean {
    if (this.hanging.size === 0 || asked === undefined) return false;
    return asked === 'all' || [...this.hanging.values()].some((ids) => asked.some((id) => ids.has(id)));
  }

  private look(): void {
    const now = performance.now();
    let isSlow = false;
    for (const [client, { at, asked }] of this.connections) {
      const driven = client as unknown as Driven;
      if (driven.readyForQuery || now - at < this.limits.slowMs) continue;
      isSlow = true;
      if (this.isLost(asked)) driven.connection.stream.destroy();
    }
    if (!isSlow || this.isLooking || now < this.nextLook) return;
    this.isLooking = true;
    void this.lookAtPlaces().finally(() => {
      this.isLooking = false;
      this.nextLook = performance.now() + this.limits.againMs;
    });
  }

  private async lookAtPlaces(): Promise<void> {
    try {
      const places = await this.read();
      for (const place of this.hanging.keys()) {
        const ids = places.get(place);
        if (ids !== undefined) this.hanging.set(place, new Set(ids));
      }
      if (places.size < 2) return;
      await Promise.all([...places].map(([place, ids]) => this.lookAt(place, ids)));
    } catch {
      // The database itself cannot be reached, which whoever asks it is told.
    }
  }

  /** Resolves when the place has answered, or is known to hang. */
  private async lookAt(place: string, ids: readonly number[]): Promise<void> {
    if (this.hanging.has(place)) return;
    const ask = (): Promise<unknown> => this.askAlone('select from clusters where id = $1', [ids[0]]);
    const first = ask();
    if (await answersWithin(this.limits.longestMs, first)) return;
    this.hanging.set(place, new Set(ids));
    this.log('warn', 'a node of the database does not answer; its clusters are left out until it does', {
      clusterIds: ids,
    });
    void this.untilItAnswers(first, ask).finally(() => {
      this.hanging.delete(place);
      this.log('info', 'the node of the database answers again', { clusterIds: ids });
    });
  }

  /** The coordinator gives up connecting to a node after a while, which is no answer of it. */
  private async untilItAnswers(first: Promise<unknown>, ask: () => Promise<unknown>): Promise<void> {
    let answer = first;
    do {
      await answer.catch(() => undefined);
      answer = ask();
    } while (!(await answersWithin(this.limits.longestMs, answer)));
  }

  /** On a connection of its own. */
  private async askAlone<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const client = new pg.Client({ connectionString: this.url, application_name: 'kube-placement' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows as Row[];
    } finally {
      await client.end();
    }
  }
}

/** Also with an error. */
async function answersWithin(ms: number, answer: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false).unref();
  });
  const answered = answer.then(
    () => true,
    () => true,
  );
  return Promise.race([answered, limit]).finally(() => {
    clearTimeout(timer);
  });
}

function askedBy([statement, values]: readonly unknown[]): AskedClusters {
  if (typeof statement === 'string') return askedClusters(statement, Array.isArray(values) ? values : []);
  const { text, values: own } = statement as { readonly text?: unknown; readonly values?: unknown };
  if (typeof text !== 'string') return undefined;
  return askedClusters(text, Array.isArray(own) ? own : Array.isArray(values) ? values : []);
}
