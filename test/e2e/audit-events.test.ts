import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Clock } from '../../src/app/clock.js';
import type { TaintTrail } from '../../src/core/audit/attributed-change.js';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { judgeRecordedTrail, recordedEvidence } from '../conformance/folders/audit-attribution.js';
import type { RecordedFile } from '../conformance/folders/folder.js';
import { list, node, send } from '../support/dumps.js';
import { sql } from '../support/sql.js';
import { type Answer, startTestService, type TestService } from '../support/service.js';

const NOW = new Date('2026-12-01T12:00:00Z');
/** After everything that was recorded. */
class ClockOfDecember extends Clock {
  override now(): Date {
    return NOW;
  }
}
let service: TestService;
let files: readonly RecordedFile[];
let recorded: ReturnType<typeof recordedEvidence>;
beforeAll(async () => {
  service = await startTestService({}, { clock: new ClockOfDecember() });
  const folder = join('test', 'conformance', 'recorded', 'audit');
  files = await Promise.all(
    (await readdir(folder)).sort().map(async (path): Promise<RecordedFile> => {
      return { path, content: JSON.parse(await readFile(join(folder, path), 'utf8')) as JsonObject };
    }),
  );
  recorded = recordedEvidence(files);
});
afterAll(() => service.close());

const CLUSTERS = '/api/v1/clusters';
let clusters = 0;
async function newCluster(nodes?: readonly object[]): Promise<string> {
  const cluster = `audited-${++clusters}`;
  await service.request('PUT', `${CLUSTERS}/${cluster}`, {});
  if (nodes !== undefined) await snapshot(cluster, nodes, '2026-05-01T00:00:00Z');
  return cluster;
}

async function snapshot(cluster: string, nodes: readonly object[], capturedAt: string, query = ''): Promise<void> {
  const path = `${CLUSTERS}/${cluster}/snapshots?kinds=Node&allowRemovals=true&capturedAt=${capturedAt}${query}`;
  const answer = await send(service, path, list(nodes));
  if (answer.status !== 201) throw new Error(`the snapshot was not taken in: ${answer.text}`);
}

const post = (cluster: string, body: string | Uint8Array, headers?: Record<string, string>): Promise<Answer> =>
  send(service, `${CLUSTERS}/${cluster}/audit-events`, body, headers);
const lines = (events: readonly (object | string)[]): string =>
  events.map((event) => `${typeof event === 'string' ? event : JSON.stringify(event)}\n`).join('');
const eventList = (items: readonly object[]): string =>
  JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items });

async function taken(
  cluster: string,
  body: string | Uint8Array,
  headers?: Record<string, string>,
): Promise<JsonObject> {
  const answer = await post(cluster, body, headers);
  if (answer.status !== 200) throw new Error(`the events were not taken in: ${answer.text}`);
  return answer.json as JsonObject;
}

type TrailRecord = JsonObject & { readonly kind: string; readonly sequence: number };

/** All records of a cluster, or those that nothing has taken the place of. */
async function recordsOf(cluster: string, which: 'all' | 'current' = 'current'): Promise<TrailRecord[]> {
  const current = `and not exists (select from taint_trail_superseded s
    where s.cluster_id = t.cluster_id and s.sequence = t.sequence) and kind <> 'withdrawn'`;
  const rows = await sql<{ content: string }>(
    service.databaseUrl,
    `select content from taint_trail t where cluster_name = '${cluster}' ${which === 'all' ? '' : current}
     order by happened_at, sequence`,
  );
  return rows.map(({ content }) => JSON.parse(content) as TrailRecord);
}

/** The current records as a trail. */
async function trailOf(cluster: string): Promise<TaintTrail> {
  const records = await recordsOf(cluster);
  const of = (kind: string): never[] => records.filter((record) => record.kind === kind) as unknown as never[];
  return { found: of('found'), changes: of('change'), attempts: of('attempt'), writes: of('write'), intents: [] };
}

/** The content of the current records, without their sequence numbers and revisions. */
async function contentsOf(cluster: string): Promise<readonly string[]> {
  const records = await recordsOf(cluster);
  return records
    .map((record) => {
      const kept = Object.entries(record).filter(([key]) => !PLACES.includes(key));
      return JSON.stringify(Object.fromEntries(kept));
    })
    .sort();
}
const PLACES = [
  'cluster',
  'recordedAt',
  'revision',
  'sequence',
  'previousHash',
  'supersedes',
  'observedBefore',
  'observedAfter',
  'index',
];

const nodesOf = ({ node: shown }: { readonly node: JsonObject | null }): readonly object[] =>
  shown === null ? [] : [shown];

async function sendSnapshots(cluster: string, all = recorded.snapshots): Promise<void> {
  for (const one of all) await snapshot(cluster, nodesOf(one), one.at);
}

/** Every item, in an order that is always the same and has nothing to do with the given one. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed;
  return items
    .map((item) => ({ item, place: (state = (state * 48271) % 2147483647) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

const inParts = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, part) => items.slice(part * size, part * size + size));

/** An event about a node that is so wherever it is: a taint is set, and the response shows it. */
function tainted(auditID: string, name: string, at: string, more: object = {}): JsonObject {
  const spec = { taints: [{ key: 'dedicated', value: auditID, effect: 'NoSchedule' }] };
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID,
    stage: 'ResponseComplete',
    requestURI: `/api/v1/nodes/${name}?fieldManager=kubectl-taint`,
    verb: 'patch',
    user: { username: 'alice' },
    userAgent: 'kubectl/v1.36.2',
    objectRef: { resource: 'nodes', name, apiVersion: 'v1' },
    responseStatus: { code: 200 },
    requestObject: { spec },
    responseObject: { kind: 'Node', apiVersion: 'v1', metadata: { name }, spec },
    requestReceivedTimestamp: at,
    stageTimestamp: at,
    ...more,
  };
}
const AT = '2026-06-01T10:00:00.000000Z';

describe('the recorded changes', () => {
  let inOrder: readonly string[];

  it('are attributed to the user who made them, each recorded once', async () => {
    const cluster = await newCluster();
    const times = new Map(recorded.events.map((event) => [event, event['stageTimestamp'] as string]));
    let sent = 0;
    const events = [...recorded.events].sort((a, b) => (times.get(a)! < times.get(b)! ? -1 : 1));
    for (const one of recorded.snapshots) {
      const due = events.slice(sent).findIndex((event) => times.get(event)! > one.at);
      const until = due === -1 ? events.length : sent + due;
      if (until > sent) await taken(cluster, eventList(events.slice(sent, until)));
      sent = until;
      await snapshot(cluster, nodesOf(one), one.at);
    }
    if (sent < events.length) await taken(cluster, eventList(events.slice(sent)));
    expect(judgeRecordedTrail(files, await trailOf(cluster))).toEqual([]);
    const changes = (await recordsOf(cluster)).filter(({ kind }) => kind === 'change');
    const attempts = (await recordsOf(cluster)).filter(({ kind }) => kind === 'attempt');
    expect(changes.length).toBeGreaterThanOrEqual(30);
    expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['refused', 'dryRun']));
    inOrder = await contentsOf(cluster);
  });

  it.each<{ name: string; feed: (cluster: string) => Promise<void> }>([
    {
      name: 'with all events before the first snapshot',
      feed: async (cluster) => {
        await taken(cluster, lines(recorded.events));
        await sendSnapshots(cluster);
      },
    },
    {
      name: 'with all events behind the last snapshot',
      feed: async (cluster) => {
        await sendSnapshots(cluster);
        await taken(cluster, eventList(recorded.events));
      },
    },
    {
      name: 'with the events shuffled, in several requests between the snapshots',
      feed: async (cluster) => {
        const parts = inParts(shuffled(recorded.events, 7), 4);
        for (const [index, one] of recorded.snapshots.entries()) {
          await snapshot(cluster, nodesOf(one), one.at);
          const part = parts[index];
          if (part !== undefined && part.length > 0) await taken(cluster, lines(part));
        }
      },
    },
    {
      name: 'with each event on its own, backwards, and all of them at once at last',
      feed: async (cluster) => {
        await sendSnapshots(cluster, recorded.snapshots.slice(0, 20));
        for (const event of [...recorded.events].reverse()) await taken(cluster, lines([event]));
        await sendSnapshots(cluster, recorded.snapshots.slice(20));
        const before = await recordsOf(cluster, 'all');
        const again = await taken(cluster, lines(recorded.events));
        expect(again).toMatchObject({ kept: 0, records: [], nodes: { count: 0 } });
        expect(await recordsOf(cluster, 'all')).toEqual(before);
      },
    },
    {
      name: 'with ten requests at once, each with most of the events',
      feed: async (cluster) => {
        await sendSnapshots(cluster, recorded.snapshots.slice(0, 10));
        const bodies = Array.from({ length: 10 }, (_, seed) => shuffled(recorded.events, seed + 3).slice(seed % 5));
        const answers = await Promise.all([
          ...bodies.map((events) => taken(cluster, lines(events))),
          sendSnapshots(cluster, recorded.snapshots.slice(10)),
        ]);
        const kept = answers.reduce<number>((all, answer) => all + Number(answer?.['kept'] ?? 0), 0);
        const nodeEvents = recorded.events.filter(({ objectRef }) => (objectRef as JsonObject)['resource'] === 'nodes');
        expect(kept).toBe(nodeEvents.length);
      },
    },
  ])('give the same trail $name', async ({ feed }) => {
    const cluster = await newCluster();
    await feed(cluster);
    expect(judgeRecordedTrail(files, await trailOf(cluster))).toEqual([]);
    expect(await contentsOf(cluster)).toEqual(inOrder);
    await expectWhole(cluster);
  });

  it('prove only that there was a write if the policy omitted bodies', async () => {
    const cluster = await newCluster();
    const bare = recorded.events.map((event) => ({
      ...{ ...event, level: 'Metadata' },
      ...{ requestObject: undefined, responseObject: undefined },
    }));
    await sendSnapshots(cluster);
    await taken(cluster, lines(shuffled(bare, 5)));
    const records = await recordsOf(cluster);
    const writes = records.filter(({ kind }) => kind === 'write');
    expect(writes.length).toBeGreaterThan(20);
    for (const change of records.filter(({ kind }) => kind === 'change')) {
      expect(change['basis']).not.toMatch(/unbrokenWrite|response|request|creation/);
      if (change['certainty'] === 'certain') expect(change).toMatchObject({ basis: 'deletion' });
    }
    await taken(cluster, lines(shuffled(recorded.events, 11)));
    expect(judgeRecordedTrail(files, await trailOf(cluster))).toEqual([]);
    await expectWhole(cluster);
  });
});

/** Each record names those whose place it takes, and the database knows of exactly these. */
async function expectWhole(cluster: string): Promise<void> {
  const all = await recordsOf(cluster, 'all');
  expect(all.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(all.map((_, index) => index + 1));
  const named = all.flatMap(({ supersedes }) => (supersedes ?? []) as number[]);
  const rows = await sql<{ sequence: string }>(
    service.databaseUrl,
    `select s.sequence from taint_trail_superseded s join clusters c on c.id = s.cluster_id where c.name = '${cluster}'`,
  );
  expect(new Set(rows.map(({ sequence }) => Number(sequence)))).toEqual(new Set(named));
}

describe('audit events are accepted', () => {
  const some = [
    tainted('one', 'a', AT),
    tainted('two', 'b', AT),
    tainted('read', 'a', AT, { verb: 'get' }),
    tainted('pod', 'p', AT, { objectRef: { resource: 'pods', name: 'p', namespace: 'default' } }),
    tainted('metrics', 'a', AT, { objectRef: { resource: 'nodes', name: 'a', subresource: 'proxy' } }),
  ];
  const WHAT = {
    received: 5,
    kept: 2,
    duplicates: 0,
    ignored: [
      { reason: 'notAWrite', count: 1 },
      { reason: 'otherResource', count: 1 },
      { reason: 'otherSubresource', count: 1 },
    ],
    invalid: 0,
    problems: { count: 0, first: [] },
    records: [{ kind: 'change', count: 2 }],
    nodes: { count: 2, first: ['a', 'b'] },
    unknownNodes: { count: 1, first: ['b'] },
  };

  it.each<{ name: string; query?: string; body: string | Uint8Array; headers?: Record<string, string> }>([
    {
      name: 'as the webhook sends them',
      query: '?timeout=30s',
      body: eventList(some),
      headers: { 'content-type': 'application/json' },
    },
    { name: 'as the log file has them', body: lines(some) },
    { name: 'as gzip that says so', body: gzipSync(lines(some)), headers: { 'content-encoding': 'gzip' } },
    { name: 'as gzip that does not say so', body: gzipSync(eventList(some)) },
  ])('$name', async ({ query = '', body, headers }) => {
    const cluster = await newCluster([node('a')]);
    const answer = await send(service, `${CLUSTERS}/${cluster}/audit-events${query}`, body, headers);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ cluster, ...WHAT });
    expect(await recordsOf(cluster)).toMatchObject([
      { kind: 'change', node: 'a', by: { username: 'alice' }, recordedAt: NOW.toISOString() },
      { kind: 'change', node: 'b', by: { username: 'alice' } },
    ]);
    expect(await taken(cluster, lines([...some, ...some]))).toMatchObject({
      ...{ received: 10, kept: 0, duplicates: 4, records: [], nodes: { count: 0, first: [] } },
    });
  });

  it('over GraphQL, as JSON or as text', async () => {
    const cluster = await newCluster([node('a')]);
    const mutation = `mutation($input: AddAuditEventsInput!) { addAuditEvents(input: $input) {
      received kept duplicates ignored { reason count } invalid problems { count first { item line pointer message } }
      records { kind count } nodes { count first } unknownNodes { count first } } }`;
    const add = (input: object) => service.graphql(mutation, { input: { cluster, ...input } });
    expect((await add({ events: JSON.parse(eventList(some)) as object })).at('data.addAuditEvents')).toEqual(WHAT);
    expect((await add({ events: some })).at('data.addAuditEvents')).toMatchObject({ received: 5, duplicates: 2 });
    expect((await add({ text: lines([some[0]!, 'x']) })).at('data.addAuditEvents')).toMatchObject({
      duplicates: 1,
      problems: { count: 1, first: [{ item: 1, line: 2, pointer: '' }] },
    });
    expect((await add({})).at('errors.0.extensions.code')).toBe('invalid-request');
    expect((await add({ text: 'x', events: [] })).at('errors.0.extensions.code')).toBe('invalid-request');
    expect((await add({ cluster: 'none', events: some })).at('errors.0.extensions.code')).toBe('cluster-not-found');
  });

  it('except for a bad line, which is named', async () => {
    const cluster = await newCluster([node('a'), node('b')]);
    const cut = JSON.stringify(some[0]).slice(0, 200);
    const untimed = tainted('untimed', 'a', 'yesterday');
    const answer = await taken(cluster, lines([some[0]!, cut, untimed, some[1]!]));
    expect(answer).toMatchObject({
      ...{ received: 4, kept: 2, invalid: 2 },
      problems: {
        count: 2,
        first: [
          { item: 1, line: 2, pointer: '' },
          { item: 2, line: 3, pointer: '/stageTimestamp' },
        ],
      },
    });
    expect((await recordsOf(cluster)).map((record) => record['node'])).toEqual(['a', 'b']);
  });

  it('and a request without a user is recorded as an attempt by nobody', async () => {
    const cluster = await newCluster([node('a')]);
    const anonymous = tainted('401', 'a', AT, {
      user: undefined,
      responseStatus: { code: 401, reason: 'Unauthorized' },
      responseObject: { kind: 'Status', code: 401 },
    });
    expect(await taken(cluster, lines([anonymous]))).toMatchObject({
      kept: 1,
      records: [{ kind: 'attempt', count: 1 }],
    });
    const [attempt] = await recordsOf(cluster);
    expect(attempt).toMatchObject({ kind: 'attempt', outcome: 'refused', code: 401, node: 'a' });
    expect(attempt).not.toHaveProperty('by');
  });

  it('and the change that a snapshot showed is superseded by the one that an event proves', async () => {
    const shown = { taints: [{ key: 'dedicated', value: 'one', effect: 'NoSchedule' }] };
    const cluster = await newCluster([node('a')]);
    await snapshot(cluster, [node('a', { spec: shown })], '2026-07-01T00:00:00Z');
    const [unknown] = await recordsOf(cluster);
    expect(unknown).toMatchObject({ kind: 'change', channel: 'snapshot', certainty: 'unknown' });
    await taken(cluster, lines([tainted('one', 'a', AT)]));
    expect(await recordsOf(cluster)).toMatchObject([
      {
        ...{ kind: 'change', channel: 'auditEvent', supersedes: [unknown!.sequence], when: { kind: 'point', at: AT } },
        ...{ by: { username: 'alice' }, observedBefore: { revision: 1 }, observedAfter: { revision: 2 } },
      },
    ]);
  });

  it('and confirm a change made through the service', async () => {
    const cluster = await newCluster([node('a')]);
    const change = { nodes: ['a'], taints: ['dedicated=one:NoSchedule'], reason: 'a test' };
    expect((await service.request('POST', `${CLUSTERS}/${cluster}/taint-changes`, change)).status).toBe(201);
    const after = new Date(NOW.getTime() + 1000).toISOString();
    await taken(cluster, lines([tainted('one', 'a', after)]));
    const kinds = (await recordsOf(cluster)).map(({ kind }) => kind);
    expect(kinds).toContain('intent');
    const [intent] = (await recordsOf(cluster)).filter(({ kind }) => kind === 'intent');
    expect(intent).toMatchObject({ status: 'confirmed', saidBy: { auditID: 'one' } });
  });

  it('without any other content of their bodies', async () => {
    const secret = 'correct-horse-battery';
    const cluster = await newCluster([node('a')]);
    const object = (kind: string) => ({
      ...{ kind, apiVersion: 'v1' },
      metadata: {
        name: 'a',
        annotations: { token: secret },
        labels: { label: secret, [secret]: 'x' },
        managedFields: [{ manager: 'x', operation: 'Update', fieldsV1: { 'f:metadata': { [`f:${secret}`]: {} } } }],
      },
      spec: {
        taints: [{ key: 'k', effect: 'NoSchedule' }],
        podCIDR: secret,
        containers: [{ env: [{ value: secret }] }],
      },
      status: { message: secret, images: [{ names: [secret] }] },
    });
    const event = tainted('secret', 'a', AT, {
      requestURI: `/api/v1/nodes/a?fieldManager=x&token=${secret}`,
      user: { username: 'alice', extra: { 'authentication.kubernetes.io/credential-id': [secret] } },
      annotations: { 'authorization.k8s.io/reason': secret },
      requestObject: object('Node'),
      responseObject: object('Node'),
      headers: { authorization: secret },
    });
    await taken(
      cluster,
      lines([
        event,
        `{"kind": "Event", "secret": "${secret}`,
        tainted(secret, 'p', AT, { objectRef: { resource: 'secrets', name: secret } }),
      ]),
    );
    expect(await recordsOf(cluster)).toHaveLength(1);
    const tables = await sql<{ name: string }>(
      service.databaseUrl,
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_schema = 'public'`,
    );
    for (const { name } of tables) {
      const rows = await sql(service.databaseUrl, `select 1 from ${name} t where t::text like '%${secret}%'`);
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
    expect(service.logLines()).not.toContain(secret);
  });

  it('10,000 in one body, without blocking other requests', async () => {
    const at = (index: number): string => new Date(Date.parse(AT) + index * 1000).toISOString();
    const cluster = await newCluster([node('n0')]);
    const events = Array.from({ length: 10_000 }, (_, index) => tainted(`e${index}`, `n${index % 100}`, at(index)));
    let answered = 0;
    const taking = taken(cluster, lines(events)).finally(() => (answered = -answered));
    while (answered >= 0 && answered < 5) {
      expect((await service.request('GET', `${CLUSTERS}/${cluster}`)).status).toBe(200);
      answered++;
    }
    expect(answered).toBe(5);
    expect(await taking).toMatchObject({
      received: 10_000,
      kept: 10_000,
      nodes: { count: 100 },
      unknownNodes: { count: 99 },
    });
    const current = await recordsOf(cluster);
    expect(new Set(current.map(({ auditIDs }) => (auditIDs as string[])[0])).size).toBe(10_000);
    expect(current).toHaveLength(10_000);
    await expectWhole(cluster);
  }, 120_000);
});

describe('audit events are refused', () => {
  it.each<{
    name: string;
    body: string | Uint8Array;
    status: number;
    code: string;
    says: RegExp;
    headers?: Record<string, string>;
  }>([
    { name: 'nothing', body: '', status: 400, code: 'body-required', says: /Nothing was stored/ },
    {
      name: 'what is no JSON',
      body: 'hello\nworld\n',
      status: 400,
      code: 'malformed-json',
      says: /Nothing was stored/,
    },
    {
      name: 'a list that breaks off',
      body: eventList([tainted('x', 'a', AT), tainted('y', 'a', AT)]).slice(0, -30),
      status: 400,
      code: 'body-incomplete',
      says: /Nothing was stored/,
    },
    {
      name: 'gzip that breaks off',
      body: gzipSync(lines([tainted('x', 'a', AT)])).subarray(0, -9),
      status: 400,
      code: 'body-incomplete',
      says: /Nothing was stored/,
    },
    {
      name: 'another text encoding',
      body: Buffer.from(lines([tainted('x', 'a', AT)]), 'utf16le'),
      status: 400,
      code: 'unsupported-text-encoding',
      says: /Nothing was stored/,
    },
    {
      name: 'a picture',
      body: lines([tainted('x', 'a', AT)]),
      headers: { 'content-type': 'image/png' },
      status: 415,
      code: 'unsupported-media-type',
      says: /image/,
    },
    {
      name: 'a list nested without end',
      body: `{"kind":"EventList","items":[{"a":${'['.repeat(1000)}`,
      status: 400,
      code: 'audit-events-limit-exceeded',
      says: /Nothing was stored/,
    },
  ])('$name', async ({ body, status, code, says, headers }) => {
    const cluster = await newCluster([node('a')]);
    const answer = await post(cluster, body, headers);
    expect(answer.json).toMatchObject({ status, code });
    expect(String(answer.at('detail'))).toMatch(says);
    expect(await recordsOf(cluster, 'all')).toEqual([]);
    expect(
      await sql(service.databaseUrl, 'select from node_audit_events where cluster_id = (select max(id) from clusters)'),
    ).toEqual([]);
  });

  it('for a cluster that does not exist, and do not create it', async () => {
    const answer = await post('none', lines([tainted('x', 'a', AT)]));
    expect(answer.json).toMatchObject({ status: 404, code: 'cluster-not-found' });
    expect((await service.request('GET', `${CLUSTERS}/none`)).status).toBe(404);
    expect((await send(service, `${CLUSTERS}/none/audit-events?since=1`, '')).json).toMatchObject({
      code: 'invalid-request',
    });
  });

  it('from the position where a large list is cut off, and the error says what was stored', async () => {
    const cluster = await newCluster([node('a')]);
    const events = Array.from({ length: 9000 }, (_, index) => tainted(`e${index}`, `n${index % 50}`, AT));
    const body = eventList(events);
    const answer = await post(cluster, body.slice(0, -10));
    expect(answer.json).toMatchObject({ status: 400, code: 'body-incomplete' });
    const [, kept] = /Already stored: (\d+) events kept/.exec(String(answer.at('detail'))) ?? [];
    expect(Number(kept)).toBeGreaterThanOrEqual(4000);
    const [stored] = await sql<{ count: number }>(
      service.databaseUrl,
      `select count(*)::integer as count from node_audit_events e join clusters c on c.id = e.cluster_id where c.name = '${cluster}'`,
    );
    expect(stored?.count).toBe(Number(kept));
    expect(await taken(cluster, body)).toMatchObject({ kept: 9000 - Number(kept), duplicates: Number(kept) });
    await expectWhole(cluster);
  });
});
