import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Streams to open: server-sent events from a URL, or GraphQL subscriptions to a cluster. */
export interface Subscriptions {
  readonly sse: { readonly url: string; readonly count: number };
  readonly graphql?: { readonly url: string; readonly cluster: string; readonly count: number };
}

/** The arrival times of each change at each stream, by change id; milliseconds since the epoch, with fractions. */
export type Arrivals = Readonly<Record<string, readonly number[]>>;

type Answer = { readonly ready: true } | { readonly arrivals: Arrivals };

/** A clock that is comparable between the two processes. */
export const preciseNow = (): number => performance.timeOrigin + performance.now();

/** Subscribers in a separate process, so that they slow down neither the service nor the benchmark. */
export class Subscribers {
  private readonly early: Promise<never>;

  private constructor(private readonly child: ChildProcess) {
    this.early = once(child, 'exit').then(() => Promise.reject(new Error('the subscribers ended early')));
    this.early.catch(() => undefined);
  }

  /** Resolves when every stream is open. */
  static async open(subscriptions: Subscriptions): Promise<Subscribers> {
    const child = fork(fileURLToPath(import.meta.url), ['subscribe']);
    const subscribers = new Subscribers(child);
    await subscribers.ask(subscriptions);
    return subscribers;
  }

  async arrivals(): Promise<Arrivals> {
    const answer = await this.ask('arrivals');
    return 'arrivals' in answer ? answer.arrivals : {};
  }

  close(): void {
    this.child.kill();
  }

  private async ask(question: Subscriptions | 'arrivals'): Promise<Answer> {
    this.child.send(question);
    const [answer] = (await Promise.race([once(this.child, 'message'), this.early])) as [Answer];
    return answer;
  }
}

const CHANGE = /"change":"([0-9a-f-]{36})"/;

class Reading {
  private readonly found: Record<string, number[]> = {};

  note(text: string): void {
    const change = CHANGE.exec(text)?.[1];
    if (change !== undefined) (this.found[change] ??= []).push(preciseNow());
  }

  get arrivals(): Arrivals {
    return this.found;
  }

  openSse(url: string): Promise<void> {
    return new Promise((resolve, reject) => {
      request(url, { agent: false }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url} answers ${response.statusCode ?? 0}`));
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          resolve();
          const blocks = (rest + chunk).split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) this.note(block);
        });
      })
        .on('error', reject)
        .end();
    });
  }

  openGraphql(url: string, cluster: string): Promise<void> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
    const query = `subscription { clusterEvents(cluster: "${cluster}", types: [taintChangeRecorded]) {
      id type ... on TaintChangeRecordedEvent {
        taintChangeRecorded { action change revision by reason nodes nodeCount differences { summary nodes } }
      }
    } }`;
    return new Promise((resolve, reject) => {
      socket.on('open', () => {
        socket.send('{"type":"connection_init"}');
      });
      socket.on('error', reject);
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        if (text.startsWith('{"type":"connection_ack"')) {
          socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
          resolve();
        } else if (text.startsWith('{"type":"next"')) this.note(text);
        else if (text.startsWith('{"type":"error"')) throw new Error(text);
      });
    });
  }
}

/** The part of the package `ws`, a dependency of mercurius, that is used here. */
interface Ws {
  on(event: 'open', listener: () => void): void;
  on(event: 'message', listener: (data: Buffer) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  send(text: string): void;
}

const own = createRequire(import.meta.url);
const WebSocket = createRequire(own.resolve('mercurius'))('ws') as new (url: string, protocol: string) => Ws;

if (process.send !== undefined && process.argv[2] === 'subscribe') {
  const reading = new Reading();
  process.on('message', (question: Subscriptions | 'arrivals') => {
    const answer = async (): Promise<Answer> => {
      if (question === 'arrivals') return { arrivals: reading.arrivals };
      const { sse, graphql } = question;
      await Promise.all(Array.from({ length: sse.count }, () => reading.openSse(sse.url)));
      if (graphql !== undefined) {
        const { url, cluster, count } = graphql;
        await Promise.all(Array.from({ length: count }, () => reading.openGraphql(url, cluster)));
      }
      return { ready: true };
    };
    answer().then(
      (found) => process.send!(found),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
