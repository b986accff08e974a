import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { KINDS } from '../../src/core/kubernetes/kinds.js';
import { residentMemory } from './bench-service.js';

/** What a bare client of an API server does, in a process of its own. */
export type BareWork = { readonly url: string; readonly ca: string } & (
  | { readonly work: 'lists'; readonly cluster: string }
  /** Reads events of pods until there were so many; says so once it watches. */
  | { readonly work: 'events'; readonly cluster: string; readonly count: number }
  /** Opens a watch of every kind of many clusters, and tells the memory of each cluster. */
  | { readonly work: 'idle'; readonly clusters: number }
);

export interface BareResult {
  readonly seconds: number;
  /** In MB. */
  readonly peakMemory: number;
  readonly objects: number;
}

/** @param watching called once it watches */
export async function bareWork(
  work: BareWork,
  watching: () => Promise<unknown> = () => Promise.resolve(),
): Promise<BareResult> {
  const child = fork(fileURLToPath(import.meta.url), ['read']);
  try {
    child.send(work);
    for (;;) {
      const [message] = (await once(child, 'message')) as [BareResult | 'watching'];
      if (message !== 'watching') return message;
      watching().catch(() => undefined);
    }
  } finally {
    child.kill();
  }
}

const listPath = ({ apiVersions: [version], plural }: (typeof KINDS)[number]): string =>
  version.includes('/') ? `/apis/${version}/${plural}` : `/api/${version}/${plural}`;

class Reader {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly url: string,
    private readonly ca: string,
  ) {}

  async lists(cluster: string): Promise<number> {
    let objects = 0;
    for (const info of KINDS) {
      let next: string | undefined;
      do {
        const query = next === undefined ? 'limit=500' : `limit=500&continue=${next}`;
        const parts: Buffer[] = [];
        for await (const part of await this.get(`/${cluster}${listPath(info)}?${query}`)) parts.push(part as Buffer);
        const page = JSON.parse(Buffer.concat(parts).toString('utf8')) as {
          readonly metadata: { readonly continue?: string };
          readonly items: readonly object[];
        };
        objects += page.items.length;
        next = page.metadata.continue;
      } while (next !== undefined);
    }
    return objects;
  }

  async events(cluster: string, count: number): Promise<number> {
    const response = await this.get(`/${cluster}/api/v1/pods?watch=true`);
    process.send!('watching');
    let [seen, started] = [0, 0];
    for await (const line of createInterface({ input: response })) {
      if (seen === 0) started = performance.now();
      const { type } = JSON.parse(line) as { readonly type: string };
      if (type === 'MODIFIED') seen += 1;
      if (seen === count) break;
    }
    return (performance.now() - started) / 1000;
  }

  watch(cluster: string, info: (typeof KINDS)[number]): Promise<IncomingMessage> {
    return this.get(`/${cluster}${listPath(info)}?watch=true`);
  }

  private get(path: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      get(`${this.url}${path}`, { ca: this.ca, agent: this.agent }, resolve).on('error', reject);
    });
  }
}

async function work(given: BareWork): Promise<BareResult> {
  const reader = new Reader(given.url, given.ca);
  const before = (await residentMemory('self')).resident;
  const started = performance.now();
  let objects = 0;
  let seconds: number | undefined;
  let memory: number | undefined;
  if (given.work === 'lists') objects = await reader.lists(given.cluster);
  else if (given.work === 'events') seconds = await reader.events(given.cluster, given.count);
  else {
    for (let cluster = 0; cluster < given.clusters; cluster += 1) {
      const open = await Promise.all(KINDS.map((info) => reader.watch(`bare-${cluster}`, info)));
      for (const response of open) response.resume();
      objects += open.length;
    }
    memory = ((await residentMemory('self')).resident - before) / given.clusters;
  }
  seconds ??= (performance.now() - started) / 1000;
  return { seconds, objects, peakMemory: memory ?? (await residentMemory('self')).peak };
}

if (process.send !== undefined && process.argv[2] === 'read') {
  process.once('message', (given: BareWork) => {
    void work(given).then((result) => process.send!(result));
  });
  process.on('disconnect', () => process.exit());
}
