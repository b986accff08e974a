import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { inChunks, read } from '../../test/support/snapshot-reading.js';
import type { ObjectRow } from '../core/cluster/object-row.js';
import { readSnapshot } from './read-snapshot.js';

const pod = (name: string, extra: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
  ...extra,
});
const node = (name: string, kubeletVersion = 'v1.35.1'): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { nodeInfo: { kubeletVersion } },
});
const list = (...items: object[]): object => ({ apiVersion: 'v1', kind: 'List', items, metadata: {} });
const json = (value: unknown): string => JSON.stringify(value);
const names = (rows: readonly ObjectRow[]): string[] => rows.map((row) => `${row.kind} ${row.name}`);
const bare = (name: string): object => ({ metadata: { name } });

const POD_YAML = `apiVersion: v1
kind: Pod
metadata:
  name: a
  namespace: shop
spec:
  containers:
  - name: c
    image: i
`;
const LIST_YAML = `apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: a
    annotations:
      text: |
        items:
        - not an item

        # not a comment
- apiVersion: v1
  kind: Node
  metadata:
    name: b
kind: List
metadata:
  resourceVersion: ""
`;

describe('the forms of a snapshot', () => {
  it.each<[string, string, string[]]>([
    ['a List', json(list(pod('a'), node('b'))), ['Pod a', 'Node b']],
    ['an indented List', JSON.stringify(list(pod('a'), node('b')), null, 4), ['Pod a', 'Node b']],
    ['an empty list of a kind', json({ kind: 'PodList', apiVersion: 'v1', items: [] }), []],
    ['a list whose items are null', json({ kind: 'PodList', apiVersion: 'v1', items: null }), []],
    ['a single object', json(pod('a')), ['Pod a']],
    ['an array', json([pod('a'), node('b')]), ['Pod a', 'Node b']],
    ['NDJSON', `${json(pod('a'))}\n${json(list(node('b')))}\n\n${json(pod('c'))}\n`, ['Pod a', 'Node b', 'Pod c']],
    ['lists one after another without space', json(list(pod('a'))) + json(list(node('b'))), ['Pod a', 'Node b']],
    [
      'a list in a list',
      json(list(pod('a'), list(node('b'), pod('c')), pod('d'))),
      ['Pod a', 'Node b', 'Pod c', 'Pod d'],
    ],
    [
      'items that get their kind from the list',
      json({ kind: 'PodList', apiVersion: 'v1', items: [bare('a')] }),
      ['Pod a'],
    ],
    [
      'a list that says its kind behind the items',
      json({ items: [bare('a'), bare('b')], kind: 'NodeList', apiVersion: 'v1' }),
      ['Node a', 'Node b'],
    ],
    [
      "items that get their kind from the list's selfLink",
      json({ metadata: { selfLink: '/api/v1/nodes' }, items: [bare('a')] }),
      ['Node a'],
    ],
    [
      'an item that gets its kind from its selfLink',
      json({ items: [{ metadata: { name: 'a', selfLink: '/apis/apps/v1/namespaces/n/deployments/a' } }] }),
      ['Deployment a'],
    ],
    [
      'watch events, of which a deletion of what was not there is none',
      [
        { type: 'ADDED', object: pod('a') },
        { type: 'BOOKMARK', object: pod('x') },
        { type: 'DELETED', object: pod('y') },
      ]
        .map(json)
        .join('\n'),
      ['Pod a'],
    ],
    ['a byte order mark', `\ufeff${json(pod('a'))}`, ['Pod a']],
    ['a YAML document', POD_YAML, ['Pod a']],
    ['a YAML document with Windows line ends', POD_YAML.replaceAll('\n', '\r\n'), ['Pod a']],
    ['a YAML document that is indented as a whole', POD_YAML.replaceAll(/^/gm, '  '), ['Pod a']],
    [
      'YAML documents',
      `# first\n---\n${POD_YAML}--- # next\n${POD_YAML.replace('name: a', 'name: b')}...\n---\n`,
      ['Pod a', 'Pod b'],
    ],
    ['a List in YAML', LIST_YAML, ['Pod a', 'Node b']],
    ['a List in YAML with indented items', LIST_YAML.replaceAll(/^(?=- | {2}\S| {4}|$)/gm, '  '), ['Pod a', 'Node b']],
    [
      'YAML lists one after another',
      `${LIST_YAML}---\n${LIST_YAML.replace('name: a', 'name: c')}`,
      ['Pod a', 'Node b', 'Pod c', 'Node b'],
    ],
    ['an empty list in YAML', 'kind: PodList\napiVersion: v1\nitems: []\n', []],
    [
      'a flow sequence of items in YAML',
      'kind: NodeList\napiVersion: v1\nitems:\n  [{metadata: {name: a}}]\n',
      ['Node a'],
    ],
    [
      'JSON and YAML by turns',
      `${json(pod('a'))}\n---\n${POD_YAML.replace('name: a', 'name: b')}---\n${json([node('c')])}`,
      ['Pod a', 'Pod b', 'Node c'],
    ],
    ['keys of which one ends in items', json({ ...pod('a'), 'x-items': [], 'items\\': [] }), ['Pod a']],
  ])('reads %s, however it is cut into chunks', async (_name, body, want) => {
    for (const chunk of [65_536, 7, 1]) {
      const { rows } = await read(body, { chunk });
      expect(names(rows)).toEqual(want);
    }
  });

  it('reads gzip with and without a declaration, and gzip in gzip', async () => {
    const packed = gzipSync(json(list(pod('a'))));
    for (const options of [{}, { contentEncoding: 'gzip' }, { contentType: 'application/gzip' }, { chunk: 1 }]) {
      expect(names((await read(packed, options)).rows)).toEqual(['Pod a']);
    }
    const { report } = await read(gzipSync(packed), { contentEncoding: 'gzip' });
    expect(report.kept).toEqual([{ kind: 'Pod', count: 1 }]);
    expect(report.bytesDecoded).toBe(json(list(pod('a'))).length);
  });

  it.each(['application/json; charset=utf-8', 'application/yaml', 'application/octet-stream', 'application/x-ndjson'])(
    'takes the content type %s for a hint only',
    async (contentType) => {
      expect(names((await read(POD_YAML, { contentType })).rows)).toEqual(['Pod a']);
      expect(names((await read(json(pod('a')), { contentType })).rows)).toEqual(['Pod a']);
    },
  );
});

describe('what comes out', () => {
  it('keeps 64-bit integers and gives JSON and YAML of one object the same content and hash', async () => {
    const seconds = '9223372036854775807';
    const text = json(
      pod('a', {
        spec: {
          tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }],
          containers: [{ name: 'c' }],
        },
      }),
    );
    const fromJson = await read(text.replace('"tolerationSeconds":0', `"tolerationSeconds":${seconds}`));
    const fromYaml = await read(
      `apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec:\n  containers: [{name: c}]\n  tolerations:\n  - {key: k, operator: Exists, effect: NoExecute, tolerationSeconds: ${seconds}}\n`,
    );
    expect(fromJson.rows[0]!.content).toContain(`"tolerationSeconds":${seconds}`);
    expect(fromYaml.rows).toEqual(fromJson.rows);
    expect(fromJson.rows[0]!.hash).toHaveLength(16);
  });

  it('writes the keys in order, and equal content for equal objects', async () => {
    const { rows } = await read(json(pod('a', { metadata: { uid: 'u', name: 'a', labels: { z: '1', a: '2' } } })));
    expect(rows[0]).toMatchObject({ kind: 'Pod', namespace: 'default', name: 'a', uid: 'u' });
    expect(rows[0]!.content).toContain('"labels":{"a":"2","z":"1"},"name":"a","namespace":"default","uid":"u"');
  });

  it('gives cluster-scoped objects an empty namespace', async () => {
    const { rows } = await read(json(node('a')));
    expect(rows[0]).toMatchObject({ namespace: '', uid: null });
  });

  it('accepts the older version of a kind', async () => {
    const { rows } = await read(
      json({ apiVersion: 'node.k8s.io/v1beta1', kind: 'RuntimeClass', metadata: { name: 'r' }, handler: 'h' }),
    );
    expect(rows[0]!.content).toContain('"apiVersion":"node.k8s.io/v1"');
  });
});

describe('the report', () => {
  it('counts stored and ignored objects, and dropped and unknown fields', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
    const { report } = await read(
      json(
        list(
          pod('a', { spec: { containers: [{ name: 'c', command: ['x'] }], nonsense: 1 } }),
          node('n'),
          secret,
          secret,
        ),
      ),
    );
    expect(report.kept).toEqual([
      { kind: 'Node', count: 1 },
      { kind: 'Pod', count: 1 },
    ]);
    expect(report.ignored).toEqual([{ apiVersion: 'v1', kind: 'Secret', count: 2 }]);
    expect(report.items).toBe(4);
    expect(report.droppedFields).toBeGreaterThan(0);
    expect(report.unknownFields).toEqual({ count: 1, first: ['spec.nonsense'] });
    expect(report.kinds).toEqual(['Node', 'Pod']);
    expect(report.namespaces).toEqual(['shop']);
  });

  it('suggests the nearest known field for a misspelt one, each kind and path once', async () => {
    const broken = (name: string, spec: object): object =>
      pod(name, { spec: { containers: [{ name: 'c' }], ...spec } });
    const { report } = await read(
      json(
        list(
          broken('a', { tolleration: [], nonsense: 1, containers: [{ name: 'c' }, { name: 'd', imagee: 'i' }] }),
          broken('b', { tolleration: [], containers: [{ name: 'c', imagee: 'i' }] }),
        ),
      ),
    );
    expect(report.unknownFields).toEqual({
      count: 5,
      first: ['spec.containers[].imagee', 'spec.tolleration', 'spec.nonsense'],
    });
    const finding = { code: 'unknown-field', kind: 'Pod', message: expect.any(String) };
    expect(report.findings).toEqual({
      count: 2,
      first: [
        { ...finding, field: 'spec.containers[].imagee', suggestion: 'image' },
        { ...finding, field: 'spec.tolleration', suggestion: 'tolerations' },
      ],
    });
  });

  it('names a kind whose list is empty', async () => {
    const { report } = await read(json({ kind: 'ResourceQuotaList', apiVersion: 'v1', items: [] }));
    expect(report.kinds).toEqual(['ResourceQuota']);
  });

  it('reports the later of two objects with the same name, regardless of its position, and counts them once', async () => {
    const { rows, report } = await read(`${json(list(pod('a'), node('n')))}${json(list(pod('b'), pod('a')))}`);
    expect(rows).toHaveLength(4);
    expect(report.duplicates).toEqual({ count: 1, first: [{ kind: 'Pod', namespace: 'shop', name: 'a', item: 3 }] });
    expect(report.kept).toContainEqual({ kind: 'Pod', count: 2 });
  });

  it('does not treat objects of other kinds or namespaces as duplicates', async () => {
    const { report } = await read(
      json(list(pod('a'), node('a'), pod('a', { metadata: { name: 'a', namespace: 'b' } }))),
    );
    expect(report.duplicates.count).toBe(0);
  });

  it('finds pods whose node is absent, in either order, and nodes without a status', async () => {
    const on = (name: string, nodeName: string): object =>
      pod(name, { spec: { nodeName, containers: [{ name: 'c' }] } });
    const { report } = await read(
      json(
        list(on('a', 'later'), on('b', 'gone'), on('c', 'gone'), node('later'), on('d', 'later'), {
          ...node('e'),
          status: undefined,
        }),
      ),
    );
    expect(report.findings.first).toEqual([
      expect.objectContaining({
        code: 'pod-on-absent-node',
        node: 'gone',
        pods: { count: 2, first: ['shop/b', 'shop/c'] },
      }),
      expect.objectContaining({ code: 'node-without-status', node: 'e' }),
    ]);
  });

  it('compares kubelet versions numerically', async () => {
    const { report } = await read(json(list(node('a', 'v1.9.3'), node('b', 'v1.35.1'), node('c', 'v1.10.0-gke.5'))));
    expect(report.kubeletVersions).toEqual({ oldest: 'v1.9.3', newest: 'v1.35.1' });
  });

  it('keeps what can be decoded of an invalid object on request, and names every invalid field', async () => {
    const bad = pod('bad', {
      spec: { containers: [{ name: 'c' }], nodeName: 5, tolerations: [{ operator: 'Never' }] },
    });
    const { rows, report } = await read(json(list(pod('a'), bad, { kind: 'Pod', apiVersion: 'v1', metadata: {} })), {
      invalid: 'keep',
    });
    expect(names(rows)).toEqual(['Pod a', 'Pod bad']);
    expect(report.invalid.first).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ item: 1, kind: 'Pod', namespace: 'shop', name: 'bad', pointer: '/spec/nodeName' }),
        expect.objectContaining({ item: 2, pointer: '/metadata/name', type: 'FieldValueRequired' }),
      ]),
    );
  });
});

describe('real dumps', () => {
  it.each<[string, Record<string, number>]>([
    ['eks-nodes.json', { Node: 2 }],
    ['eks-pods.json', { Pod: 11 }],
    ['minikube-1.35-nodes.yaml', { Node: 1 }],
    ['minikube-1.35-pods.yaml', { Pod: 25 }],
    ['node-aks.json', { Node: 1 }],
    ['node-eks.json', { Node: 1 }],
    ['node-gke.json', { Node: 1 }],
    ['openshift-nodes.json', { Node: 6 }],
  ])('takes %s whole', async (file, want) => {
    const { rows, report } = await read(readFileSync(`demo/clusters/${file}`), { chunk: 10_007 });
    expect(Object.fromEntries(report.kept.map(({ kind, count }) => [kind, count]))).toEqual(want);
    expect(rows).toHaveLength(Object.values(want)[0]!);
    expect([report.ignored, report.duplicates.count, report.invalid.count]).toEqual([[], 0, 0]);
  });

  it('reads all of them as one body, JSON and YAML mixed', async () => {
    const files = ['minikube-1.35-pods.yaml', 'eks-nodes.json', 'minikube-1.35-nodes.yaml', 'openshift-nodes.json'];
    const { report } = await read(files.map((file) => readFileSync(`demo/clusters/${file}`, 'utf8')).join('\n---\n'));
    expect(report.kept).toEqual([
      { kind: 'Node', count: 9 },
      { kind: 'Pod', count: 25 },
    ]);
    expect(report.kubeletVersions).toEqual({ oldest: 'v1.17.1', newest: 'v1.35.0' });
  });
});

describe('memory', () => {
  it('contains at most two batches: a body of 200 MB is read as its rows are consumed', async () => {
    const filler = 'x'.repeat(100_000);
    const item = (index: number): string =>
      json(pod(`p${index}`, { spec: { containers: [{ name: 'c', args: [filler] }] } }));
    let fed = 0;
    async function* body(): AsyncGenerator<Uint8Array, void> {
      const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
      yield encode('{"apiVersion":"v1","kind":"List","items":[');
      for (let index = 0; index < 2000; index++) {
        yield await Promise.resolve(encode(`${index > 0 ? ',' : ''}${item(index)}`));
        fed++;
      }
      yield encode(']}');
    }
    let most = 0;
    let count = 0;
    const reading = readSnapshot(body(), { invalid: 'refuse' });
    for await (const batch of reading.rows) {
      most = Math.max(most, fed - count);
      count += batch.length;
    }
    const report = await reading.report;
    expect(count).toBe(2000);
    expect(report.bytesRead).toBeGreaterThan(200e6);
    expect(most).toBeLessThan(1000);
  }, 30_000);
});

describe('cancelling', () => {
  it('ends with `cancelled` when the signal is aborted, for the rows and for the report', async () => {
    const controller = new AbortController();
    const reading = readSnapshot(inChunks(json(list(pod('a'), pod('b'))), 10), {
      invalid: 'refuse',
      signal: controller.signal,
    });
    controller.abort();
    await expect(reading.rows[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'cancelled' });
    await expect(reading.report).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('ends with `cancelled` when the source fails', async () => {
    async function* broken(): AsyncGenerator<Uint8Array, void> {
      yield await Promise.resolve(new TextEncoder().encode('{"kind":'));
      throw new Error('connection reset');
    }
    const reading = readSnapshot(broken(), { invalid: 'refuse' });
    await expect(reading.rows[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('resourceVersions', () => {
  const versioned = (version: unknown, rest: object = {}): object => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a', uid: 'u', resourceVersion: version },
    ...rest,
  });
  const beat = (time: string): object => ({
    status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: time }] },
  });

  it.each([
    ['read as it is', json(versioned('12', beat('2026-06-01T00:00:00Z')))],
    ['with an unknown field, which is parsed', json({ ...versioned('12', beat('2026-06-01T00:00:00Z')), odd: 1 })],
    [
      'as YAML',
      'apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  uid: u\n  resourceVersion: "12"\nstatus:\n  conditions:\n  - type: Ready\n    status: "True"\n    lastHeartbeatTime: "2026-06-01T00:00:00Z"\n',
    ],
  ])('are kept beside the content of an object %s, which is the same version after a heartbeat', async (_, text) => {
    const [first] = (await read(text)).rows;
    const [second] = (await read(json(versioned('13', beat('2026-06-01T00:05:00Z'))))).rows;
    expect([first?.resourceVersion, second?.resourceVersion]).toEqual(['12', '13']);
    expect(second?.hash).toEqual(first?.hash);
  });

  it.each([[undefined], [''], [null], ['1 2'], ['x'.repeat(101)]])(
    'are null where there is none: %j',
    async (version) => {
      const [row] = (await read(json(versioned(version)))).rows;
      expect(row?.resourceVersion).toBeNull();
    },
  );

  it('of lists are the positions of their kinds, if the lists of a kind agree', async () => {
    const of = (kind: string, version: string): object => ({
      kind: `${kind}List`,
      apiVersion: 'v1',
      items: [],
      metadata: { resourceVersion: version },
    });
    const lists = [
      of('Pod', '7'),
      of('Node', '8'),
      of('Service', '1'),
      of('Service', '2'),
      of('Namespace', ''),
      of('Pod', '7'),
    ];
    const { report } = await read(lists.map(json).join('\n'));
    expect(report.positions).toEqual([
      { kind: 'Node', resourceVersion: '8' },
      { kind: 'Pod', resourceVersion: '7' },
    ]);
  });
});
