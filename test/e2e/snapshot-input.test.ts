import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { list, node, pod, send } from '../support/dumps.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { ServiceProcess } from '../support/service-process.js';
import { processorTime } from '../support/processor-time.js';

const run = promisify(execFile);

// The first to need the bundle makes it, on a machine that may be busy with other tests.
jest.setTimeout(120_000);

/** In a separate process, so that its memory does not include that of earlier tests. */
let service: ServiceProcess;
let postgres: TestPostgres;
let mostMemory = 0;
beforeAll(async () => {
  await run('node', ['scripts/build.mjs', '--bundle']);
  postgres = await startTestPostgres();
  service = new ServiceProcess('service', await postgres.createEmptyDatabase());
  await service.run();
});
afterAll(async () => {
  await service.kill();
  await postgres.stop();
});

/** Bytes that the service holds in memory now. */
async function residentBytes(): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(metrics)?.[1]);
}

const CLUSTERS = '/api/v1/clusters';

interface BadSnapshot {
  name: string;
  body?: string | Uint8Array | (() => AsyncIterable<Uint8Array>);
  query?: string;
  headers?: Record<string, string>;
  cluster?: string;
  status: number;
  code: string;
  /** What the problem document must say somewhere. */
  says?: (string | RegExp)[];
}

const DUMP = list([node('a')]);
const labelled = (json: string): string =>
  `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","labels":{"x":"${json}"}}}`;

/** So many bytes of one character, made as they are read. */
async function* many(character: string, bytes: number): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.alloc(1024 * 1024, character);
  for (let sent = 0; sent < bytes; sent += chunk.length) {
    await Promise.resolve();
    yield chunk;
  }
}

const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...Array.from('bcdefghi', (letter, i) => `${letter}: &${letter} [${Array(9).fill(`*${'abcdefghi'[i]!}`).join(',')}]`),
  'apiVersion: v1',
  'kind: Pod',
  'metadata: {name: x}',
].join('\n');

const manyTaints = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value: 'v', effect: 'NoSchedule' }));
const manyTolerations = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ key: `k${index}`, operator: 'Exists' }));
const template = (tolerations: readonly object[]): object => ({
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i' }], tolerations },
});
const deployment = (tolerations: readonly object[]): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: { selector: { matchLabels: { a: 'b' } }, template: template(tolerations) },
});
const largeNode = (labels: number): object =>
  node('large', {
    metadata: {
      name: 'large',
      labels: Object.fromEntries(Array.from({ length: labels }, (_, index) => [`k${index}`, 'v'.repeat(60)])),
    },
  });

const cases: BadSnapshot[] = [
  ...['', '&invalid=keep'].flatMap((query): BadSnapshot[] => [
    {
      name: `a node with 100,000 taints${query}`,
      body: gzipSync(list([node('fine'), node('poison', { spec: { taints: manyTaints(100_000) } })])),
      query,
      status: 422,
      code: 'invalid-object',
      says: ['"name":"poison"', '"field":"spec.taints"', 'must have at most 1000 items'],
    },
    {
      name: `a pod with 1,001 tolerations${query}`,
      body: list([pod('default/poison', 'a', { tolerations: manyTolerations(1001) })]),
      query,
      status: 422,
      code: 'invalid-object',
      says: ['"name":"poison"', '"pointer":"/spec/tolerations"', 'Too many: 1001'],
    },
    {
      name: `a workload whose pods have 1,001 tolerations${query}`,
      body: list([deployment(manyTolerations(1001))]),
      query,
      status: 422,
      code: 'invalid-object',
      says: ['"kind":"Deployment"', '"field":"spec.template.spec.tolerations"'],
    },
    {
      name: `a node that etcd would not store${query}`,
      body: gzipSync(list([node('fine'), largeNode(30_000)])),
      query,
      status: 422,
      code: 'invalid-object',
      says: ['"name":"large"', 'Too long', '1572864 bytes'],
    },
    {
      name: `2 million empty objects in a small gzip${query}`,
      body: gzipSync('{}\n'.repeat(2_000_000)),
      query,
      status: 400,
      code: 'snapshot-limit-exceeded',
      says: ['more than 10000 objects', 'kind'],
    },
  ]),
  {
    name: '2 million objects of a kind that is not kept',
    body: gzipSync('{"apiVersion":"v1","kind":"X"}\n'.repeat(2_000_000)),
    status: 400,
    code: 'snapshot-limit-exceeded',
    says: ['kinds that are not used'],
  },
  {
    name: 'JSON with a fault on its third line',
    body: '{"apiVersion":"v1",\n"kind":"List",\n"items":[{"kind":,}]}',
    status: 400,
    code: 'malformed-json',
    says: ['"line":3'],
  },
  { name: 'JSON followed by something else', body: `${DUMP} nonsense`, status: 400, code: 'malformed-json' },
  { name: 'JSON that stops', body: DUMP.slice(0, -20), status: 400, code: 'body-incomplete', says: ['"line":1'] },
  {
    name: 'YAML with a fault',
    body: 'kind: Node\nmetadata:\n  name: a\n x: [',
    status: 400,
    code: 'malformed-yaml',
    says: [/"line":[345]/],
  },
  { name: 'a YAML alias bomb', body: bomb, status: 400, code: 'snapshot-limit-exceeded', says: ['alias'] },
  {
    name: 'JSON nested 100,000 deep',
    body: '['.repeat(100_000),
    status: 400,
    code: 'not-an-object',
  },
  {
    name: 'a field nested 100,000 deep',
    body: `{"apiVersion":"v1","kind":"Node","spec":${'{"a":'.repeat(100_000)}1`,
    status: 400,
    code: 'snapshot-limit-exceeded',
  },
  { name: 'YAML nested 100,000 deep', body: `a: ${'['.repeat(100_000)}`, status: 400, code: 'snapshot-limit-exceeded' },
  {
    name: 'a gzip bomb',
    body: gzipSync(`{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"${'x'.repeat(1024 * 1024)}"}}\n`.repeat(64)),
    status: 400,
    code: 'snapshot-limit-exceeded',
    says: ['times'],
  },
  {
    name: 'what says gzip and is not',
    body: DUMP,
    headers: { 'content-encoding': 'gzip' },
    status: 400,
    code: 'malformed-gzip',
  },
  { name: 'a gzip stream that stops', body: gzipSync(DUMP).subarray(0, 60), status: 400, code: 'body-incomplete' },
  {
    name: '2 GB of white space',
    body: () => many(' ', 2 * 1024 ** 3),
    status: 400,
    code: 'snapshot-limit-exceeded',
    says: ['white space'],
  },
  {
    name: '2 GB of white space inside a list',
    body: () => concat('{"apiVersion":"v1","kind":"List","items":[', many('\n', 2 * 1024 ** 3)),
    status: 400,
    code: 'snapshot-limit-exceeded',
  },
  {
    name: 'one string of 2 GB',
    body: () => concat('{"apiVersion":"v1","kind":"Node","a":"', many('x', 2 * 1024 ** 3)),
    status: 400,
    code: 'snapshot-limit-exceeded',
  },
  {
    name: 'a picture',
    body: DUMP,
    headers: { 'content-type': 'image/png' },
    status: 415,
    code: 'unsupported-media-type',
    says: ['image/png'],
  },
  { name: 'brotli', body: DUMP, headers: { 'content-encoding': 'br' }, status: 415, code: 'unsupported-media-type' },
  { name: 'UTF-16', body: Buffer.from(DUMP, 'utf16le'), status: 400, code: 'unsupported-text-encoding' },
  {
    name: 'broken UTF-8',
    body: Buffer.from(labelled('\u00e9'), 'latin1'),
    status: 400,
    code: 'unsupported-text-encoding',
  },
  { name: 'nothing', body: '', status: 400, code: 'body-required' },
  { name: 'only separators', body: '---\n---\n# nothing\n', status: 400, code: 'body-required' },
  { name: 'a number', body: '42', status: 400, code: 'not-an-object' },
  {
    name: 'a list of numbers',
    body: '{"apiVersion":"v1","kind":"List","items":[1,2]}',
    status: 400,
    code: 'not-an-object',
    says: ['"column":43'],
  },
  {
    name: 'a NUL in a name',
    body: labelled('\\u0000'),
    status: 422,
    code: 'invalid-object',
    says: ['/metadata/labels/x'],
  },
  {
    name: 'half a surrogate pair',
    body: labelled('\\ud800'),
    status: 422,
    code: 'invalid-object',
    says: ['/metadata/labels/x'],
  },
  {
    name: 'a quantity that is none',
    body: list([node('a', { status: { allocatable: { cpu: '1.5.5', memory: 'NaN' } } })]),
    status: 422,
    code: 'invalid-object',
    says: ['/status/allocatable/cpu', '/status/allocatable/memory'],
  },
  {
    name: 'a negative request',
    body: list([
      pod('default/x', 'a', { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '-1' } } }] }),
    ]),
    status: 422,
    code: 'invalid-object',
    says: ['/spec/containers/0/resources/requests/cpu', 'must be greater than or equal to 0'],
  },
  {
    name: 'a type that Kubernetes does not accept',
    body: list([node('a', { spec: { unschedulable: 'yes' } })]),
    status: 422,
    code: 'invalid-object',
    says: ['/spec/unschedulable'],
  },
  {
    name: 'an object without a name',
    body: list([{ apiVersion: 'v1', kind: 'Node', metadata: {} }]),
    status: 422,
    code: 'invalid-object',
    says: ['/metadata/name'],
  },
  {
    name: 'unknown query parameters',
    body: DUMP,
    query: '&create=true&capturedat=x',
    status: 400,
    code: 'invalid-request',
    says: ['create', 'capturedat'],
  },
  {
    name: 'everything wrong in the query',
    body: DUMP,
    query: '&capturedAt=yesterday&invalid=maybe&backfill=maybe',
    status: 400,
    code: 'invalid-request',
    says: ['capturedAt', 'invalid', 'backfill'],
  },
  {
    name: 'a time in the far future',
    body: DUMP,
    query: '&capturedAt=9999-01-01T00:00:00Z',
    status: 400,
    code: 'invalid-request',
    says: ['capturedAt', 'future'],
  },
  {
    name: 'unknown kinds and impossible namespaces',
    body: DUMP,
    query: '&kinds=Pod,Widget,Secret&namespaces=A_B',
    status: 400,
    code: 'invalid-request',
    says: ['Widget', 'Secret', 'A_B'],
  },
  {
    name: 'a NUL in the source',
    body: DUMP,
    query: '&source=a%00b',
    status: 400,
    code: 'invalid-request',
    says: ['source'],
  },
  {
    name: 'a prototype name as the cluster',
    body: DUMP,
    cluster: '__proto__',
    status: 400,
    code: 'invalid-request',
    says: ['RFC 1123'],
  },
];

async function* concat(start: string, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(start);
  yield* rest;
}

describe('an invalid snapshot is refused', () => {
  it.each(cases)('$name', async ({ body = '', query = '', headers, cluster = 'bad', status, code, says = [] }) => {
    const used = processorTime();
    const bytes = typeof body === 'function' ? body() : body;
    const answer = await send(service, `${CLUSTERS}/${cluster}/snapshots?createCluster=true${query}`, bytes, headers);
    expect(answer.json).toMatchObject({ status, code, requestId: answer.headers.get('x-request-id') });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    for (const words of says) expect(answer.text).toMatch(words);
    mostMemory = Math.max(mostMemory, await residentBytes());
    const found = await fetch(`${service.url}${CLUSTERS}/${cluster}`);
    await found.arrayBuffer();
    expect(found.status).toBe(cluster === 'bad' ? 404 : 400);
    expect(used()).toBeLessThan(30);
  });

  it('and the service is unchanged', async () => {
    expect((await send(service, `${CLUSTERS}/good/snapshots?createCluster=true`, DUMP)).status).toBe(201);
    expect(service.output).not.toMatch(/"level":[56]0/);
    expect(mostMemory).toBeGreaterThan(50e6);
    expect(mostMemory).toBeLessThan(1e9);
  });
});

describe('odd but valid input is accepted', () => {
  it('objects of a kind that is not kept and only in selfLink, which are skipped', async () => {
    const archive = [
      { metadata: { name: 'n1', selfLink: '/api/v1/nodes/n1' }, status: { allocatable: { cpu: '4', pods: '110' } } },
      {
        metadata: {
          name: 'default',
          namespace: 'kube-public',
          selfLink: '/api/v1/namespaces/kube-public/secrets/default',
        },
      },
      { kind: 'Role', metadata: { name: 'r', selfLink: '/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles/r' } },
    ];
    const answer = await send(service, `${CLUSTERS}/sonobuoy/snapshots?createCluster=true`, JSON.stringify(archive));
    expect(answer.status).toBe(201);
    expect(answer.at('report.kept')).toEqual([{ kind: 'Node', count: 1 }]);
    expect(answer.at('report.ignored')).toEqual([
      { apiVersion: 'v1', kind: 'secrets', count: 1 },
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', count: 1 },
    ]);
    const links = JSON.stringify({
      metadata: { selfLink: '/api/v1/endpoints' },
      items: [{ metadata: { name: 'c' } }],
    });
    const untold = await send(service, `${CLUSTERS}/sonobuoy/snapshots`, `${JSON.stringify(archive)}\n${links}`);
    expect(untold.at('report.ignored')).toContainEqual({ apiVersion: 'v1', kind: 'endpoints', count: 1 });
  });

  it("the maximum of taints and tolerations, and an object whose indentation alone exceeds etcd's limit", async () => {
    const objects = [
      node('a', { spec: { taints: manyTaints(1000) } }),
      pod('default/p', 'a', { tolerations: manyTolerations(1000) }),
      deployment(manyTolerations(1000)),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'x'.repeat(2 ** 21) } },
      largeNode(10_000),
    ];
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, null, 100);
    const answer = await send(service, `${CLUSTERS}/much/snapshots?createCluster=true`, body);
    expect(answer.status).toBe(201);
    expect(answer.at('report.kept')).toContainEqual({ kind: 'Node', count: 2 });
  });

  it('extreme quantities, keys of prototypes, 64-bit integers and older versions', async () => {
    const odd = [
      node('a', {
        metadata: { name: 'a', labels: JSON.parse('{"__proto__":"x","constructor":"y"}') as object },
        status: { allocatable: { cpu: '1e400', memory: '1e99999999999' } },
      }),
      { apiVersion: 'node.k8s.io/v1beta1', kind: 'RuntimeClass', metadata: { name: 'r' }, handler: 'h' },
      {
        apiVersion: 'policy/v1beta1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'p', namespace: 'default' },
        spec: {},
      },
    ];
    const text = list(odd).replace(
      '"items":[',
      '"items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","namespace":"n"},"spec":{"tolerations":[{"operator":"Exists","effect":"NoExecute","tolerationSeconds":9007199254740993}],"containers":[{"name":"c","image":"i"}]}},',
    );
    const answer = await send(service, `${CLUSTERS}/odd/snapshots?createCluster=true&invalid=keep`, text);
    expect(answer.status).toBe(201);
    expect(answer.at('report.kept')).toEqual(
      expect.arrayContaining([
        { kind: 'Node', count: 1 },
        { kind: 'RuntimeClass', count: 1 },
        { kind: 'PodDisruptionBudget', count: 1 },
      ]),
    );
    const diff = await send(service, `${CLUSTERS}/odd/snapshots`, text.replace('"__proto__":"x",', ''));
    expect([201, 422]).toContain(diff.status);
  });
});
