import { createRequire } from 'node:module';
import { request, type IncomingMessage } from 'node:http';

/** An event, from either transport. */
export interface ReadEvent {
  readonly id: string;
  readonly type: string;
  readonly [part: string]: unknown;
}

/** Events as every reader gets them: an id is the position of one reader, and two may get neighbours in another order. */
export const withoutIds = (events: readonly { readonly id: string }[]): readonly object[] =>
  events.map((event) => ({ ...event, id: '' }));

/** How long to wait for an event, in milliseconds. */
const PATIENCE = 20_000;

/** A queue of received items, read one by one. */
class Arrivals<Item> {
  private readonly items: Item[] = [];
  private wake: () => void = () => undefined;

  add(item: Item): void {
    this.items.push(item);
    this.wake();
  }

  async next(): Promise<Item> {
    const end = Date.now() + PATIENCE;
    while (this.items.length === 0) {
      if (Date.now() >= end) throw new Error('nothing came');
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, PATIENCE);
      });
      clearTimeout(timer);
    }
    return this.items.shift()!;
  }

  get waiting(): readonly Item[] {
    return this.items;
  }
}

/** One block of text/event-stream. */
export interface Block {
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
  readonly comment?: string;
  readonly retry?: string;
}

/** Reads server-sent events as the standard specifies. */
export class SseReader {
  private readonly blocks = new Arrivals<Block>();
  /** What a client would send as Last-Event-ID. */
  lastEventId = '';
  private text = '';
  readonly closed: Promise<void>;

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      this.read(chunk);
    });
    this.closed = new Promise((resolve) => response.once('close', resolve));
    response.on('error', () => undefined);
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<SseReader> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(url, { headers, agent: false }, resolve).on('error', reject).end();
    });
    if (response.statusCode !== 200) {
      let text = '';
      for await (const chunk of response) text += String(chunk);
      throw new Error(`${response.statusCode ?? 0} ${text}`);
    }
    return new SseReader(response);
  }

  /** The next block of any kind. */
  block(): Promise<Block> {
    return this.blocks.next();
  }

  /** The next event, heartbeats left out. */
  async event(): Promise<ReadEvent> {
    for (;;) {
      const { data, id, event } = await this.block();
      if (data === undefined) continue;
      const read = JSON.parse(data) as ReadEvent;
      if (event !== 'end' && (read.id !== id || read.type !== event)) throw new Error(`${data} came as ${event} ${id}`);
      return event === 'end' ? { ...read, type: 'end' } : read;
    }
  }

  async events(count: number): Promise<ReadEvent[]> {
    const found: ReadEvent[] = [];
    while (found.length < count) found.push(await this.event());
    return found;
  }

  /** Items that were received and not read. */
  get unread(): readonly Block[] {
    return this.blocks.waiting.filter(({ data }) => data !== undefined);
  }

  /** Stops reading from the connection. */
  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  /** Closes the connection. */
  cut(): void {
    this.response.destroy();
  }

  private read(chunk: string): void {
    this.text += chunk;
    for (let end = this.text.indexOf('\n\n'); end >= 0; end = this.text.indexOf('\n\n')) {
      this.add(this.text.slice(0, end));
      this.text = this.text.slice(end + 2);
    }
  }

  private add(text: string): void {
    const block: Record<string, string> = {};
    for (const line of text.split('\n')) {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
      block[name === '' ? 'comment' : name] = value;
    }
    if (block['id'] !== undefined) this.lastEventId = block['id'];
    this.blocks.add(block);
  }
}

/** The parts of the package `ws`, a dependency of mercurius, that are used. */
interface Ws {
  on(event: 'open', listener: () => void): void;
  on(event: 'message', listener: (data: Buffer) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): void;
  send(text: string): void;
  terminate(): void;
  pause(): void;
  resume(): void;
}

const require = createRequire(import.meta.url);
const WebSocket = createRequire(require.resolve('mercurius'))('ws') as new (
  url: string,
  protocol: string,
  options: { readonly headers: Record<string, string> },
) => Ws;

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

export interface SocketOptions {
  readonly headers?: Record<string, string>;
  /** The payload of `connection_init`. */
  readonly payload?: object;
  readonly protocol?: string;
}

export const EVENT_FIELDS = `
  id type
  ... on HeadChangedEvent {
    headChanged { revision kind capturedAt receivedAt unconfirmedNodes counts { kind added changed removed unchanged } }
  }
  ... on TaintChangeRecordedEvent { taintChangeRecorded {
    action firstSequence lastSequence channel revision change from to by onBehalfOf reason link nodes nodeCount deviceTaintRules deviceTaintRuleCount
    differences { summary nodes } moreDifferences supersedes
  } }
  ... on ScheduleChangedEvent { scheduleChanged {
    before { revision counts { now at never } next { at pods } }
    after { revision counts { now at never } next { at pods } }
  } }
  ... on EvictionDueEvent { evictionDue { revision at pods { namespace name node at } podCount } }`;

/** A client of graphql-transport-ws, message by message. */
export class GraphqlSocket {
  private readonly messages = new Arrivals<Message>();
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;

  private constructor(private readonly socket: Ws) {
    socket.on('message', (data) => {
      this.messages.add(JSON.parse(data.toString()) as Message);
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
      });
    });
  }

  /** Connects, and sends nothing. */
  static async connect(url: string, options: SocketOptions = {}): Promise<GraphqlSocket> {
    const { headers = {}, protocol = 'graphql-transport-ws' } = options;
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, protocol, { headers });
    const client = new GraphqlSocket(socket);
    await new Promise<void>((resolve, reject) => {
      socket.on('open', resolve);
      socket.on('error', reject);
    });
    return client;
  }

  /** Connects and authenticates. */
  static async open(url: string, options: SocketOptions = {}): Promise<GraphqlSocket> {
    const { payload } = options;
    const client = await GraphqlSocket.connect(url, options);
    client.send({ type: 'connection_init', ...(payload !== undefined && { payload }) });
    const { type } = await Promise.race([
      client.message(),
      client.closed.then(({ code, reason }) => ({ type: `${code} ${reason}` })),
    ]);
    if (type !== 'connection_ack') throw new Error(`${type} came in the place of connection_ack`);
    return client;
  }

  send(message: Message): void {
    this.socket.send(JSON.stringify(message));
  }

  subscribe(variables: object, id = '1'): void {
    const query = `subscription ($cluster: String!, $after: String, $types: [ClusterEventType!], $follow: Boolean) {
      clusterEvents(cluster: $cluster, after: $after, types: $types, follow: $follow) { ${EVENT_FIELDS} }
    }`;
    this.send({ type: 'subscribe', id, payload: { query, variables } });
  }

  /** The next message of any kind. */
  message(): Promise<Message> {
    return this.messages.next();
  }

  /** The next message about an operation. */
  async answer(): Promise<Message> {
    for (;;) {
      const message = await this.message();
      if (message.type !== 'ping') return message;
    }
  }

  async event(): Promise<ReadEvent> {
    const message = await this.answer();
    if (message.type !== 'next') throw new Error(JSON.stringify(message));
    return (message.payload as { data: { clusterEvents: ReadEvent } }).data.clusterEvents;
  }

  async events(count: number): Promise<ReadEvent[]> {
    const found: ReadEvent[] = [];
    while (found.length < count) found.push(await this.event());
    return found;
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  cut(): void {
    this.socket.terminate();
  }
}
