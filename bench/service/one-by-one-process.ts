import { Agent } from 'node:http';
import { Helper, help } from './helper.js';
import { sendRequest } from './send-request.js';

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
  const target = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const taken: number[] = [];
  try {
    for (const body of bodies) {
      const started = performance.now();
      await sendRequest({ method: 'POST', url: target, body, agent });
      taken.push(performance.now() - started);
    }
    return taken;
  } finally {
    agent.destroy();
  }
}

help(send);
