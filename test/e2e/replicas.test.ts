import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SHAPE } from '../../bench/generator/cluster-shape.js';
import { ndjson } from '../../bench/generator/dump.js';
import { generateCluster } from '../../bench/generator/generate-cluster.js';
import { CLUSTERS_FOLDER, DEMO_CLUSTERS } from '../../demo/demo-clusters.js';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER } from '../support/small-cluster.js';
import { sql } from '../support/sql.js';

const tokens = { open: newToken(), withheld: newToken() };
type Token = keyof typeof tokens;
const BINDINGS = [
  { subjects: ['token:open'], clusters: ['*'], roles: ['admin'] },
  { subjects: ['token:withheld'], clusters: ['*'], roles: ['read', 'evaluate'], taintValues: false },
];

/** Two services on one database. */
let one: TestService;
let other: TestService;
let folder: string;
let authFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replicas-'));
  authFile = join(folder, 'auth.json');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  await writeFile(authFile, JSON.stringify({ tokens: entries, bindings: BINDINGS }));
  one = await start({});
  other = await start({ DATABASE_URL: one.databaseUrl });
});
afterAll(async () => {
  await other.close();
  await one.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(settings: Record<string, string>): Promise<TestService> {
  const service = await startTestService({ AUTH_FILE: authFile, RATE_LIMIT: '0', ...settings });
  return as('open', service);
}

function as(token: Token, service: TestService): TestService {
  const authorization = `Bearer ${tokens[token]}`;
  const request: TestService['request'] = (method, path, body, headers) =>
    service.request(method, path, body, { authorization, ...headers });
  return {
    ...service,
    request,
    graphql: (query, variables) => request('POST', '/graphql', { query, ...(variables && { variables }) }),
  };
}

const CLUSTERS = '/api/v1/clusters';
const head = (of: TestService, cluster: string) => of.request('GET', `${CLUSTERS}/${cluster}/snapshots/head`);
const take = (by: TestService, cluster: string, ...names: string[]) =>
  store(
    by,
    cluster,
    names.map((name) => node(name)),
  );

async function store(by: TestService, cluster: string, objects: readonly object[], query = ''): Promise<void> {
  await snapshot(by, cluster, list(objects), 'application/json', query);
}

async function snapshot(by: TestService, cluster: string, body: string, type: string, query = ''): Promise<void> {
  const path = `${CLUSTERS}/${cluster}/snapshots?createCluster=true${query}`;
  const { status, text } = await by.request('POST', path, body, { 'content-type': type });
  if (status !== 201) throw new Error(text);
}

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
    const third = await start({ DATABASE_URL: one.databaseUrl, RETENTION_MAX_REVISIONS: '2' });
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

describe('taints and findings that are kept with a revision', () => {
  const FLEET = ['demo-eks', 'demo-openshift', 'demo-minikube', 'small', 'made'];
  const QUERIES = [
    '/taints',
    '/taints?perCluster=1',
    '/findings',
    '/findings?view=findings',
    '/findings?severity=warning',
    '/findings?severity=error',
    '/findings?code=unmatched-toleration&perCluster=2',
    '/findings?namespace=t',
    '/findings?view=findings&perCluster=3&severity=info',
    ...FLEET.flatMap((name) => [
      `/clusters/${name}/taints`,
      `/clusters/${name}/findings`,
      `/clusters/${name}/findings?limit=1`,
      `/clusters/${name}/findings?view=findings`,
      `/clusters/${name}/findings?intents=exclude&severity=info`,
    ]),
  ];
  const GRAPHQL =
    '{ clusters { edges { node { name taints(first: 2) { edges { node { key values taints { taint { text } } } } } ' +
    'findings(first: 2) { counts { info } edges { node { message } } groups(first: 2) { edges { cursor node { message } } } } } } } }';

  /** The answers to all questions, without what differs from request to request. */
  async function answers(of: TestService, isComputed = false): Promise<string[]> {
    const texts: string[] = [];
    for (const query of QUERIES) {
      if (isComputed) await sql(one.databaseUrl, 'delete from state_digests');
      const answer = await of.request('GET', `/api/v1${query}`);
      expect({ query, status: answer.status }).toEqual({ query, status: 200 });
      texts.push(answer.text);
    }
    const { text } = await of.graphql(GRAPHQL);
    return [...texts, text].map((each) => each.replaceAll(/"(decisionId":"[^"]*|ageSeconds":\d+)/g, ''));
  }

  const loads = async (of: TestService): Promise<number> => {
    const { text } = await of.request('GET', '/metrics');
    const counts = text.matchAll(/state_load_duration_seconds_count\{kind="(?:full|image)"\} (\d+)/g);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };

  it('are the same without the state as with it, also where values are withheld', async () => {
    for (const { name, files, contentType } of DEMO_CLUSTERS.filter(({ name }) => FLEET.includes(name))) {
      const parts = await Promise.all(files.map((file) => readFile(join(CLUSTERS_FOLDER, file), 'utf8')));
      const body = parts.join(contentType === 'application/yaml' ? '\n---\n' : '\n');
      await snapshot(one, name, body, contentType);
    }
    await store(one, 'small', SMALL_CLUSTER);
    const made = [...generateCluster({ ...DEFAULT_SHAPE, nodes: 12, pods: 150, seed: 3 })];
    await snapshot(one, 'made', [...ndjson(made)].join(''), 'application/x-ndjson');

    const former = await loads(other);
    await answers(one);
    await sql(one.databaseUrl, 'create table kept as select * from state_digests');
    const computed = { open: await answers(one, true), withheld: await answers(as('withheld', one), true) };
    await sql(one.databaseUrl, 'insert into state_digests select * from kept on conflict do nothing; drop table kept');
    const kept = { open: await answers(other), withheld: await answers(as('withheld', other)) };
    for (const token of ['open', 'withheld'] as const) {
      const differing = [...QUERIES, GRAPHQL].filter((_, at) => kept[token][at] !== computed[token][at]);
      expect({ token, differing }).toEqual({ token, differing: [] });
    }
    expect(computed.open.at(-1)).toContain('groups');
    expect(await loads(other)).toBe(former);
    expect(kept.open.join()).toContain('a100');
    expect(kept.withheld.join()).not.toContain('a100');
  });

  it('are kept when the fleet is counted', async () => {
    await store(one, 'counted', SMALL_CLUSTER);
    const fleet = await one.request('GET', '/api/v1/fleet?name=counted&compute=1');
    expect(fleet.at('sums.uncounted')).toBe(0);
    const former = await loads(other);
    const taints = await other.request('GET', `${CLUSTERS}/counted/taints`);
    const findings = await other.request('GET', `${CLUSTERS}/counted/findings`);
    expect(taints.at('items.0.nodes')).toBe(3);
    expect(findings.at('counts')).toEqual(fleet.at('items.0.figures.findings'));
    expect(await loads(other)).toBe(former);
  });

  it('are those of the head, not of the revision that they were kept with', async () => {
    const inventory = async (of: TestService): Promise<unknown> =>
      (await of.request('GET', `${CLUSTERS}/small/taints`)).at('items.0.nodes');
    expect(await inventory(other)).toBe(3);
    await store(one, 'small', SMALL_CLUSTER.slice(1), '&allowRemovals=true');
    await until(async () => (await head(other, 'small')).at('basis.revision') === 2);
    await store(one, 'small', [SMALL_CLUSTER[0]!, ...SMALL_CLUSTER.slice(2)], '&allowRemovals=true');
    await until(async () => (await head(other, 'small')).at('basis.revision') === 3);
    expect(await inventory(other)).toBe(2);
    expect((await other.request('GET', `${CLUSTERS}/small/taints?revision=1`)).at('items.0.nodes')).toBe(3);
  });

  it('are computed anew where another version of the service kept them', async () => {
    await sql(one.databaseUrl, `update state_digests set version = 'former', content = '\\x00', head = '{}'`);
    const answer = await other.request('GET', `${CLUSTERS}/demo-eks/findings`);
    expect(answer.status).toBe(200);
    const versions = await sql<{ version: string }>(
      one.databaseUrl,
      `select version from state_digests d join clusters c on c.id = d.cluster_id
       where c.name = 'demo-eks' and digest in ('findings', 'finding-groups')`,
    );
    expect(versions.map(({ version }) => version)).not.toContain('former');
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await holds())) if (Date.now() > end) throw new Error('it never came to hold');
}
