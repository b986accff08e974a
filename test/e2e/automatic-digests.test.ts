import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DEFAULT_SHAPE } from '../../bench/generator/cluster-shape.js';
import { ndjson } from '../../bench/generator/dump.js';
import { generateCluster } from '../../bench/generator/generate-cluster.js';
import { metric } from '../support/metric.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';
import { sql } from '../support/sql.js';

// The first look is half a minute after the start.
jest.setTimeout(240_000);

let first: TestService;
let second: TestService;
beforeAll(async () => {
  first = await startTestService({ DIGEST_PERCENT: '100' });
  second = await startTestService({ DIGEST_PERCENT: '100', DATABASE_URL: first.databaseUrl });
  await store(first, 'small', SMALL_CLUSTER);
  const large = [...generateCluster({ ...DEFAULT_SHAPE, nodes: 80, pods: 1_500, seed: 7 })];
  const headers = { 'content-type': 'application/x-ndjson' };
  const path = '/api/v1/clusters/large/snapshots?createCluster=true';
  expect((await first.request('POST', path, [...ndjson(large)].join(''), headers)).status).toBe(201);
});
afterAll(async () => {
  await second.close();
  await first.close();
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 100_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it never came to hold');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const rows = (query: string): Promise<readonly unknown[]> => sql(first.databaseUrl, query);
const digests = (): Promise<readonly unknown[]> =>
  rows('select c.name, d.digest, d.revision from state_digests d join clusters c on c.id = d.cluster_id order by 1, 2');

const loads = async (): Promise<number> =>
  (await metric(first, 'state_load_duration_seconds_count')) +
  (await metric(second, 'state_load_duration_seconds_count'));

describe('what questions about many clusters read', () => {
  it('is kept before anybody asks, once for all replicas, without keeping states in memory', async () => {
    await until(
      async () => (await rows("select from digest_turns where until < now() + interval '6 minutes'")).length === 2,
    );
    expect(await digests()).toEqual(
      ['large', 'small'].flatMap((name) =>
        ['finding-groups', 'findings', 'taints'].map((digest) => ({ name, digest, revision: 1 })),
      ),
    );
    expect(await rows('select revision from state_images where part = 0')).toEqual([{ revision: 1 }]);
    expect(await loads()).toBe(2);
    expect([await metric(first, 'states_loaded '), await metric(second, 'states_loaded ')]).toEqual([0, 0]);
    for (const path of ['/taints', '/findings?perCluster=3&view=groups', '/fleet']) {
      const answer = await second.request('GET', `/api/v1${path}`);
      expect([answer.status, (answer.at('items') as unknown[]).length]).toEqual([200, 2]);
    }
    expect(await loads()).toBe(2);
  });

  it('is what the states say', async () => {
    const kept = await Promise.all(
      ['taints', 'findings'].map((list) => second.request('GET', `/api/v1/clusters/large/${list}`)),
    );
    await second.request('GET', '/api/v1/clusters/large/overview');
    const read = await Promise.all(
      ['taints', 'findings'].map((list) => second.request('GET', `/api/v1/clusters/large/${list}`)),
    );
    expect(kept.map((answer) => answer.at('items'))).toEqual(read.map((answer) => answer.at('items')));
  });

  it('includes an image that retention has removed, though no revision comes', async () => {
    await rows('delete from state_images');
    // As five minutes later.
    await rows('update digest_turns set until = now()');
    await until(async () => (await rows('select from state_images where part = 0')).length === 1);
  });
});
