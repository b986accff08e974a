import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LivingApiServer } from '../support/living-api-server.js';
import { startTestService, type TestService } from '../support/service.js';

const CLUSTERS = 5;
/** What waits, and what lets it go. */
const gate = (): { readonly passed: Promise<void>; readonly open: () => void } => {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
};

let folder: string;
let service: TestService;
let servers: readonly LivingApiServer[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'following-turns-'));
  await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
  service = await startTestService({ CONNECTION_KEY_FILE: join(folder, 'keys'), FOLLOW_COALESCE_MS: '20' });
  servers = await Promise.all(Array.from({ length: CLUSTERS }, () => LivingApiServer.start()));
});
afterAll(async () => {
  await service.close();
  await Promise.all(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true });
});

const at = (cluster: number): string => `/api/v1/clusters/c${cluster}`;
const listed = (): readonly number[] => servers.flatMap((server, index) => (server.listed > 0 ? [index] : []));
const message = async (cluster: number): Promise<unknown> =>
  (await service.request('GET', `${at(cluster)}/connection`)).at('following.kinds.0.message');

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + 50_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`it never came to hold\n${service.logLines().slice(-2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('clusters that are to be listed by one replica', () => {
  it('are listed two at a time, also when one of them does not answer; the others wait, and say so', async () => {
    const { passed, open } = gate();
    let most = 0;
    for (const server of servers) {
      server.lists = passed;
      server.onList = () => (most = Math.max(most, servers.filter(({ listing }) => listing > 0).length));
      server.put('nodes', 'a');
    }
    for (let cluster = 0; cluster < CLUSTERS; cluster += 1) {
      const { kubeconfig } = servers[cluster]!;
      await service.request('PUT', at(cluster), {});
      await service.request('PUT', `${at(cluster)}/connection`, { kubeconfig, follow: true });
    }
    const waiting = async (): Promise<readonly number[]> => {
      const all = Array.from({ length: CLUSTERS }, (_, cluster) => cluster);
      const messages = await Promise.all(all.map(message));
      return all.filter((cluster) => messages[cluster] === 'other clusters are being listed; it is listed after them');
    };
    // All have asked the API server what it serves, but only two for lists.
    await until(async () => (await waiting()).length === CLUSTERS - 2);
    expect(listed()).toHaveLength(2);
    expect((await waiting()).filter((cluster) => listed().includes(cluster))).toEqual([]);
    // A list that is cut gives its turn to the next.
    servers[listed()[0]!]!.cutAll();
    await until(() => listed().length === 3);
    open();
    await until(() => servers.every(({ watching }) => watching === 2));
    expect(most).toBe(2);
    for (let cluster = 0; cluster < CLUSTERS; cluster += 1) {
      expect((await service.request('GET', `${at(cluster)}/nodes`)).at('items.length')).toBe(1);
    }
  });
});
