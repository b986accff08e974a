import { Agent, request } from 'node:http';

/** A load of requests at a fixed rate, regardless of the responses. */
export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Request bodies, sent in a cycle; none for GET. */
  readonly bodies: readonly string[];
  /** The index of the first body to send. */
  readonly firstBody: number;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
}

/** Latencies in milliseconds, from the time a request was due to the last byte of its response. */
export interface LoadResult {
  readonly sent: number;
  readonly p50: number;
  readonly p99: number;
  readonly greatest: number;
  /** Requests that timed out. Each counts with the time it waited. */
  readonly unanswered: number;
  /** The mean size of response bodies, in bytes. */
  readonly meanBytes: number;
  /** The number of responses with a status other than 200; `firstFailure` describes the first. */
  readonly failed: number;
  readonly firstFailure?: string;
}

const CONNECTIONS = 32;
/** How long to wait for responses after the last request was due, in milliseconds. */
const PATIENCE = 5_000;

/** Sends a load. If all connections are busy, a request waits, and its latency includes the wait. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const count = Math.round(load.rate * load.seconds);
  const latencies = new Float64Array(count).fill(-1);
  const tally = { bytes: 0, failed: 0, firstFailure: '' };
  const start = performance.now();
  const dueAt = (index: number): number => start + (index * 1000) / load.rate;
  let sent = 0;
  let answered = 0;
  await new Promise<void>((resolve) => {
    const send = (index: number): void => {
      const body = load.bodies[(load.firstBody + index) % Math.max(1, load.bodies.length)];
      exchange(agent, load, body, tally, () => {
        latencies[index] = performance.now() - dueAt(index);
        answered++;
      });
    };
    const timer = setInterval(() => {
      const now = performance.now();
      while (sent < count && dueAt(sent) <= now) send(sent++);
      if (answered < count && now < dueAt(count) + PATIENCE) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  const { bytes, failed, firstFailure } = { ...tally };
  const unanswered = count - answered;
  const end = performance.now();
  for (let index = 0; index < count; index++) if (latencies[index]! < 0) latencies[index] = end - dueAt(index);
  agent.destroy();
  latencies.sort();
  const at = (share: number): number => latencies[Math.min(count - 1, Math.floor(count * share))]!;
  return {
    sent,
    p50: at(0.5),
    p99: at(0.99),
    greatest: at(1),
    unanswered,
    meanBytes: bytes / Math.max(1, answered),
    failed,
    ...(failed > 0 ? { firstFailure } : {}),
  };
}

interface Tally {
  bytes: number;
  failed: number;
  firstFailure: string;
}

function exchange(agent: Agent, load: Load, body: string | undefined, tally: Tally, done: () => void): void {
  const fail = (why: string): void => {
    if (++tally.failed === 1) tally.firstFailure = why;
    done();
  };
  const headers =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request(new URL(load.path, load.url), { method: load.method, agent, headers }, (response) => {
    let text = '';
    response.on('data', (chunk: Buffer) => {
      tally.bytes += chunk.length;
      if (response.statusCode !== 200 && text.length < 1000) text += chunk.toString();
    });
    response.on('end', () => {
      if (response.statusCode === 200) done();
      else fail(`${response.statusCode!} ${text}`);
    });
  });
  sent.on('error', (error) => {
    fail(error.message);
  });
  sent.end(body);
}
