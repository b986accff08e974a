import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, send } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

/** Two services on one database. */
let one: TestService;
let other: TestService;
beforeAll(async () => {
  one = await startTestService();
  other = await startTestService({ DATABASE_URL: one.databaseUrl });
});
afterAll(async () => {
  await other.close();
  await one.close();
});

const CLUSTERS = '/api/v1/clusters';
const head = (of: TestService, cluster: string) => of.request('GET', `${CLUSTERS}/${cluster}/snapshots/head`);
const take = (by: TestService, cluster: string, ...names: string[]) =>
  send(by, `${CLUSTERS}/${cluster}/snapshots?createCluster=true`, list(names.map((name) => node(name))));

describe('two replicas on one database', () => {
  it('notice each other’s heads and deletions', async () => {
    await take(one, 'shared', 'a');
    expect((await head(other, 'shared')).at('basis.revision')).toBe(1);
    await take(one, 'shared', 'a', 'b');
    await until(async () => (await head(other, 'shared')).at('basis.revision') === 2);
    await other.request('GET', `${CLUSTERS}/shared/diff`);
    await take(one, 'shared', 'a', 'b', 'c');
    await until(async () => (await head(other, 'shared')).at('basis.revision') === 3);
    const diff = await other.request('GET', `${CLUSTERS}/shared/diff`);
    expect(diff.json).toMatchObject({ nodes: [{ node: 'c', change: 'added' }] });

    await one.request('DELETE', `${CLUSTERS}/shared`);
    await until(async () => (await head(other, 'shared')).status === 404);
    await take(other, 'shared', 'z');
    await until(async () => (await head(one, 'shared')).at('basis.revision') === 1);
    const { text } = await one.request('GET', `${CLUSTERS}/shared/snapshots/head`);
    expect(text).toContain('"added":1');
  });

  it('remove old revisions according to their settings, and log the removals', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await take(one, 'long', name);
    const third = await startTestService({ DATABASE_URL: one.databaseUrl, RETENTION_MAX_REVISIONS: '2' });
    try {
      await until(async () => (await one.request('GET', `${CLUSTERS}/long/snapshots/2`)).status === 404);
      await third.request('GET', '/healthz');
      const left = await one.request('GET', `${CLUSTERS}/long/snapshots`);
      expect(left.json).toMatchObject({ items: [{ revision: 4 }, { revision: 3 }] });
      expect(third.logLines()).toMatch(/"clusterName":"long","revisions":2,"objectVersions":2,"oldestRevision":3/);
    } finally {
      await third.close();
    }
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await holds())) if (Date.now() > end) throw new Error('it never came to hold');
}
