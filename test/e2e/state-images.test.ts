import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEFAULT_SHAPE } from '../../bench/generator/cluster-shape.js';
import { ndjson } from '../../bench/generator/dump.js';
import { generateCluster } from '../../bench/generator/generate-cluster.js';
import { node, pod } from '../support/dumps.js';
import { until } from '../support/followers.js';
import { startTestService, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';

const CLUSTER = '/api/v1/clusters/large';
/** Tolerates and asks enough to be refused by some nodes for each of several reasons. */
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked', labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '3', memory: '2Gi' } } }] },
};
const QUESTIONS = ['/nodes?limit=500', '/pods?limit=500', '/taints', '/findings', '/quotas', '/devices'];

let first: TestService;
const services: TestService[] = [];
beforeAll(async () => {
  first = await start();
  const made = [...generateCluster({ ...DEFAULT_SHAPE, nodes: 80, pods: 1_500, seed: 7 })];
  const stored = await first.request('POST', `${CLUSTER}/snapshots?createCluster=true`, [...ndjson(made)].join(''), {
    'content-type': 'application/x-ndjson',
  });
  expect(stored.status).toBe(201);
});
afterAll(async () => {
  for (const service of services.reverse()) await service.close();
});

async function start(): Promise<TestService> {
  const database = services[0]?.databaseUrl;
  const service = await startTestService({
    RATE_LIMIT: '0',
    // All of them keep their connections to one Postgres.
    DATABASE_POOL_SIZE: '4',
    ...(database !== undefined && { DATABASE_URL: database }),
  });
  services.push(service);
  return service;
}

/** What a service says of the cluster, without what differs from request to request. */
async function answers(of: TestService): Promise<readonly string[]> {
  const asked = await Promise.all([
    ...QUESTIONS.map((question) => of.request('GET', `${CLUSTER}${question}`)),
    of.request('POST', `${CLUSTER}/eviction-schedules`, { asOf: '2030-01-01T00:00:00Z' }),
    of.request('POST', `${CLUSTER}/placements`, { pod: POD, view: 'nodes', limit: 500 }),
    of.request('POST', `${CLUSTER}/placements?rulesVersion=1.31`, { pod: POD }),
  ]);
  expect(asked.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
  return asked.map(({ text }): string => text.replaceAll(/"(decisionId|expires)":"[^"]*"|"ageSeconds":\d+/g, ''));
}

async function loads(of: TestService): Promise<Readonly<Record<string, number>>> {
  const { text } = await of.request('GET', '/metrics');
  const found = text.matchAll(/state_load_duration_seconds_count\{kind="(\w+)"\} (\d+)/g);
  return Object.fromEntries(Array.from(found, ([, kind = '', count]) => [kind, Number(count)] as const));
}

const stored = (): Promise<readonly { readonly revision: number; readonly parts: number }[]> =>
  sql(first.databaseUrl, 'select max(revision) as revision, count(*)::integer as parts from state_images');
const isStored = async (revision: number): Promise<boolean> => (await stored())[0]?.revision === revision;

describe('a state', () => {
  it('is restored by another process from its image, and is the same', async () => {
    const loaded = await answers(first);
    expect(await loads(first)).toMatchObject({ full: 1 });
    await until(() => isStored(1));
    const second = await start();
    expect(await answers(second)).toEqual(loaded);
    expect(await loads(second)).toMatchObject({ image: 1 });
    expect((await loads(second))['full']).toBeUndefined();
  });

  it('is restored from the image of an earlier revision, with what has changed since', async () => {
    const changed = await first.request('POST', `${CLUSTER}/deltas`, {
      stream: 's',
      sequence: 1,
      upserts: [node('added'), pod('default/asker', 'added')],
    });
    expect(changed.status).toBe(200);
    const list = await first.request('GET', `${CLUSTER}/nodes?limit=1`);
    const tainted = await first.request('POST', `${CLUSTER}/taint-changes`, {
      reason: 'a test',
      nodes: [list.at('items.0.name')],
      taints: ['drain=now:NoExecute'],
    });
    expect(tainted.status).toBe(201);
    const loaded = await answers(first);
    const third = await start();
    expect(await answers(third)).toEqual(loaded);
    expect(await loads(third)).toMatchObject({ image: 1 });
    expect(await isStored(1)).toBe(true);
  });

  it.each<[string, string]>([
    ['is damaged', `update state_images set content = substring(content for 20) where part = 1`],
    ['is not complete', `delete from state_images where part = 2`],
  ])('is loaded from its objects where its image %s, and its image is made anew', async (_, damage) => {
    const loaded = await answers(first);
    await sql(first.databaseUrl, damage);
    const other = await start();
    expect(await answers(other)).toEqual(loaded);
    expect(await loads(other)).toMatchObject({ full: 1 });
    expect(other.logLines()).toContain('the image of a state could not be read or kept');
    await until(() => isStored(3));
    const next = await start();
    expect(await answers(next)).toEqual(loaded);
    expect((await loads(next))['full']).toBeUndefined();
  });

  it('leaves no image when its revision is removed, or its cluster', async () => {
    await first.request('PUT', `${CLUSTER}/decision-retention`, { maxAge: '1d' });
    const { json } = await first.request('POST', `${CLUSTER}/retention`, { keepRevisions: 1 });
    expect(json).toMatchObject({ oldestRevision: 4 });
    expect(await stored()).toEqual([{ revision: null, parts: 0 }]);
    const other = await start();
    await answers(other);
    await until(() => isStored(4));
    await first.request('DELETE', CLUSTER);
    expect(await stored()).toEqual([{ revision: null, parts: 0 }]);
  });
});
