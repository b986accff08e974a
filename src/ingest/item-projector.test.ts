import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { generateCluster } from '../../bench/generator/generate-cluster.js';
import { IngestError } from './ingest-error.js';
import { DEFAULT_INGEST_LIMITS } from './ingest-limits.js';
import { ingestStream } from './ingest-stream.js';
import { ItemProjector } from './item-projector.js';

const DEMO = new URL('../../demo/clusters/', import.meta.url);
/** A depth limit this low disables projection, so everything is parsed. */
const PARSED = { maxDepth: 50 };

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield await Promise.resolve(bytes.subarray(from, from + size));
}

/** The complete result of reading a text: its rows and report, or its error. */
async function outcomeOf(text: string, limits: object = {}, size = 1 << 20): Promise<unknown> {
  const rows: unknown[] = [];
  try {
    const reading = ingestStream(chunksOf(text, size), { invalid: 'keep', limits }, 1);
    for (;;) {
      const next = await reading.next();
      if (next.done === true) return { rows, report: next.value };
      for (const { hash, ...row } of next.value) rows.push({ ...row, hash: Buffer.from(hash).toString('hex') });
    }
  } catch (error) {
    if (!(error instanceof IngestError)) throw error;
    return { error: error.toData() };
  }
}

async function expectSame(text: string, size?: number): Promise<void> {
  expect(await outcomeOf(text, {}, size)).toEqual(await outcomeOf(text, PARSED, size));
}

const listOf = (items: readonly string[]): string => `{"apiVersion":"v1","kind":"List","items":[${items.join(',')}]}`;
const isProjected = (text: string): boolean => {
  const projector = new ItemProjector(DEFAULT_INGEST_LIMITS);
  projector.load(Buffer.from(text));
  return projector.project(0, undefined, true)?.end === Buffer.byteLength(text);
};

/** The value with its keys in code unit order, as kubectl writes them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'a',
    namespace: 'b',
    uid: 'u',
    labels: { app: 'x', 'a/b': '1', B: '2' },
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': '{"a":"\\u003c"}',
      'karpenter.sh/do-not-disrupt': 'true',
    },
    creationTimestamp: '2026-02-28T00:00:00Z',
    finalizers: ['a/b'],
    managedFields: [{ manager: 'm', operation: 'Update', fieldsV1: { 'f:metadata': { 'k:{"a":1}': { '.': {} } } } }],
  },
  spec: {
    nodeName: 'n',
    priority: 2000001000,
    containers: [
      {
        name: 'c',
        env: [{ name: 'A', value: 'é\n' }],
        resources: { requests: { memory: '1Gi', cpu: '0.5' }, limits: { cpu: 1 } },
        livenessProbe: { httpGet: { port: 80 }, periodSeconds: 5 },
      },
    ],
    tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
    volumes: [
      { emptyDir: {}, name: 'v' },
      { name: 't', projected: { sources: [] } },
    ],
  },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'False', message: 'secret', lastProbeTime: null },
      { type: 'PodScheduled', status: 'False', message: '0/3 "nodes"' },
    ],
  },
};
const NODE = {
  kind: 'Node',
  apiVersion: 'v1',
  metadata: {
    name: 'n',
    managedFields: [
      {
        manager: 'kubectl',
        operation: 'Update',
        time: '2026-01-01T00:00:00Z',
        fieldsV1: { 'f:spec': { 'f:taints': {} } },
      },
    ],
    uid: 'u',
  },
  spec: { taints: [{ key: 'k', effect: 'NoSchedule', value: 'v' }], unschedulable: true },
  status: {
    capacity: { pods: '110', cpu: '4' },
    nodeInfo: { kubeletVersion: 'v1.35.1', bootID: 'x' },
    images: [{ sizeBytes: 12 }],
  },
};

describe('items that are read without parsing', () => {
  const cluster = [...generateCluster({ nodes: 12, pods: 150 })];

  it('are nearly all items of a generated cluster, in any order of members', () => {
    for (const item of cluster.filter(({ kind }) => kind === 'Pod' || kind === 'Node')) {
      expect(isProjected(JSON.stringify(item))).toBe(true);
      expect(isProjected(JSON.stringify(sorted(item), null, 4))).toBe(true);
    }
    expect([POD, NODE].map((item) => isProjected(JSON.stringify(item)))).toEqual([false, true]);
  });

  it.each([
    ['as a compact list', listOf(cluster.map((item) => JSON.stringify(item)))],
    ['as kubectl prints them', JSON.stringify({ apiVersion: 'v1', items: sorted(cluster), kind: 'List' }, null, 4)],
    ['one to a line', cluster.map((item) => JSON.stringify(item)).join('\n')],
    ['as an array', JSON.stringify(cluster)],
    [
      'as a list that names their kind',
      JSON.stringify({
        kind: 'PodList',
        apiVersion: 'v1',
        items: cluster
          .filter(({ kind }) => kind === 'Pod')
          .map(({ metadata, spec, status }) => ({ metadata, spec, status })),
      }),
    ],
  ])('give the same rows and report as parsed ones, %s', async (_, text) => {
    await expectSame(text);
    await expectSame(text, 10_007);
  });

  it('give the same rows and report as parsed ones where defaults are set', async () => {
    const dra = { apiVersion: 'resource.k8s.io/v1' };
    const requests = [
      { name: 'a', exactly: { deviceClassName: 'gpu' } },
      { name: 'b', exactly: { allocationMode: 'All', deviceClassName: 'gpu' } },
      { name: 'c', firstAvailable: [{ name: 'd', count: 2, deviceClassName: 'gpu' }] },
    ];
    const spec = { devices: { requests } };
    const items = [
      { ...dra, kind: 'ResourceClaim', metadata: { name: 'a', namespace: 'b' }, spec },
      { ...dra, kind: 'ResourceClaimTemplate', metadata: { name: 'a', namespace: 'b' }, spec: { spec } },
    ].map((item) => JSON.stringify(item));
    expect(items.map(isProjected)).toEqual([true, true]);
    await expectSame(listOf(items));
    await expectSame(items.join('\n'));
  });

  it.each(readdirSync(DEMO))('give the same rows and report as parsed ones: demo cluster %s', async (file) => {
    const text = readFileSync(new URL(file, DEMO), 'utf8');
    if (file.endsWith('.json')) await expectSame(text);
    else
      await expectSame(
        parseAllDocuments(text)
          .map((document) => JSON.stringify(document.toJS()))
          .join('\n'),
      );
  });

  it.each([
    ['a duplicate member', '"nodeName":"n"', '"nodeName":"m","nodeName":"n"'],
    ['a duplicate of a dropped member', '"finalizers":["a/b"]', '"finalizers":[],"finalizers":["a/b"]'],
    ['a duplicate label', '"app":"x"', '"app":"y","app":"x"'],
    ['a duplicate of a dropped annotation', '"annotations":{', '"annotations":{"z":"1","z":"1",'],
    ['an unknown member', '"nodeName":"n"', '"nodeName":"n","shape":1'],
    ['an unknown member of a dropped one', '"periodSeconds":5', '"periodSeconds":5,"shape":[1]'],
    ['a wrong type in a dropped member', '"periodSeconds":5', '"periodSeconds":"5"'],
    ['a fraction', '"periodSeconds":5', '"periodSeconds":5.5'],
    ['a whole number written as a fraction', '"tolerationSeconds":300', '"tolerationSeconds":300.0'],
    ['an exponent', '"tolerationSeconds":300', '"tolerationSeconds":3e2'],
    ['minus zero', '"tolerationSeconds":300', '"tolerationSeconds":-0'],
    ['a leading zero', '"tolerationSeconds":300', '"tolerationSeconds":0300'],
    ['the largest int64', '"tolerationSeconds":300', '"tolerationSeconds":9223372036854775807'],
    ['more than an int64', '"tolerationSeconds":300', '"tolerationSeconds":9223372036854775808'],
    ['more than an int32', '2000001000', '2147483648'],
    ['a long dropped number', '"periodSeconds":5', '"periodSeconds":5000000000'],
    ['a name spelt with an escape', '"nodeName"', '"node\\u004eame"'],
    ['a value spelt with an escape', '"nodeName":"n"', '"nodeName":"\\u006e"'],
    ['a NUL in a kept value', '"phase":"Running"', '"phase":"\\u0000"'],
    ['a NUL in a dropped value', '"name":"A"', '"name":"\\u0000"'],
    ['a lone surrogate in a dropped value', '"name":"A"', '"name":"\\ud800"'],
    ['a surrogate pair', '"phase":"Running"', '"phase":"\\ud83d\\ude00"'],
    ['a bad escape in a dropped value', '"name":"A"', '"name":"\\x41"'],
    ['a control character in a dropped value', '"name":"A"', '"name":"\u0001"'],
    ['a probe of a named host', '"httpGet":{"port":80}', '"httpGet":{"port":80,"host":"h"}'],
    [
      'a hook without a host',
      '"livenessProbe":',
      '"lifecycle":{"preStop":{"tcpSocket":{"port":1}},"stopSignal":"A"},"livenessProbe":',
    ],
    [
      'hooks with a host',
      '"livenessProbe":',
      '"lifecycle":{"preStop":{"tcpSocket":{"host":"h","port":1}}},"livenessProbe":',
    ],
    ['an empty security context', '"nodeName":"n"', '"nodeName":"n","securityContext":{}'],
    [
      'security contexts of which a part is kept',
      '"livenessProbe":',
      '"securityContext":{"readOnlyRootFilesystem":true,"capabilities":{},"seLinuxOptions":{"level":"s0"}},"livenessProbe":',
    ],
    [
      'security contexts',
      '"livenessProbe":',
      '"securityContext":{"seLinuxOptions":{"level":"s0","type":"t"},"capabilities":{"drop":["ALL"]},"runAsUser":0,"procMount":null},"livenessProbe":',
    ],
    ['an unclosed dropped member', '"httpGet":{"port":80}', '"httpGet":{"port":80]'],
    ['a comma too many in a dropped member', '"httpGet":{"port":80}', '"httpGet":{"port":80,}'],
    ['bad JSON in a dropped value of any shape', '".":{}', '".":{"a":tru}'],
    ['a bad number in a dropped value of any shape', '".":{}', '".":01'],
    ['a null list item', '"tolerations":[', '"tolerations":[null,'],
    ['a null dropped list item', '"finalizers":[', '"finalizers":[null,'],
    ['a null label', '"app":"x"', '"app":null'],
    ['a null member that must be there', '"containers":[', '"containers":null,"initContainers":['],
    ['a number as a quantity', '"memory":"1Gi"', '"memory":1073741824'],
    ['a quantity with spaces', '"memory":"1Gi"', '"memory":" 1Gi "'],
    ['a negative quantity', '"memory":"1Gi"', '"memory":"-1Gi"'],
    ['a bad quantity', '"memory":"1Gi"', '"memory":"1GiB"'],
    ['a bad time', '2026-02-28T00', '2026-02-30T00'],
    ['a leap day', '2026-02-28T00:00:00Z', '2024-02-29T00:00:00.5+01:00'],
    ['a bad label', '"app":"x"', '"app":"-x"'],
    ['a label key beyond ASCII', '"app"', '"äpp"'],
    ['keys that engines order by number', '"app"', '"10":"a","9":"b","__proto__":"c","app"'],
    ['a bad name', '"name":"a"', '"name":"A_"'],
    ['no name', '"name":"a"', '"generateName":"a"'],
    ['an empty namespace', '"namespace":"b"', '"namespace":""'],
    ['no namespace', '"namespace":"b",', ''],
    ['a bad toleration', '"operator":"Exists"', '"operator":"Equal"'],
    ['a bad node name', '"nodeName":"n"', '"nodeName":"N"'],
    ['another API version', '"apiVersion":"v1"', '"apiVersion":"v2"'],
    ['another kind', '"kind":"Pod"', '"kind":"Secret"'],
    ['items of its own', '"status":', '"items":[],"status":'],
    ['a second kind', '"status":', '"kind":"Node","status":'],
    ['a wrong top-level type', '"status":{', '"status":[],"x":{'],
  ])('agree with parsed ones on %s', async (_, from, to) => {
    const text = JSON.stringify(POD);
    expect(text).toContain(from);
    const changed = text.replace(from, () => to);
    const ordinary = text.replace('"cpu":1}', '"cpu":"1"}');
    await expectSame(listOf([ordinary, changed, ordinary, changed]));
    await expectSame(`${ordinary}\n${changed}`);
  });

  it('give the same result as parsed items after random changes to their text', async () => {
    const originals = [POD, NODE, ...cluster.filter((_, index) => index % 29 === 0)].map((item) =>
      JSON.stringify(item),
    );
    const tokens = [
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      'null',
      'true',
      '0',
      '-1',
      '1e3',
      '"a":1,',
      '""',
      ' ',
      '\n',
      'é',
      '\\u0041',
    ];
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.nat(3),
      insert: fc.oneof(fc.constantFrom(...tokens), fc.string({ maxLength: 2 }), fc.constant('')),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...originals),
        fc.array(change, { minLength: 1, maxLength: 2 }),
        async (text, changes) => {
          let changed = text;
          for (const { at, remove, insert } of changes) {
            const from = Math.floor(at * changed.length);
            changed = changed.slice(0, from) + insert + changed.slice(from + remove);
          }
          await expectSame(listOf([text, changed, text]));
        },
      ),
      { numRuns: 300 },
    );
  }, 120_000);

  it('give the same result as parsed items after random changes to their members', async () => {
    const originals = [POD, NODE, ...cluster.filter((_, index) => index % 29 === 0)];
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('', 'a', 0, 1.5, -1, null, [], {}, '1Gi', '2026-02-28T00:00:00Z'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...originals),
        fc.nat(),
        value,
        fc.boolean(),
        async (item, at, replacement, order) => {
          const text = JSON.stringify(withMember(order ? sorted(item) : item, at, replacement));
          await expectSame(listOf([JSON.stringify(item), text, text]));
        },
      ),
      { numRuns: 200 },
    );
  }, 120_000);
});

/** A copy of the item with one value, at any depth, replaced. */
function withMember(item: unknown, at: number, replacement: unknown): unknown {
  const copy = structuredClone(item);
  const places: [holder: Record<string, unknown>, key: string][] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      places.push([value as Record<string, unknown>, key]);
      visit(member);
    }
  };
  visit(copy);
  const [holder, key] = places[at % places.length]!;
  holder[key] = replacement;
  return copy;
}
