import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/followers.js';
import { RandomCluster } from '../support/random-cluster.js';
import { startTestService, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';

const CLUSTER = '/api/v1/clusters/random';
const SEED = 7;
const CHANGES = 8;
/** Revisions that are asked about besides the head. */
const PAST = [1, 4];

const podWith = (spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked', namespace: 'shop', labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1', memory: '1Gi' } } }], ...spec },
});
const apart = { labelSelector: { matchLabels: { app: 'b' } }, topologyKey: 'kubernetes.io/hostname' };
const PODS = [
  podWith({ tolerations: [{ operator: 'Exists' }] }),
  podWith({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } } }),
  podWith({ volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'claim-1' } }], runtimeClassName: 'kata' }),
  podWith({ resourceClaims: [{ name: 'g', resourceClaimName: 'gpu-n0-gpu' }] }),
];
const LISTS = ['/nodes?limit=500', '/pods?limit=500', '/findings?limit=500', '/taints', '/quotas', '/devices'];
const READ = [
  ...LISTS,
  ...['/allocations?limit=500', '/disruption-budgets', '/node-groups', '/node-matrix', '/overhead-costs', '/overview'],
  ...['/pools', '/quota-capacity', '/taint-sets', '/toleration-sets', '/nodes/n2/pods-allowed'],
];
const AS_OF = '2031-01-01T00:00:00Z';
const ASKED: readonly (readonly [question: string, body: object])[] = [
  ...PODS.flatMap((pod): readonly [string, object][] => [
    ['/placements', { pod, view: 'nodes', limit: 500 }],
    ['/placements?rulesVersion=1.31', { pod, newNodes: true }],
    ['/preemptions', { pod }],
    ['/quota-reviews', { items: [{ id: 'one', pod }] }],
  ]),
  ['/capacities', { pod: PODS[0] }],
  ['/eviction-schedules', { asOf: AS_OF, limit: 500 }],
  ['/queue-runs', {}],
  ['/upgrade-reviews', { to: '1.31' }],
];

let writer: TestService;
const services: TestService[] = [];
beforeAll(async () => {
  writer = await start();
});
afterAll(async () => {
  for (const service of services.reverse()) await service.close();
});

async function start(): Promise<TestService> {
  const database = services[0]?.databaseUrl;
  const service = await startTestService({
    RATE_LIMIT: '0',
    ...(database !== undefined && { DATABASE_URL: database }),
  });
  services.push(service);
  return service;
}

/** What differs from request to request. */
const OF_REQUEST = /"(requestId|decisionId|expires)":"[^"]*"|"ageSeconds":[\d.]+/g;

/** What a service says of the cluster, by question. */
async function answers(of: TestService): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const note = (question: string, { status, text }: { readonly status: number; readonly text: string }): void => {
    found.set(question, `${status} ${text.replaceAll(OF_REQUEST, '')}`);
  };
  for (const question of READ) note(question, await of.request('GET', `${CLUSTER}${question}`));
  for (const [question, body] of ASKED) {
    note(`${question} ${JSON.stringify(body)}`, await of.request('POST', `${CLUSTER}${question}`, body));
  }
  for (const revision of PAST) {
    for (const list of LISTS) {
      const question = `${list}${list.includes('?') ? '&' : '?'}revision=${revision}`;
      note(question, await of.request('GET', `${CLUSTER}${question}`));
    }
  }
  return found;
}

/** The questions with other answers, each with the place where they part. */
function differences(of: ReadonlyMap<string, string>, from: ReadonlyMap<string, string>): readonly unknown[] {
  return [...of].flatMap(([question, answer]) => {
    const other = from.get(question)!;
    if (answer === other) return [];
    let at = 0;
    while (answer[at] === other[at]) at++;
    return [[question, answer.slice(Math.max(0, at - 100), at + 100), other.slice(Math.max(0, at - 100), at + 100)]];
  });
}

async function loads(of: TestService): Promise<readonly string[]> {
  const { text } = await of.request('GET', '/metrics');
  return Array.from(text.matchAll(/state_load_duration_seconds_count\{kind="(\w+)"\}/g), ([, kind]) => kind!).sort();
}

describe('a state', () => {
  it('is the same from its image and what has changed since, by deltas, and from its objects', async () => {
    const cluster = new RandomCluster(writer, CLUSTER, SEED);
    await cluster.snapshot();
    await writer.request('GET', `${CLUSTER}/nodes`);
    await until(async () => (await sql(writer.databaseUrl, 'select from state_images')).length > 0);
    for (let change = 0; change < CHANGES; change++) await cluster.change();
    const followed = await answers(writer);
    expect([...followed].filter(([, answer]) => !answer.startsWith('200'))).toEqual([]);
    const fromImage = await start();
    const restored = await answers(fromImage);
    expect(await loads(fromImage)).toContain('image');
    await sql(writer.databaseUrl, 'delete from state_images');
    const fromObjects = await start();
    const loaded = await answers(fromObjects);
    expect(await loads(fromObjects)).not.toContain('image');
    expect(differences(restored, loaded)).toEqual([]);
    expect(differences(followed, loaded)).toEqual([]);
  }, 600_000);
});
