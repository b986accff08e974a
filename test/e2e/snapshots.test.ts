import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { list, node, pod, secretPod, send } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const CLUSTERS = '/api/v1/clusters';
const get = (path: string, headers?: Record<string, string>) =>
  service.request('GET', `${CLUSTERS}/${path}`, undefined, headers);
const post = (path: string, body: string | Uint8Array, headers?: Record<string, string>) =>
  send(service, `${CLUSTERS}/${path}`, body, headers);
const take = (cluster: string, objects: readonly object[], query = '') =>
  post(`${cluster}/snapshots?createCluster=true${query}`, list(objects));

describe('a dump is stored', () => {
  const objects = [node('a'), node('b'), pod('default/web', 'a')];
  const yaml = [
    'apiVersion: v1\nkind: Node\nmetadata: {name: a}',
    'apiVersion: v1\nkind: Node\nmetadata: {name: b}',
  ].join('\n---\n');
  const forms: {
    name: string;
    body: string | Uint8Array;
    headers?: Record<string, string>;
    nodes: number;
    kinds?: string[];
  }[] = [
    { name: 'as a List', body: list(objects), nodes: 2 },
    {
      name: 'as a List that calls itself YAML',
      body: list(objects),
      headers: { 'content-type': 'text/yaml' },
      nodes: 2,
    },
    { name: 'as several Lists', body: list([node('a')]) + list([node('b'), pod('default/web', 'a')]), nodes: 2 },
    {
      name: 'as NDJSON',
      body: objects.map((one) => JSON.stringify(one)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
      nodes: 2,
    },
    {
      name: 'as YAML documents',
      body: yaml,
      headers: { 'content-type': 'application/yaml' },
      nodes: 2,
      kinds: ['Node'],
    },
    {
      name: 'as YAML and JSON after each other',
      body: `${yaml}\n---\n${list([node('c')])}`,
      nodes: 3,
      kinds: ['Node'],
    },
    { name: 'as gzip that says so', body: gzipSync(list(objects)), headers: { 'content-encoding': 'gzip' }, nodes: 2 },
    { name: 'as gzip that does not say so', body: gzipSync(list(objects)), nodes: 2 },
    {
      name: 'as gzipped YAML',
      body: gzipSync(yaml),
      headers: { 'content-type': 'application/gzip' },
      nodes: 2,
      kinds: ['Node'],
    },
  ];
  it.each(forms)('$name', async ({ name, body, headers, nodes, kinds = ['Node', 'Pod'] }) => {
    const cluster = name.toLowerCase().replaceAll(' ', '-');
    const answer = await post(`${cluster}/snapshots?createCluster=true&source=test`, body, headers);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`${CLUSTERS}/${cluster}/snapshots/1`);
    expect(answer.json).toMatchObject({
      basis: { cluster, revision: 1, rulesVersion: 'v1.36.2' },
      revision: 1,
      previous: null,
      clusterCreated: true,
      unchanged: false,
    });
    expect(answer.at('report.kept')).toContainEqual({ kind: 'Node', count: nodes });
    expect((await get(`${cluster}/snapshots/1`)).json).toMatchObject({
      snapshot: { revision: 1, source: 'test', scope: { kinds, namespaces: null } },
      report: { kept: answer.at('report.kept') },
    });
  });

  it.each(['eks-nodes.json', 'openshift-nodes.json', 'minikube-1.35-pods.yaml'])(
    'of a real cluster: %s',
    async (file) => {
      const answer = await post(
        `real-${file.toLowerCase()}/snapshots?createCluster=true`,
        await readFile(`demo/clusters/${file}`),
      );
      expect(answer.status).toBe(201);
      expect(answer.at('report.invalid.count')).toBe(0);
    },
  );

  it('in many small pieces, with Expect: 100-continue', async () => {
    const body = list(objects);
    const text = await raw(service, async (socket) => {
      socket.write(
        `POST ${CLUSTERS}/pieces/snapshots?createCluster=true HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n` +
          'content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n',
      );
      await new Promise((resolve) => socket.once('data', resolve));
      for (const character of body) socket.write(`1\r\n${character}\r\n`);
      socket.write('0\r\n\r\n');
    });
    expect(text).toMatch(/^HTTP\/1.1 100 Continue/);
    expect(text).toContain('HTTP/1.1 201 Created');
  });

  it('only if the cluster exists, or with createCluster', async () => {
    expect((await post('absent/snapshots', list(objects))).json).toMatchObject({
      status: 404,
      code: 'cluster-not-found',
    });
    expect((await get('absent')).status).toBe(404);
    await service.request('PUT', `${CLUSTERS}/present`, { labels: { env: 'prod' } });
    expect((await post('present/snapshots', list(objects))).json).toMatchObject({ clusterCreated: false });
    expect((await get('present')).json).toMatchObject({ labels: { env: 'prod' }, headRevision: 1 });
  });
});

describe('a snapshot after another one', () => {
  it('that changes nothing makes a revision and no new version of any object', async () => {
    const first = await take('same', [node('a'), pod('default/web', 'a')]);
    const again = await take('same', [pod('default/web', 'a'), node('a')]);
    expect(again.json).toMatchObject({ revision: 2, previous: 1, unchanged: true });
    expect(again.at('counts')).toEqual([
      { kind: 'Node', added: 0, changed: 0, removed: 0, unchanged: 1 },
      { kind: 'Pod', added: 0, changed: 0, removed: 0, unchanged: 1 },
    ]);
    expect(first.at('revision')).toBe(1);
    expect(await count(service, "object_versions v join clusters c on c.id = v.cluster_id where c.name = 'same'")).toBe(
      2,
    );
  });

  it('removes objects missing from the kinds that it contains and carries over the other kinds', async () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    };
    await take('scoped', [node('a'), node('b'), pod('one/x', 'a'), pod('two/y', 'b'), deployment]);
    const second = await take('scoped', [node('a'), pod('one/x', 'a')]);
    expect(second.at('counts')).toEqual([
      { kind: 'Deployment', added: 0, changed: 0, removed: 0, unchanged: 1 },
      { kind: 'Node', added: 0, changed: 0, removed: 1, unchanged: 1 },
      { kind: 'Pod', added: 0, changed: 0, removed: 1, unchanged: 1 },
    ]);
    expect((await get('scoped/snapshots/head')).at('snapshot.loadedKinds')).toEqual(['Deployment', 'Node', 'Pod']);

    const oneNamespace = await take('scoped', [pod('two/z', 'a')], '&namespaces=two');
    expect(oneNamespace.at('counts')).toContainEqual({ kind: 'Node', added: 0, changed: 0, removed: 0, unchanged: 1 });
    expect(oneNamespace.at('counts')).toContainEqual({ kind: 'Pod', added: 1, changed: 0, removed: 0, unchanged: 1 });
    expect((await get('scoped/snapshots/head')).at('snapshot.scope')).toEqual({ kinds: ['Pod'], namespaces: ['two'] });

    const noDeployments = await take('scoped', [], '&kinds=deployments').then((answer) => answer.json);
    expect(noDeployments).toMatchObject({
      counts: expect.arrayContaining([{ kind: 'Deployment', added: 0, changed: 0, removed: 1, unchanged: 0 }]),
    });
  });

  it('keeps the version of the cluster if it has no nodes', async () => {
    await take('version', [node('a', { status: { nodeInfo: { kubeletVersion: 'v1.34.1' } } })]);
    const pods = await take('version', [pod('default/x', 'a')], '&kinds=Pod');
    expect(pods.at('basis.kubernetesVersion')).toBe('v1.34.1');
    expect((await get('version/snapshots/head')).at('basis.kubernetesVersion')).toBe('v1.34.1');
  });

  it('that was captured before the head is refused, and stored with backfill', async () => {
    await take('past', [node('a')], '&capturedAt=2026-01-02T00:00:00Z');
    await take('past', [node('a'), node('b')], '&capturedAt=2026-01-04T00:00:00Z');
    const refused = await take('past', [node('c')], '&capturedAt=2026-01-03T00:00:00Z');
    expect(refused.json).toMatchObject({ status: 409, code: 'snapshot-older-than-head' });
    expect((await get('past')).json).toMatchObject({ headRevision: 2 });

    const backfilled = await take('past', [node('c')], '&capturedAt=2026-01-03T00:00:00Z&backfill=true');
    expect(backfilled.json).toMatchObject({ revision: 3, head: 4, previous: 2 });
    for (const [time, revision] of [
      ['2026-01-02T12:00:00Z', 1],
      ['2026-01-03T12:00:00%2B00:00', 3],
      ['2026-01-05T00:00:00Z', 4],
    ] as const) {
      expect((await get(`past/snapshots/${time}`)).at('basis.revision')).toBe(revision);
    }
    expect((await get('past/snapshots/2026-01-01T00:00:00Z')).json).toMatchObject({ status: 404, code: 'no-snapshot' });
    const asOf = await get('past/diff?from=2026-01-03T00:00:00Z&to=2026-01-04T00:00:00Z');
    expect(asOf.json).toMatchObject({
      basis: { revision: 4 },
      from: { revision: 3 },
      summary: { nodes: { added: 2, removed: 1, changed: 0 } },
    });
  });

  it('has an age, and reads with a lower maxAge are refused', async () => {
    const capturedAt = new Date(Date.now() - 3600_000).toISOString();
    await take('aged', [node('a')], `&capturedAt=${capturedAt}`);
    const age = (await get('aged/snapshots/head')).at('basis.ageSeconds');
    expect(age).toBeGreaterThanOrEqual(3600);
    expect(age).toBeLessThan(3700);
    expect((await get('aged/snapshots/head?maxAge=2h')).status).toBe(200);
    const tooOld = await get('aged/snapshots/head?maxAge=30m');
    expect(tooOld.json).toMatchObject({ status: 409, code: 'snapshot-too-old' });
    expect(tooOld.at('detail')).toMatch(/36\d\d s ago/);
  });

  it('is stored after a concurrent one', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => take('busy', [node('a'), node(`n${i}`)])));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(answers.map((answer) => answer.at('revision')).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    const open = await count(
      service,
      "object_versions v join clusters c on c.id = v.cluster_id where c.name = 'busy' and valid_to is null",
    );
    expect(open).toBe(2);
  });

  it('is visible to the next request immediately', async () => {
    for (let i = 1; i <= 20; i++) {
      const taken = await take(
        'fresh',
        Array.from({ length: i }, (_, n) => node(`n${n}`)),
      );
      expect((await get('fresh/snapshots/head')).at('basis.revision')).toBe(taken.at('revision'));
      if (i > 1)
        expect((await get('fresh/diff')).json).toMatchObject({
          basis: { revision: i },
          summary: { nodes: { added: 1, removed: 0, changed: 0 } },
        });
    }
  });
});

describe('an error in a snapshot', () => {
  const badNode = node('bad', {
    spec: {
      taints: [
        { key: 'a b', effect: 'NoSchedule' },
        { key: 'ok', effect: 'Never' },
      ],
    },
  });
  const badPod = pod('default/worse', 'a', { tolerations: [{ key: 'x', operator: 'Exists', value: 'v' }] });

  it('is reported with every field of every object, and nothing is stored', async () => {
    const answer = await take('invalid', [node('fine'), badNode, badPod]);
    expect(answer.json).toMatchObject({ status: 422, code: 'invalid-object' });
    const errors = answer.at('errors') as {
      item: number;
      kind: string;
      name: string;
      namespace?: string;
      pointer: string;
      field: string;
      code: string;
      message: string;
    }[];
    expect(errors.map(({ item, kind, name, pointer }) => [item, kind, name, pointer])).toEqual([
      [1, 'Node', 'bad', '/spec/taints/0/key'],
      [1, 'Node', 'bad', '/spec/taints/1/effect'],
      [2, 'Pod', 'worse', expect.stringMatching(/^\/spec\/tolerations\/0/)],
    ]);
    expect(errors[1]).toMatchObject({
      field: 'spec.taints[1].effect',
      code: 'FieldValueNotSupported',
      message: expect.stringContaining('supported values'),
    });
    expect(answer.at('detail')).toContain('Nothing was stored');
    expect((await get('invalid')).status).toBe(404);
  });

  it('is reported and the object stored with invalid=keep', async () => {
    const answer = await take('kept', [node('fine'), badNode], '&invalid=keep');
    expect(answer.status).toBe(201);
    expect(answer.at('report.invalid.count')).toBe(2);
    expect(answer.at('report.kept')).toEqual([{ kind: 'Node', count: 2 }]);
    expect((await get('kept/snapshots/1')).at('report.invalid.first.0.pointer')).toBe('/spec/taints/0/key');
  });

  it('is distinguished from a warning: duplicates, unused kinds, absent nodes, nodes without status', async () => {
    const answer = await take('reported', [
      node('a', { status: undefined }),
      pod('default/x', 'nowhere'),
      pod('default/x', 'elsewhere'),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'c', namespace: 'default' }, data: { a: 'Yg==' } },
    ]);
    expect(answer.json).toMatchObject({
      report: {
        items: 4,
        ignored: [{ apiVersion: 'v1', kind: 'Secret', count: 1 }],
        duplicates: { count: 1, first: [{ kind: 'Pod', namespace: 'default', name: 'x', item: 2 }] },
      },
    });
    expect((answer.at('report.findings.first') as { code: string }[]).map(({ code }) => code)).toEqual(
      expect.arrayContaining(['pod-on-absent-node', 'node-without-status']),
    );
  });
});

describe('a misspelt field in a snapshot', () => {
  it('is a finding with the nearest known field, also when the revision is read again', async () => {
    const misspelt = pod('default/x', 'a', { tolleration: [{ key: 'gpu' }], shape: 'round' });
    const answer = await take('misspelt', [node('a'), misspelt]);
    const finding = {
      code: 'unknown-field',
      node: null,
      kind: 'Pod',
      field: 'spec.tolleration',
      suggestion: 'tolerations',
      podCount: null,
      pods: [],
      message: 'Pod has no field spec.tolleration, which is not kept: tolerations is the nearest known one',
    };
    expect(answer.status).toBe(201);
    expect(answer.at('report.findings')).toEqual({ count: 1, first: [finding] });
    expect(answer.at('report.unknownFields')).toEqual({ count: 2, first: ['spec.tolleration', 'spec.shape'] });
    const query =
      '{ cluster(name: "misspelt") { snapshot(revision: "1") { report { findings { first { code node kind field suggestion } } } } } }';
    const { node: on, kind, field, suggestion } = finding;
    expect((await get('misspelt/snapshots/1')).at('report.findings.first')).toEqual([finding]);
    expect((await service.graphql(query)).at('data.cluster.snapshot.report.findings.first')).toEqual([
      { code: 'unknown_field', node: on, kind, field, suggestion },
    ]);
  });
});

describe('a client that disconnects', () => {
  it.each([
    {
      name: 'in the middle of a body of known length',
      head: 'content-length: 100000\r\n',
      part: '{"kind":"List","apiVersion":"v1","items":[',
    },
    {
      name: 'in the middle of a chunked body',
      head: 'transfer-encoding: chunked\r\n',
      part: '2a\r\n{"kind":"List","apiVersion":"v1","items":[\r\n',
    },
  ])('$name leaves no data', async ({ head, part }) => {
    await raw(service, (socket) => {
      socket.end(
        `POST ${CLUSTERS}/hung/snapshots?createCluster=true HTTP/1.1\r\nhost: localhost\r\n${head}\r\n${part}`,
      );
    });
    await raw(service, (socket) => {
      socket.write(
        `POST ${CLUSTERS}/hung/snapshots?createCluster=true HTTP/1.1\r\nhost: localhost\r\n${head}\r\n${part}`,
        () => socket.resetAndDestroy(),
      );
    });
    expect((await get('hung')).status).toBe(404);
    expect((await take('after-hang', [node('a')])).status).toBe(201);
  });

  it('after thousands of rows leaves no data, and frees its connection', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) =>
      JSON.stringify(pod(`default/p${i}`, 'a', { schedulerName: 'x'.repeat(1500) })),
    ).join('\n');
    await raw(service, (socket) => {
      socket.write(
        `POST ${CLUSTERS}/hung-late/snapshots?createCluster=true HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999\r\n\r\n`,
      );
      socket.write(rows, () => setImmediate(() => socket.resetAndDestroy()));
    });
    expect((await get('hung-late')).status).toBe(404);
    await until(async () => (await count(service, "pg_stat_activity where state like 'idle in transaction%'")) === 0);
  });
});

describe('revisions', () => {
  it('are listed newest first, page by page, over REST and GraphQL alike', async () => {
    for (let i = 0; i < 5; i++) await take('listed', [node(`n${i}`)]);
    const first = await get('listed/snapshots?limit=2');
    expect(first.json).toMatchObject({ items: [{ revision: 5 }, { revision: 4 }], remainingItemCount: 3 });
    await take('listed', [node('later')]);
    const second = await get(`listed/snapshots?limit=3&continue=${String(first.at('continue'))}`);
    expect(second.json).toMatchObject({
      items: [{ revision: 3 }, { revision: 2 }, { revision: 1 }],
      continue: null,
      remainingItemCount: 0,
    });
    expect((await get(`past/snapshots?continue=${String(first.at('continue'))}`)).at('code')).toBe(
      'invalid-continue-token',
    );

    const below = await get('listed/snapshots?before=4&limit=2&totalCount=true');
    expect(below.json).toMatchObject({
      items: [{ revision: 3 }, { revision: 2 }],
      remainingItemCount: 1,
      totalCount: 3,
    });
    const afterwards = await get(`listed/snapshots?before=4&limit=2&continue=${String(below.at('continue'))}`);
    expect(afterwards.json).toMatchObject({ items: [{ revision: 1 }], continue: null });
    expect((await get('listed/snapshots?before=1')).json).toMatchObject({ items: [], continue: null });
    const none = await get('listed/snapshots?before=0');
    expect([none.status, none.at('errors.0.field')]).toEqual([400, 'before']);
    const inGraphql = await service.graphql(
      '{ cluster(name: "listed") { snapshots(first: 1, before: 3) { totalCount nodes { revision } } } }',
    );
    expect(inGraphql.at('data.cluster.snapshots')).toEqual({ totalCount: 2, nodes: [{ revision: 2 }] });

    const query =
      'query($after: String) { cluster(name: "listed") { snapshots(first: 2, after: $after) { totalCount nodes { revision counts { kind added } } pageInfo { hasNextPage endCursor } } snapshot(revision: "2") { basis { revision } report { kept { kind count } } } diff(from: "1", to: "2") { summary { nodes { added removed } } nodes(first: 1) { totalCount nodes { node change } pageInfo { hasNextPage } } workloads { totalCount } } } }';
    const page = await service.graphql(query);
    expect(page.json).toMatchObject({
      data: {
        cluster: {
          snapshots: { totalCount: 6, nodes: [{ revision: 6 }, { revision: 5 }], pageInfo: { hasNextPage: true } },
          snapshot: { basis: { revision: 2 }, report: { kept: [{ kind: 'Node', count: 1 }] } },
          diff: {
            summary: { nodes: { added: 1, removed: 1 } },
            nodes: { totalCount: 2, nodes: [{ node: 'n0', change: 'removed' }], pageInfo: { hasNextPage: true } },
            workloads: { totalCount: 0 },
          },
        },
      },
    });
    const next = await service.graphql(query, { after: page.at('data.cluster.snapshots.pageInfo.endCursor') });
    expect(next.at('data.cluster.snapshots.nodes.0.revision')).toBe(4);
  });

  it('give responses an ETag, and 304 to a client that has it', async () => {
    await take('tagged', [node('a')]);
    await take('tagged', [node('b')]);
    for (const path of ['tagged/snapshots/1', 'tagged/snapshots/head', 'tagged/diff', 'tagged/diff?from=2&to=1']) {
      const etag = (await get(path)).headers.get('etag')!;
      expect(etag).toMatch(/^W\//);
      expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
    }
    const head = (await get('tagged/snapshots/head')).headers.get('etag')!;
    await take('tagged', [node('c')]);
    expect((await get('tagged/snapshots/head', { 'if-none-match': head })).status).toBe(200);
  });

  it.each([
    { path: 'tagged/snapshots/99', status: 404, code: 'revision-not-found', says: 'future' },
    { path: 'tagged/snapshots/99999999999', status: 400, code: 'invalid-request', says: 'revision' },
    { path: 'tagged/snapshots/0', status: 400, code: 'invalid-request', says: 'revision' },
    { path: 'tagged/snapshots/__proto__', status: 400, code: 'invalid-request', says: 'revision' },
    { path: 'none/snapshots/1', status: 404, code: 'cluster-not-found', says: 'none' },
    { path: 'none/snapshots', status: 404, code: 'cluster-not-found', says: 'none' },
    { path: 'tagged/diff?from=x', status: 400, code: 'invalid-request', says: 'from' },
    { path: 'tagged/diff?to=1', status: 404, code: 'revision-not-found', says: 'first' },
    { path: 'tagged/diff?since=1', status: 400, code: 'invalid-request', says: 'since' },
    { path: 'tagged/diff?maxAge=1y', status: 400, code: 'invalid-request', says: 'maxAge' },
    { path: 'tagged/diff?continue=abc', status: 400, code: 'invalid-continue-token', says: 'continue' },
  ])('$path is $status $code', async ({ path, status, code, says }) => {
    const answer = await get(path);
    expect(answer.json).toMatchObject({ status, code });
    expect(answer.text).toContain(says);
  });

  it('are compared node by node and workload by workload, page by page, on the state of the first page', async () => {
    const owned = (name: string, on: string) => pod(`shop/${name}`, on, {}, { kind: 'StatefulSet', name: 'db' });
    await take('compared', [node('a'), node('b'), owned('db-0', 'a'), owned('db-1', 'a')]);
    await take('compared', [
      node('a', { spec: { unschedulable: true, taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } }),
      node('c'),
      owned('db-0', 'c'),
      owned('db-2', 'c'),
    ]);
    const whole = await get('compared/diff');
    expect(whole.json).toMatchObject({
      from: { revision: 1 },
      summary: {
        nodes: { added: 1, removed: 1, changed: 1 },
        pods: { before: 2, after: 2, added: 1, removed: 1, moved: 1 },
        workloads: 1,
      },
      nodes: [
        { node: 'a', taintsAdded: ['k=v:NoSchedule'], cordoned: { before: false, after: true } },
        { node: 'b', change: 'removed' },
        { node: 'c', change: 'added' },
      ],
      workloads: [{ kind: 'StatefulSet', namespace: 'shop', name: 'db', added: 1, removed: 1, moved: 1 }],
      continue: null,
    });
    const first = await get('compared/diff?limit=2');
    expect(first.json).toMatchObject({ nodes: [{ node: 'a' }, { node: 'b' }], workloads: [], remainingItemCount: 2 });
    await take('compared', [node('z')]);
    const second = await get(`compared/diff?limit=2&continue=${String(first.at('continue'))}`);
    expect(second.json).toMatchObject({
      basis: { revision: 2 },
      nodes: [{ node: 'c' }],
      workloads: [{ name: 'db' }],
      continue: null,
    });
    const back = await get('compared/diff?from=2&to=1');
    expect(back.json).toMatchObject({
      nodes: [
        { node: 'a', taintsRemoved: ['k=v:NoSchedule'] },
        { node: 'b', change: 'added' },
        { node: 'c', change: 'removed' },
      ],
    });
  });

  describe('with other tolerations, quotas and budgets', () => {
    const gpu = { key: 'gpu', operator: 'Exists' };
    const deployment = (tolerations: object[]) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }], tolerations } } },
    });
    const quota = (name: string, hard: object) => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name, namespace: 'shop' },
      spec: { hard },
    });
    const budget = (name: string, spec: object) => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace: 'shop' },
      spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    });
    const whole = {
      summary: {
        workloads: 0,
        tolerations: 2,
        quotas: 3,
        budgets: 3,
      },
      tolerations: [
        {
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          field: 'spec.template.spec.tolerations',
          pods: null,
          before: [],
          after: [{ key: 'gpu', text: 'gpu Exists, every effect' }],
        },
        {
          kind: 'Pod',
          namespace: 'shop',
          name: 'lone',
          field: 'spec.tolerations',
          pods: 1,
          before: [],
          after: [{ key: 'gpu' }],
        },
      ],
      quotas: [
        { namespace: 'shop', name: 'come', change: 'added', hard: [{ name: 'pods', before: null, after: '1' }] },
        { name: 'gone', change: 'removed', hard: [{ name: 'pods', before: '1', after: null }] },
        { name: 'kept', change: 'changed', hard: [{ name: 'cpu', before: '1', after: '1500m' }] },
      ],
      budgets: [
        { namespace: 'shop', name: 'come', change: 'added', maxUnavailable: { before: null, after: '0' } },
        { name: 'gone', change: 'removed', minAvailable: { before: '1', after: null } },
        {
          name: 'kept',
          change: 'changed',
          minAvailable: { before: '1', after: '50%' },
          maxUnavailable: null,
          selector: null,
          unhealthyPodEvictionPolicy: { before: 'IfHealthyBudget', after: 'AlwaysAllow' },
        },
      ],
    };

    beforeAll(async () => {
      const before = await take('changed', [
        node('a'),
        pod('shop/lone', 'a'),
        deployment([]),
        quota('gone', { pods: '1' }),
        quota('kept', { cpu: '1', memory: '1Gi' }),
        budget('gone', { minAvailable: 1 }),
        budget('kept', { minAvailable: 1 }),
      ]);
      const after = await take('changed', [
        node('a'),
        pod('shop/lone', 'a', { tolerations: [gpu] }),
        deployment([gpu]),
        quota('come', { pods: '1' }),
        quota('kept', { cpu: '1500m', memory: '1024Mi' }),
        budget('come', { maxUnavailable: 0 }),
        budget('kept', { minAvailable: '50%', unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
      ]);
      expect([before.status, after.status]).toEqual([201, 201]);
    });

    it('name them before and after', async () => {
      expect((await get('changed/diff')).json).toMatchObject({ ...whole, nodes: [], workloads: [], continue: null });
    });

    it('have them on as many pages as the limit needs, each once and in order', async () => {
      const paged: Record<string, unknown[]> = { tolerations: [], quotas: [], budgets: [] };
      let page = await get('changed/diff?limit=3');
      const remaining = [page.at('remainingItemCount')];
      for (; ; page = await get(`changed/diff?limit=3&continue=${String(page.at('continue'))}`)) {
        for (const [name, items] of Object.entries(paged)) items.push(...(page.at(name) as unknown[]));
        remaining.push(page.at('remainingItemCount'));
        if (page.at('continue') === null) break;
      }
      const { summary, ...lists } = whole;
      expect(paged).toMatchObject(lists);
      expect(page.json).toMatchObject({ summary });
      expect(remaining).toEqual([5, 5, 2, 0]);
    });

    it('have the same over GraphQL, where each list has its own pages', async () => {
      const query = `query($after: String) { cluster(name: "changed") { diff {
        summary { tolerations quotas budgets }
        tolerations(first: 1, after: $after) {
          totalCount pageInfo { endCursor } nodes { kind field pods before { key } after { key text } }
        }
        quotas { nodes { namespace name change hard { name before after } scopesAdded scopesRemoved } }
        budgets(first: 2) {
          totalCount
          nodes { namespace name change minAvailable { before after } selector { before after } }
        }
      } } }`;
      const answer = await service.graphql(query);
      const { tolerations, quotas, budgets } = whole.summary;
      expect(answer.at('data.cluster.diff')).toMatchObject({
        summary: { tolerations, quotas, budgets },
        tolerations: {
          totalCount: 2,
          nodes: [{ kind: 'Deployment', pods: null, before: [], after: [{ key: 'gpu' }] }],
        },
        quotas: { nodes: whole.quotas },
        budgets: {
          totalCount: 3,
          nodes: [
            { name: 'come', change: 'added', selector: { before: null, after: 'app=web' } },
            { name: 'gone', minAvailable: { before: '1', after: null } },
          ],
        },
      });
      const next = await service.graphql(query, {
        after: answer.at('data.cluster.diff.tolerations.pageInfo.endCursor'),
      });
      expect(next.at('data.cluster.diff.tolerations.nodes')).toEqual([
        { kind: 'Pod', field: 'spec.tolerations', pods: 1, before: [], after: [whole.tolerations[0]!.after[0]] },
      ]);
    });

    it('have null counts for kinds that one of the revisions does not contain', async () => {
      await take('partly', [node('a'), budget('kept', { minAvailable: 1 })]);
      await take('partly', [node('a'), quota('come', { pods: '1' }), budget('kept', { minAvailable: 2 })]);
      expect((await get('partly/diff')).json).toMatchObject({
        summary: { quotas: null, budgets: 1 },
        quotas: [],
        budgets: [{ name: 'kept' }],
      });
    });
  });

  it('that are old are removed, and not by a dry run', async () => {
    for (let i = 0; i < 5; i++) await take('pruned', [node('same'), node(`n${i}`)]);
    const retention = `${CLUSTERS}/pruned/retention`;
    const dry = await service.request('POST', retention, { keepRevisions: 2, dryRun: true });
    expect(dry.json).toEqual({ cluster: 'pruned', dryRun: true, revisions: 3, objectVersions: 3, oldestRevision: 4 });
    expect((await get('pruned/snapshots')).at('items.length')).toBe(5);
    const done = await service.request('POST', retention, { keepRevisions: 2 });
    expect(done.json).toEqual({ cluster: 'pruned', dryRun: false, revisions: 3, objectVersions: 3, oldestRevision: 4 });
    expect((await get('pruned/snapshots/3')).json).toMatchObject({ status: 404, code: 'revision-not-found' });
    expect((await get('pruned/diff?from=4')).at('summary.nodes')).toEqual({ added: 1, removed: 1, changed: 0 });
    const byAge = await service.graphql(
      'mutation { applyRetention(input: { cluster: "pruned", maxAge: "0s" }) { revisions oldestRevision } }',
    );
    expect(byAge.at('data.applyRetention')).toEqual({ revisions: 1, oldestRevision: 5 });
    expect((await service.request('POST', retention, {})).json).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(
      (await service.request('POST', retention, { keepRevisions: 0, maxAge: '1y' })).at('errors.length'),
    ).toBeGreaterThan(0);
    expect((await service.request('POST', `${CLUSTERS}/none/retention`, { keepRevisions: 1 })).status).toBe(404);
  });
});

describe('a small snapshot over GraphQL', () => {
  const mutation =
    'mutation($input: TakeSnapshotInput!) { takeSnapshot(input: $input) { revision unchanged clusterCreated basis { cluster } report { kept { kind count } } } }';
  it.each([
    { name: 'as objects', part: { manifests: [node('a'), pod('default/x', 'a')] } },
    { name: 'as a List', part: { manifests: JSON.parse(list([node('a'), pod('default/x', 'a')])) as object } },
    {
      name: 'as text',
      part: { text: `apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n${JSON.stringify(pod('default/x', 'a'))}` },
    },
  ])('$name', async ({ name, part }) => {
    const cluster = `graphql-${name.replaceAll(' ', '-').toLowerCase()}`;
    const answer = await service.graphql(mutation, { input: { cluster, createCluster: true, ...part } });
    expect(answer.at('data.takeSnapshot')).toEqual({
      revision: 1,
      unchanged: false,
      clusterCreated: true,
      basis: { cluster },
      report: {
        kept: [
          { kind: 'Node', count: 1 },
          { kind: 'Pod', count: 1 },
        ],
      },
    });
  });

  it.each([
    { name: 'neither manifests nor text', input: {}, code: 'invalid-request' },
    { name: 'both', input: { manifests: [], text: 'a' }, code: 'invalid-request' },
    {
      name: 'an invalid node',
      input: { manifests: [node('bad', { spec: { taints: [{ key: '', effect: 'x' }] } })] },
      code: 'invalid-object',
    },
    { name: 'no object', input: { manifests: [1] }, code: 'not-an-object' },
  ])('is refused: $name', async ({ input, code }) => {
    const answer = await service.graphql(mutation, {
      input: { cluster: 'graphql-bad', createCluster: true, ...input },
    });
    expect(answer.at('errors.0.extensions.code')).toBe(code);
    expect((await get('graphql-bad')).status).toBe(404);
  });
});

describe('a secret', () => {
  it('in an environment variable, argument, command, annotation, volume or managed field is neither stored nor logged', async () => {
    const marker = 'hunter2-very-secret';
    const pods = [secretPod(marker), { ...secretPod(marker), apiVersion: 'v1' }];
    expect((await take('secret', [node('a'), ...pods])).status).toBe(201);
    const invalid = {
      ...secretPod(marker),
      spec: {
        ...secretPod(marker).spec,
        tolerations: [{ operator: 'Near' }],
        containers: [{ name: 'c', image: 'i', env: [{ name: 'P', value: { nested: marker } }], args: marker }],
      },
    };
    expect((await take('secret', [invalid], '&invalid=keep')).status).toBe(201);
    expect((await take('secret', [invalid])).status).toBe(422);
    const text = await dump(service);
    expect(text).toContain('"name":"with-secrets"');
    expect(text.match(/.{80}hunter2.{80}/gs) ?? []).toEqual([]);
    expect(service.logLines()).not.toContain(marker);
  });
});

describe('metrics', () => {
  it('count snapshots and objects, states and the age of each cluster', async () => {
    await take('measured', [node('a')]);
    const { text } = await service.request('GET', '/metrics');
    expect(text).toMatch(/kube_placement_snapshots_total\{outcome="committed"\} \d+/);
    expect(text).toMatch(/kube_placement_snapshots_total\{outcome="refused"\} \d+/);
    expect(text).toMatch(/kube_placement_ingested_objects_total\{outcome="kept"\} \d+/);
    expect(text).toMatch(/kube_placement_states_loaded [1-9]/);
    expect(text).toMatch(/kube_placement_state_load_duration_seconds_count\{kind="delta"\} [1-9]/);
    expect(text).toMatch(/kube_placement_snapshot_age_seconds\{cluster="measured"\} \d/);
  });
});

/** Sends raw HTTP; resolves with everything received once the connection is closed. */
function raw(to: TestService, talk: (socket: Socket) => void | Promise<void>): Promise<string> {
  const { hostname, port } = new URL(to.url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => void talk(socket));
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => undefined).on('close', () => resolve(text));
  });
}

async function query<Row extends object>(of: TestService, sql: string): Promise<Row[]> {
  const client = new pg.Client(of.databaseUrl);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function count(of: TestService, rows: string): Promise<number> {
  const [row] = await query<{ count: number }>(of, `select count(*)::integer as count from ${rows}`);
  return row!.count;
}

/** Every row of every table, as text. */
async function dump(of: TestService): Promise<string> {
  const tables = await query<{ name: string }>(
    of,
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  );
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['clusters', 'revisions', 'object_versions']));
  const parts = await Promise.all(
    tables.map(({ name }) => query<{ text: string }>(of, `select t::text as text from ${name} t`)),
  );
  return parts
    .flat()
    .map(({ text }) => text)
    .join('\n')
    .replaceAll('""', '"');
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await holds())) if (Date.now() > end) throw new Error('it never came to hold');
}
