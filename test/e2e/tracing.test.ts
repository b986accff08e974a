import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { TestReceiver } from '../support/receiver.js';
import { NodesApiServer } from '../support/nodes-api-server.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const HEADERS = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1', baggage: 'customer=hidden' };
const UNSAMPLED = { traceparent: `00-${'a'.repeat(32)}-${PARENT}-00` };
const SERVER = 2;
const CLIENT = 3;

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

let folder: string;
let collector: TestReceiver;
let receiver: TestReceiver;
let apiServer: NodesApiServer;
let spans: readonly Span[];
let resource: readonly Attribute[];
let log: string;
let metrics: { readonly plain: string; readonly open: string; readonly openType: string | null };

const attributesOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const named = (name: string): Span => {
  const found = spans.filter((span) => span.traceId === TRACE && span.name === name);
  if (found.length === 0) throw new Error(`no span ${name} in ${spans.map((span) => span.name).join(', ')}`);
  return found[0]!;
};

async function ask(service: TestService): Promise<void> {
  const question = { pod: { spec: { containers: [{ name: 'a' }] } } };
  const path = '/api/v1/clusters/c';
  expect((await service.request('POST', `${path}/placements`, question, HEADERS)).status).toBe(200);
  const text = '{ clusters(first: 5) { nodes { name } } }';
  const graphql = await service.request('POST', '/graphql', { query: text }, HEADERS);
  expect([graphql.status, graphql.at('errors')]).toEqual([200, undefined]);
  const refused = await service.request(
    'GET',
    '/api/v1/clusters/absent/nodes?taint=secret%3Dhidden',
    undefined,
    HEADERS,
  );
  expect(refused.status).toBe(404);
  expect((await service.request('GET', '/healthz', undefined, HEADERS)).status).toBe(200);
  expect((await service.request('GET', `${path}/taints`, undefined, HEADERS)).status).toBe(200);
  expect((await service.request('GET', `${path}/taints`, undefined, UNSAMPLED)).status).toBe(200);
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const rule = { kinds: ['taintChanged'], format: 'cloudevents', url: `${receiver.url}/hook`, secret };
  expect((await service.request('PUT', `${path}/notification-rules/r`, rule)).status).toBe(200);
  const tried = await service.request('POST', `${path}/notification-rules/r/test`, undefined, HEADERS);
  expect([tried.status, receiver.got.length]).toEqual([200, 1]);
  const connection = { kubeconfig: apiServer.kubeconfig(), writes: true };
  expect((await service.request('PUT', `${path}/connection`, connection)).status).toBe(200);
  apiServer.asked.length = 0;
  apiServer.traceParents.length = 0;
  const change = { nodes: ['a'], taints: ['k:NoSchedule'], dryRun: true, apply: true };
  expect((await service.request('POST', `${path}/taint-changes`, change, HEADERS)).status).toBe(200);
}

/** The exporter sends at the end what it has not sent yet. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-placement-keys-'));
  await writeFile(join(folder, 'keys'), `${randomBytes(32).toString('base64')}\n`);
  [collector, receiver, apiServer] = await Promise.all([
    TestReceiver.start(),
    TestReceiver.start(),
    NodesApiServer.start(),
  ]);
  apiServer.addNode('a');
  collector.behaviour = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  const service = await startTestService({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'placement-eu',
    CONNECTION_KEY_FILE: join(folder, 'keys'),
    NOTIFICATION_ALLOWED_ADDRESSES: '127.0.0.1',
  });
  try {
    await store(service, 'c', [node('a'), pod('d/p', 'a')]);
    await ask(service);
    const [plain, open] = await Promise.all([
      service.request('GET', '/metrics'),
      service.request('GET', '/metrics', undefined, {
        accept: 'application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5',
      }),
    ]);
    metrics = { plain: plain.text, open: open.text, openType: open.headers.get('content-type') };
  } finally {
    await service.close();
  }
  log = service.logLines();
  const exported = collector.got.map(({ json }) => json as unknown as Export);
  spans = exported.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  resource = exported[0]!.resourceSpans[0]!.resource.attributes;
});
afterAll(async () => {
  await Promise.all([collector.stop(), receiver.stop(), apiServer.stop()]);
  await rm(folder, { recursive: true });
});

describe('traces', () => {
  it('go to the path of the collector, and name the service', () => {
    expect(new Set(collector.got.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
    expect(attributesOf(resource)).toMatchObject({ 'service.name': 'placement-eu', 'service.version': '0.1.0' });
  });

  it('continue that of the caller, from the request to the evaluation', () => {
    const request = named('POST /api/v1/clusters/:cluster/placements');
    expect(request).toMatchObject({ parentSpanId: PARENT, kind: SERVER });
    expect(attributesOf(request.attributes)).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/api/v1/clusters/:cluster/placements',
      'url.path': '/api/v1/clusters/c/placements',
      'http.response.status_code': 200,
    });
    const question = named('placements.place');
    expect(question.parentSpanId).toBe(request.spanId);
    expect(attributesOf(question.attributes)).toEqual({ 'kube_placement.cluster': 'c' });
    expect(named('evaluate placement').parentSpanId).toBe(question.spanId);
    expect(named('evaluate').parentSpanId).toBe(named('taints.inventory').spanId);
    expect(named('load state').parentSpanId).toBe(question.spanId);
  });

  it('hold the statements of the database, without values', () => {
    const ofQuestion = spans.filter((span) => span.parentSpanId === named('placements.place').spanId);
    const statements = ofQuestion.filter(({ kind }) => kind === CLIENT);
    expect(statements.length).toBeGreaterThan(0);
    for (const { name, attributes } of statements) {
      expect(name).toMatch(/^[A-Z]+( \w+)?$/);
      expect(attributesOf(attributes)).toMatchObject({ 'db.system.name': 'postgresql' });
      expect(attributesOf(attributes)['db.query.text']).not.toContain("'c'");
    }
  });

  it('hold the questions of GraphQL', () => {
    expect(named('clusters.list').parentSpanId).toBe(named('POST /graphql').spanId);
  });

  it('say what was refused, but hold no query', () => {
    const refused = named('GET /api/v1/clusters/:cluster/nodes');
    expect(attributesOf(refused.attributes)).toMatchObject({ 'http.response.status_code': 404 });
    // A 4xx is the caller's error.
    expect(refused.status.code ?? 0).toBe(0);
    expect(JSON.stringify(spans)).not.toContain('hidden');
  });

  it('go on at receivers', () => {
    const [, trace, parent] = String(receiver.got[0]!.headers['traceparent']).split('-');
    const sent = named('POST receiver');
    expect([trace, parent, sent.kind]).toEqual([TRACE, sent.spanId, CLIENT]);
    expect(receiver.got[0]!.headers['tracestate']).toBe('vendor=1');
    expect(receiver.got[0]!.headers['baggage']).toBeUndefined();
  });

  it('go on at API servers', () => {
    const sent = spans.filter(({ name, traceId }) => traceId === TRACE && name.endsWith(' API server'));
    const got = apiServer.asked.map((asked, index) => [
      `${asked.split(' ')[0]!} API server`,
      apiServer.traceParents[index],
    ]);
    expect(got.sort()).toEqual(sent.map(({ name, spanId }) => [name, `00-${TRACE}-${spanId}-01`]).sort());
    expect(sent.map(({ name, kind }) => [name, kind])).toContainEqual(['GET API server', CLIENT]);
  });

  it('leave out probes, and what the caller does not sample', () => {
    expect(spans.filter(({ name }) => name.includes('healthz'))).toEqual([]);
    expect(spans.filter(({ traceId }) => traceId === 'a'.repeat(32))).toEqual([]);
  });

  it('are named by the log', () => {
    const lines = log.split('\n').filter((line) => line.includes('"path":"/api/v1/clusters/c/placements"'));
    const request = named('POST /api/v1/clusters/:cluster/placements');
    expect(JSON.parse(lines[0]!)).toMatchObject({ traceId: TRACE, spanId: request.spanId, parentSpanId: PARENT });
  });

  it('are examples in OpenMetrics, beside which the text format is as before', () => {
    expect(metrics.openType).toContain('application/openmetrics-text');
    const exemplar = /route="\/api\/v1\/clusters\/:cluster\/placements",[^\n]* # \{trace_id="([0-9a-f]{32})"\}/.exec(
      metrics.open,
    );
    expect(exemplar?.[1]).toBe(TRACE);
    expect(metrics.open).not.toContain('a'.repeat(32));
    expect(metrics.open.endsWith('\n# EOF\n')).toBe(true);
    expect(metrics.open).toMatch(
      /^# TYPE kube_placement_snapshots counter\nkube_placement_snapshots_total\{outcome="committed"\} 1$/m,
    );
    expect(metrics.plain).toMatch(/^kube_placement_snapshots_total\{outcome="committed"\} 1$/m);
    expect(metrics.plain).not.toContain('trace_id');
  });
});
