import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Helper, help } from './helper.js';

/** Requests over one connection, each sent when the one before is answered. */
export interface OneByOne {
  readonly url: string;
  /** JSON. */
  readonly bodies: readonly string[];
}

const sender = new Helper<OneByOne, readonly number[]>(import.meta.url);

/**
 * Sends requests from a separate process.
 * @returns the milliseconds of each, from the request to the last byte of its answer
 * @throws if one is refused
 */
export const sendOneByOne = (requests: OneByOne): Promise<readonly number[]> => sender.ask(requests);

async function send({ url, bodies }: OneByOne): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true });
  const taken: number[] = [];
  try {
    for (const body of bodies) {
      const started = performance.now();
      await post(url, agent, body);
      taken.push(performance.now() - started);
    }
    return taken;
  } finally {
    agent.destroy();
  }
}

function post(url: string, agent: Agent, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      text(response).then((answer) => {
        const status = response.statusCode!;
        if (status < 300) resolve();
        else reject(new Error(`POST ${url}: ${status} ${answer.slice(0, 1000)}`));
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

help(send);
