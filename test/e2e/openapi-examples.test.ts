import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { putConnection } from '../../src/contract/connections/questions.js';
import { putGeneralRule, putRule } from '../../src/contract/notifications/questions.js';
import { notificationDelivery } from '../../src/contract/notifications/notification.js';
import { putPool } from '../../src/contract/pools/questions.js';
import { decision } from '../../src/contract/decisions/decision.js';
import { taintChange } from '../../src/contract/taint-changes/taint-change.js';
import { askedClusters } from '../../src/storage/asked-clusters.js';
import { importBuilt } from '../support/import-built.js';
import type {
  gatheringInserts as Gathering,
  notifyingBesidesRows as NotifyingBesidesRows,
  recordStatements as Record,
  SentStatement,
  unprunedTables as Unpruned,
} from '../support/partitioned-clusters.js';
import { partitionByCluster } from '../support/partition-by-cluster.js';
import { IS_DISTRIBUTED } from '../support/postgres.js';
import { RecordedApiServer } from '../support/recorded-api-server.js';
import { startTestService, type TestService } from '../support/service.js';

// The clients of the service are those of the build.
const { gatheringInserts, notifyingBesidesRows, recordStatements, unprunedTables } = await importBuilt<{
  readonly gatheringInserts: typeof Gathering;
  readonly notifyingBesidesRows: typeof NotifyingBesidesRows;
  readonly recordStatements: typeof Record;
  readonly unprunedTables: typeof Unpruned;
}>('test/support/partitioned-clusters.js');

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  example?: unknown;
}
interface OpenApiOperation {
  operationId: string;
  responses: Record<string, { content?: Record<string, unknown> }>;
  parameters?: { $ref: string }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

/** What the examples of the document speak of. */
const EXAMPLE_CLUSTER = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-1' },
      status: { allocatable: { cpu: '4', pods: '110' } },
    },
    ...['web', 'web-0'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'web' }] },
    })),
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'team-quota', namespace: 'default' },
      spec: { hard: { pods: '100' } },
      status: { hard: { pods: '100' }, used: { pods: '2' } },
    },
  ],
};

describe('the examples of openapi.yaml', () => {
  let service: TestService;
  let apiServer: RecordedApiServer;
  let folder: string;
  let recorded: ReturnType<typeof recordStatements>;
  /** In the place of the one that the examples name: the service makes up the ids of changes. */
  let changeId = '';
  /** A change that waits for approval. */
  let waitingId = '';
  /** The same of decisions. */
  let decisionId = '';
  /** The same of deliveries. */
  let deliveryId = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kube-placement-keys-'));
    const keyFile = join(folder, 'keys');
    await writeFile(keyFile, randomBytes(32).toString('base64'));
    apiServer = await RecordedApiServer.start();
    service = await startTestService(
      { CONNECTION_KEY_FILE: keyFile },
      {
        ...(!IS_DISTRIBUTED && { prepareDatabase: partitionByCluster }),
      },
    );
    recorded = recordStatements();
    // Twice, since two revisions are needed to compare any.
    for (const capturedAt of ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']) {
      const address = `/api/v1/clusters/example/snapshots?createCluster=true&capturedAt=${capturedAt}`;
      expect((await service.request('POST', address, EXAMPLE_CLUSTER)).status).toBe(201);
    }
    // A pod is told that it does not fit, though it does: a disagreement.
    const message = '0/1 nodes are available: 1 Too many pods.';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    const told = EXAMPLE_CLUSTER.items.map((item) =>
      item.metadata.name === 'web-0' ? { ...item, status: { conditions } } : item,
    );
    const later = '/api/v1/clusters/example/snapshots?capturedAt=2026-01-02T00:00:30Z';
    expect((await service.request('POST', later, { ...EXAMPLE_CLUSTER, items: told })).status).toBe(201);
    for (let compared: unknown = 0; compared !== 3;) {
      compared = (await service.request('GET', '/api/v1/clusters/example/agreement')).at('comparedUntil');
    }
    const change = { nodes: ['node-1'], taints: ['example=1:PreferNoSchedule'], reason: 'to be read and taken back' };
    const made = await service.request('POST', '/api/v1/clusters/example/taint-changes', change);
    changeId = String(made.at('change.id'));
    const guardrails = [{ name: 'somebody looks', require: 'false', action: 'requireApproval' }];
    const document = { apiVersion: 'kube-placement/v1', kind: 'Guardrails', guardrails };
    await service.request('PUT', '/api/v1/clusters/example/guardrails', document);
    const asked = await service.request('POST', '/api/v1/clusters/example/taint-changes', {
      ...change,
      taints: ['example=2:NoSchedule'],
    });
    waitingId = String(asked.at('change.id'));
    await service.request('DELETE', '/api/v1/clusters/example/guardrails');
    const placed = await service.request('POST', '/api/v1/clusters/example/placements', {
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [{ name: 'web' }] } },
      record: true,
    });
    decisionId = String(placed.at('decision.id'));
    for (const [path, body] of [
      ['/api/v1/clusters/example/notification-rules/oncall', putRule.examples.body],
      ['/api/v1/notification-rules/oncall', putGeneralRule.examples.body],
    ] as const) {
      expect((await service.request('PUT', path, body)).status).toBe(200);
    }
    const again = { ...change, taints: ['notify=1:NoSchedule'] };
    expect((await service.request('POST', '/api/v1/clusters/example/taint-changes', again)).status).toBe(201);
    while (deliveryId === '') {
      const deliveries = await service.request('GET', '/api/v1/clusters/example/notification-deliveries');
      deliveryId = (deliveries.at('items.0.id') as string | undefined) ?? '';
    }
    const connected = await service.request(
      'PUT',
      '/api/v1/clusters/example/connection',
      toRecordedServer(putConnection.examples.body),
    );
    expect([connected.status, connected.at('reachable')]).toEqual([200, true]);
  });
  afterAll(async () => {
    recorded.stop();
    await service.close();
    await apiServer.stop();
    await rm(folder, { recursive: true });
  });

  /** A body with the recorded API server in the place of the one that the examples name. */
  function toRecordedServer(body: object): object {
    const { cluster } = putConnection.examples.body.kubeconfig.clusters[0]!;
    const recorded = {
      server: apiServer.url,
      'certificate-authority-data': Buffer.from(apiServer.ca).toString('base64'),
    };
    return JSON.parse(JSON.stringify(body).replace(JSON.stringify(cluster), JSON.stringify(recorded))) as object;
  }

  it('run unchanged and succeed', async () => {
    const { paths, components } = parse(await readFile('openapi.yaml', 'utf8')) as {
      paths: Record<string, Record<string, OpenApiOperation>>;
      components: { parameters: Record<string, Parameter> };
    };
    const parametersOf = ({ parameters = [] }: OpenApiOperation): Parameter[] =>
      parameters.map(({ $ref }) => components.parameters[$ref.replace(/.*\//, '')]!);
    const calls = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    const isOfPools = ({ path }: (typeof calls)[number]): boolean => /\/(pools|webhooks)\b/.test(path);
    // What deletes comes last, what makes snapshots right before it, and pools before that, so that the others find the cluster as it
    // was loaded: a pool would refuse a pod that tolerates everything.
    const rank = (call: (typeof calls)[number]): number => {
      if (call.method === 'DELETE') return call.path.endsWith('/{cluster}') ? 4 : 3;
      if (call.method === 'POST' && call.path.endsWith('/snapshots')) return 2;
      return isOfPools(call) ? 1 : 0;
    };
    const answers: string[] = [];
    let isPoolThere = false;
    // Nobody can approve anything while callers are anonymous.
    const possible = calls.filter(({ path }) => !path.endsWith('/approve'));
    for (const call of possible.sort((a, b) => rank(a) - rank(b))) {
      const { method, path, operation } = call;
      if (!isPoolThere && isOfPools(call)) {
        isPoolThere = true;
        expect((await service.request('PUT', '/api/v1/clusters/example/pools/ml', putPool.examples.body)).status).toBe(
          201,
        );
      }
      const content = operation.requestBody?.content ?? {};
      const body = (content['application/json'] ?? Object.values(content)[0])?.example;
      const isStream = operation.responses['200']?.content?.['text/event-stream'] !== undefined;
      // Do not wait for the end of an endless stream.
      const named = addressOf(path, parametersOf(operation))
        .replace(taintChange.members.id.example, path.endsWith('/reject') ? waitingId : changeId)
        .replace(decision.members.id.example, decisionId)
        .replace(`/${notificationDelivery.members.id.example}/retry`, `/${deliveryId}/retry`);
      const address = `${named}${isStream ? '?follow=false' : ''}`;
      const answer = await service.request(
        method,
        address,
        body === undefined ? undefined : toRecordedServer(body as object),
      );
      answers.push(`${operation.operationId} ${answer.status < 300 ? 'answers' : `${answer.status} ${answer.text}`}`);
    }
    expect(calls.length).toBeGreaterThan(25);
    expect(answers).toEqual(answers.map((line) => line.replace(/ .*/, ' answers')));
  });

  it('ask one partition about one cluster, and notify by statements of their own, and so does a delta that changes, touches and removes objects', async () => {
    const path = '/api/v1/clusters/changing';
    await service.request('POST', `${path}/snapshots?createCluster=true`, EXAMPLE_CLUSTER);
    const [, web, other] = EXAMPLE_CLUSTER.items;
    const delta = await service.request('POST', `${path}/deltas`, {
      stream: 's',
      sequence: 1,
      upserts: [
        { ...web, metadata: { ...web!.metadata, resourceVersion: '2' } },
        { ...other, metadata: { ...other!.metadata, labels: { app: 'web' } } },
      ],
      deletions: [{ kind: 'ResourceQuota', namespace: 'default', name: 'team-quota' }],
    });
    expect(delta.json).toMatchObject({ revision: 2 });
    recorded.stop();
    const asked = recorded.statements().filter((statement) => !isAboutSeveral(statement));
    expect(asked.length).toBeGreaterThan(150);
    const unpruned = await unprunedTables(service.databaseUrl, asked);
    expect(
      unpruned.map(({ tables, text, values }) => `${tables.join(', ')}: ${spaced(text)} ${JSON.stringify(values)}`),
    ).toEqual([]);
    const gathering = await gatheringInserts(service.databaseUrl, asked);
    expect(gathering.map(spaced).filter((text) => !GATHERED.some((part) => text.includes(part)))).toEqual([]);
    // What does not say of which cluster it is would be refused while a node hangs that keeps others.
    const unnamed = asked.filter(({ text, values }) => askedClusters(text, values) === 'all');
    expect(unnamed.map(({ text }) => spaced(text))).toEqual([]);
    const { notifying, ...besidesRows } = await notifyingBesidesRows(service.databaseUrl, recorded.statements());
    expect(notifying).toBeGreaterThan(2);
    expect(besidesRows).toEqual({ statements: [], functions: [] });
  });

  it('lead from the decision id of a response to its request in the log', async () => {
    await service.request('POST', '/api/v1/clusters/again/snapshots?createCluster=true', EXAMPLE_CLUSTER);
    const answer = await service.request('GET', '/api/v1/clusters/again/nodes', undefined, {
      'x-request-id': 'look-1',
    });
    const line = service
      .logLines()
      .split('\n')
      .find((one) => one.includes(String(answer.at('basis.decisionId'))));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ requestId: 'look-1', path: '/api/v1/clusters/again/nodes' });
  });
});

const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * What gathers rows nevertheless: they are staged in a temporary table, or joined with a table of all nodes, on each of which the insert
 * would run otherwise.
 */
const GATHERED: readonly string[] = [
  'from staged_objects',
  'insert into notification_progress',
  'insert into notification_queues',
];

/** Statements about several clusters, by a part of their text, and why they are. A rule for all clusters has null in the place of one. */
const ABOUT_SEVERAL: readonly { readonly part: string; readonly why: string; readonly ofAll?: boolean }[] = [
  { part: 'head_revision as head from clusters where id = any', why: 'a replica begins to listen' },
  { part: 'from clusters order by name', why: 'a list of clusters' },
  { part: 'from clusters where labels @>', why: 'a list of clusters by a selector' },
  {
    part: 'from clusters c join revisions r on r.cluster_id = c.id and r.number = c.head_revision where c.id = any',
    why: 'metrics',
  },
  { part: 'from clusters c left join revisions r', why: 'the fleet' },
  { part: 'from taint_trail c cross join lateral', why: 'records of several trails by time' },
  { part: 'where f.cluster_id = any($1::bigint[]) and f.sequence = 1', why: 'a list of trails' },
  { part: 'where holder = $1', why: 'a replica extends or ends its leases' },
  { part: 'from clusters k left join cluster_connections c', why: 'the clusters that are to be followed' },
  { part: 'from clusters c left join notification_progress p', why: 'the poll for clusters that nobody tells of' },
  { part: "d.state = 'waiting' group by c.name", why: 'metrics' },
  { part: 'delete from notification_deliveries where cluster_id = any', why: 'old deliveries are removed' },
  { part: 'as at from taint_change_applications where cluster_id = any', why: 'the poll for changes to write' },
  { part: "expiry = 'pending' and expires_at <= $1", why: 'the poll for changes that expire' },
  { part: 'select min(expires_at) as at from taint_changes', why: 'when to poll next' },
  { part: "state = 'waiting' and approve_by <= $1", why: 'the poll for approvals that are overdue' },
  { part: 'select min(approve_by) as at from asked_changes', why: 'when to poll next' },
  { part: 'from expectation_progress p join clusters c', why: 'retention of turns' },
  { part: 'p.cluster_id = any($1::bigint[]) where c.id = any', why: 'news of several clusters at once' },
  { part: 'where cluster_id = any($2::bigint[]) and kind = ', why: 'news of several clusters at once' },
  {
    part: 'where c.id = any($1::bigint[]) and exists (select from',
    why: 'news of several clusters at once; retention',
  },
  {
    part: '($2::bigint is null or cluster_id = $2) group by rule_id',
    why: 'the deliveries of rules for all clusters are counted',
    ofAll: true,
  },
  { part: 'from clusters where $1::bigint is null or id = $1', why: 'a rule for all clusters is put', ofAll: true },
  { part: 'from clusters c where $2::bigint is null or c.id = $2', why: 'a rule for all clusters begins', ofAll: true },
  {
    part: 'where rule_id = $1 and ($3::bigint is null or cluster_id = $3)',
    why: 'a rule for all clusters',
    ofAll: true,
  },
];

const isAboutSeveral = ({ text, values }: SentStatement): boolean =>
  ABOUT_SEVERAL.some(({ part, ofAll }) => spaced(text).includes(part) && (ofAll !== true || values.includes(null)));

/** The path with its examples put in, and the query parameters that must be there. */
function addressOf(path: string, parameters: readonly Parameter[]): string {
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place, required, example } of parameters) {
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(String(example)));
    if (place === 'query' && required) query.set(name, String(example));
  }
  return query.size === 0 ? address : `${address}?${query.toString()}`;
}
