import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LivingApiServer } from '../support/living-api-server.js';
import { startTestService, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';

const AT = '/api/v1/clusters/living';
let folder: string;
let settings: Record<string, string>;
let api: LivingApiServer;
let one: TestService;
let other: TestService | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'following-'));
  await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
  settings = { CONNECTION_KEY_FILE: join(folder, 'keys'), FOLLOW_COALESCE_MS: '20' };
  api = await LivingApiServer.start();
  one = await startTestService(settings);
  settings['DATABASE_URL'] = one.databaseUrl;
});
afterAll(async () => {
  await other?.close();
  await one.close();
  await api.stop();
  await rm(folder, { recursive: true });
});

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`it never came to hold\n${one.logLines().slice(-2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const nodes = async (): Promise<string> => {
  const answer = await one.request('GET', `${AT}/nodes`);
  const items = (answer.at('items') ?? []) as readonly { readonly name: string }[];
  return items.map(({ name }) => name).join(' ');
};
const holds = async (names: string): Promise<void> => until(async () => (await nodes()) === names);
const holder = async (): Promise<string | null> => {
  const rows = await sql<{ holder: string | null }>(one.databaseUrl, 'select holder from cluster_follows');
  return rows[0]?.holder ?? null;
};
const listed = (): number => api.asked.filter((path) => path.includes('limit=')).length;

describe('a cluster whose connection says follow', () => {
  it('is stored as one revision, and then as it changes, with the names of what it rests on', async () => {
    for (const name of ['a', 'b']) api.put('nodes', name);
    await one.request('PUT', AT, {});
    const put = await one.request('PUT', `${AT}/connection`, { kubeconfig: api.kubeconfig, follow: true });
    expect(put.status).toBe(200);
    expect(put.at('follow')).toBe(true);
    await holds('a b');
    await until(() => api.watching === 2);
    expect((await one.request('GET', `${AT}/snapshots`)).at('items.length')).toBe(1);
    api.put('nodes', 'c');
    api.delete('nodes', 'a');
    api.put('namespaces', 'shop');
    await holds('b c');
    expect(listed()).toBe(2);
  });

  it('stores no version of what changes in nothing that is kept', async () => {
    const heartbeat = (time: string): object => ({
      status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: time }] },
    });
    api.put('nodes', 'd', heartbeat('2026-06-01T00:00:00Z'));
    await holds('b c d');
    api.put('nodes', 'd', heartbeat('2026-06-01T00:00:10Z'));
    api.put('nodes', 'later');
    await holds('b c d later');
    const versions = await sql<{ version: string }>(
      one.databaseUrl,
      `select resource_version as version from object_versions where kind = 'Node' and name = 'd'`,
    );
    expect(versions).toEqual([{ version: '16' }]);
    api.delete('nodes', 'later');
    await holds('b c d');
  });

  it('is shown kind by kind, over REST and GraphQL, and in the metrics', async () => {
    await until(
      async () => (await one.request('GET', `${AT}/connection`)).at('following.kinds.1.state') === 'watching',
    );
    const { json } = await one.request('GET', `${AT}/connection`);
    expect(json).toMatchObject({
      follow: true,
      following: {
        message: null,
        kinds: [
          { kind: 'Node', state: 'watching', message: null, rule: null },
          { kind: 'Namespace', state: 'watching' },
        ],
      },
    });
    const query = '{ cluster(name: "living") { connection { follow following { kinds { kind state } } } } }';
    const answer = await one.graphql(query);
    expect(answer.at('data.cluster.connection.following.kinds.0')).toEqual({ kind: 'Node', state: 'watching' });
    const { text } = await one.request('GET', '/metrics');
    expect(text).toContain('kube_placement_follow_kinds{cluster="living",state="watching"} 2');
    expect(text).toMatch(/kube_placement_follow_events_total \d/);
  });

  it('is followed by one replica at a time, and goes on without a list when another one takes over', async () => {
    const first = await holder();
    other = await startTestService(settings);
    const before = listed();
    await sql(one.databaseUrl, `update cluster_follows set holder = 'gone', leased_until = now() - interval '1 s'`);
    await until(async () => !['gone', null].includes(await holder()));
    expect(await holder()).not.toBe('gone');
    api.put('nodes', 'e');
    await holds('b c d e');
    expect(first).not.toBeNull();
    expect(listed()).toBe(before);
  });

  it('is followed no longer when the connection is deleted', async () => {
    await one.request('DELETE', `${AT}/connection`);
    await until(() => api.watching === 0);
    expect(await holder()).toBeNull();
  });
});
