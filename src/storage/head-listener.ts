import pg from 'pg';
import type { Database } from './database.js';
import { type HeadEvent, HEADS_CHANNEL } from './head-notifications.js';
import type { StorageLog } from './storage-log.js';

export type { HeadEvent } from './head-notifications.js';

/** Delays between attempts to listen again, in milliseconds: doubled each time, up to the maximum. */
const MIN_PAUSE = 50;
const MAX_PAUSE = 5_000;

/** The interval of checks that detect a silently lost connection, in milliseconds. */
const CHECK_EVERY = 15_000;

/** After so many milliseconds, the heads of a place that could not be read are read again. */
const READ_AGAIN = 5_000;

/**
 * Receives new heads over LISTEN/NOTIFY on a separate connection, and reads all heads again after that connection was
 * lost, so that no head is missed. Reports each head once, and never an older one after a newer one.
 */
export class HeadListener {
  private readonly listeners = new Set<(event: HeadEvent) => void>();
  private readonly startedAgain = new Set<() => void>();
  private readonly heads = new Map<number, number>();
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private check: NodeJS.Timeout | undefined;
  private unread: NodeJS.Timeout | undefined;
  private closed = false;
  private connections = 0;

  constructor(
    private readonly database: Pick<Database, 'url' | 'places' | 'query'>,
    private readonly log: StorageLog,
  ) {}

  /**
   * Resolves when listening has begun; existing heads are also reported as events, those that cannot be read just now as soon as they
   * can.
   */
  async start(): Promise<void> {
    await this.connect();
  }

  /** @param listener is called whenever listening has begun again: events may have been missed before */
  whenAgain(listener: () => void): void {
    this.startedAgain.add(listener);
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: (event: HeadEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * The number of the current listening connection, from 1; undefined if there is none. Data read during a connection
   * remains valid until an event reports a change, as long as this number is the same, because no event was missed.
   */
  get connection(): number | undefined {
    return this.client === undefined ? undefined : this.connections;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    clearInterval(this.check);
    clearTimeout(this.unread);
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.database.url,
      application_name: 'kube-placement heads',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    });
    let lost = false;
    const lose = () => {
      if (lost) return;
      lost = true;
      clearInterval(this.check);
      client.end().catch(() => undefined);
      if (this.client === client) this.client = undefined;
    };
    client.on('notification', ({ payload }) => this.receive(payload ?? ''));
    client.on('error', lose);
    try {
      await client.connect();
      // Listen first and read second, so that no commit in between is missed.
      await client.query(`listen ${HEADS_CHANNEL}`);
      await this.readAll();
    } catch (error) {
      lose();
      throw error;
    }
    if (lost) throw new Error('the connection was lost while starting to listen');
    this.connections++;
    this.client = client;
    this.check = setInterval(() => void client.query('select 1').catch(lose), CHECK_EVERY).unref();
    client.once('end', () => {
      lose();
      this.reconnect(MIN_PAUSE);
    });
    if (this.closed) await this.close();
    else if (this.connections > 1) for (const listener of this.startedAgain) listener();
  }

  private reconnect(pause: number): void {
    if (this.closed) return;
    this.log('warn', 'the connection that receives notifications of new heads was lost; reconnecting');
    this.retry = setTimeout(() => {
      this.connect().catch(() => this.reconnect(Math.min(pause * 2, MAX_PAUSE)));
    }, pause).unref();
  }

  private async readAll(): Promise<void> {
    clearTimeout(this.unread);
    const lost: number[] = [];
    const rows = await this.database.places.ofAll(
      (ids) =>
        this.database.query<{ id: number; head: number }>(
          'select id::float8 as id, head_revision as head from clusters where id = any($1::bigint[])',
          [ids],
        ),
      (error, ids) => {
        lost.push(...ids);
        this.log('warn', 'the heads of some clusters could not be read; they are read again', { error });
      },
    );
    const there = new Set([...lost, ...rows.map(({ id }) => id)]);
    for (const clusterId of [...this.heads.keys()]) {
      if (!there.has(clusterId)) this.report({ type: 'deleted', clusterId });
    }
    for (const { id, head } of rows) if (head > 0) this.report({ type: 'head', clusterId: id, revision: head });
    if (lost.length > 0) this.readAgain();
  }

  private readAgain(): void {
    if (this.closed) return;
    this.unread = setTimeout(() => {
      this.readAll().catch(() => this.readAgain());
    }, READ_AGAIN).unref();
  }

  private receive(payload: string): void {
    // Anyone who can connect can notify, so ignore other payloads.
    const event = parseEvent(payload);
    if (event !== undefined) this.report(event);
  }

  private report(event: HeadEvent): void {
    if (event.type === 'deleted') {
      this.heads.delete(event.clusterId);
    } else if (event.type === 'head') {
      if ((this.heads.get(event.clusterId) ?? 0) >= event.revision) return;
      this.heads.set(event.clusterId, event.revision);
    }
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        this.log('error', 'a listener to new heads failed', { error });
      }
    }
  }
}

function parseEvent(payload: string): HeadEvent | undefined {
  try {
    const event = JSON.parse(payload) as HeadEvent;
    if (!Number.isSafeInteger(event.clusterId)) return undefined;
    if (event.type === 'head') return Number.isSafeInteger(event.revision) ? event : undefined;
    if (event.type === 'current') return Number.isNaN(Date.parse(event.at)) ? undefined : event;
    return ['deleted', 'relabelled', 'trail', 'connection', 'outbox'].includes(event.type) ? event : undefined;
  } catch {
    return undefined;
  }
}
