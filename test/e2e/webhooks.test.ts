import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import pg from 'pg';
import { callWebhook, type WebhookAnswer } from '../support/api-server.js';
import { certificateIn, type CertificateFiles, type TestCertificate } from '../support/certificates.js';
import { list, node } from '../support/dumps.js';
import { sql } from '../support/sql.js';
import { startTestService, type TestService } from '../support/service.js';

const CLUSTER = '/api/v1/clusters/shop';

let service: TestService;
let folder: string;
let certificate: CertificateFiles;
let configuration: { items: { webhooks: { clientConfig: { url: string; caBundle: string } }[] }[] };

/** What `fetch` cannot do: trust a certificate of one's own. */
async function api(method: string, path: string, body?: object): Promise<{ status: number; json: unknown }> {
  const { Agent, request } = await import('node:https');
  const agent = new Agent({ ca: certificate.cert });
  return new Promise((resolve, reject) => {
    const sent = request(
      service.url + path,
      { method, agent, headers: { 'content-type': 'application/json' } },
      (got) => {
        let text = '';
        got.on('data', (part: Buffer) => (text += part.toString()));
        got.on('end', () => {
          agent.destroy();
          resolve({ status: got.statusCode ?? 0, json: text === '' ? undefined : (JSON.parse(text) as unknown) });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
  certificate = await certificateIn(folder, 'kube-placement');
  service = await startTestService({ TLS_CERT_FILE: certificate.certFile, TLS_KEY_FILE: certificate.keyFile });
  const { metadata, ...plain } = node('big') as { metadata: object };
  const objects = [
    { ...plain, metadata: { ...metadata, labels: { type: 'big' } } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ml', labels: { team: 'ml' } } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } },
  ];
  const snapshot = JSON.parse(list(objects)) as object;
  expect((await api('POST', `${CLUSTER}/snapshots?createCluster=true`, snapshot)).status).toBe(201);
  const pool = {
    nodes: { matchLabels: { type: 'big' } },
    taints: ['dedicated=ml:NoSchedule'],
    labels: { dedicated: 'ml' },
    users: { namespaceSelector: { matchLabels: { team: 'ml' } } },
  };
  expect((await api('PUT', `${CLUSTER}/pools/ml`, pool)).status).toBe(201);
  const found = await api(
    'GET',
    `${CLUSTER}/webhooks/configuration?url=${encodeURIComponent(service.url)}&failurePolicy=Fail`,
  );
  configuration = found.json as typeof configuration;
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

let calls = 0;
const review = (namespace: string, spec: object, more: object = {}, metadata: object = { name: 'p' }): object => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: `uid-${++calls}`,
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    requestKind: { group: '', version: 'v1', kind: 'Pod' },
    requestResource: { group: '', version: 'v1', resource: 'pods' },
    namespace,
    operation: 'CREATE',
    userInfo: { username: 'alice', groups: ['system:authenticated'] },
    object: {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { namespace, creationTimestamp: null, ...metadata },
      spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'A', value: 'b' }] }], ...spec },
      status: {},
    },
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    ...more,
  },
});

function call(which: 'mutate' | 'validate', body: string | object, timeout?: string): Promise<WebhookAnswer> {
  const { clientConfig } = configuration.items[which === 'mutate' ? 0 : 1]!.webhooks[0]!;
  return callWebhook(clientConfig.url, clientConfig.caBundle, body, timeout);
}

const responseOf = ({ json }: WebhookAnswer) =>
  (
    json as {
      response: {
        uid: string;
        allowed: boolean;
        patch?: string;
        patchType?: string;
        status?: object;
        warnings?: string[];
      };
    }
  ).response;
const patchOf = (answer: WebhookAnswer): unknown =>
  JSON.parse(Buffer.from(responseOf(answer).patch ?? '', 'base64').toString());
const records = async (query = ''): Promise<Record<string, unknown>[]> =>
  ((await api('GET', `${CLUSTER}/admission-records${query}`)).json as { items: Record<string, unknown>[] }).items;

const WIDE = { tolerations: [{ operator: 'Exists' }] };

describe('webhooks', () => {
  it('are configured by a manifest with their URL and the CA to trust', () => {
    expect(configuration).toMatchObject({
      kind: 'List',
      items: [
        {
          kind: 'MutatingWebhookConfiguration',
          webhooks: [
            {
              admissionReviewVersions: ['v1'],
              failurePolicy: 'Fail',
              sideEffects: 'NoneOnDryRun',
              timeoutSeconds: 5,
              clientConfig: {
                url: `${service.url}${CLUSTER}/webhooks/mutate-pods`,
                caBundle: certificate.cert.toString('base64'),
              },
              namespaceSelector: {
                matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
              },
              rules: [{ operations: ['CREATE'], resources: ['pods'] }],
            },
          ],
        },
        {
          kind: 'ValidatingWebhookConfiguration',
          webhooks: [{ rules: [{ operations: ['CREATE', 'UPDATE'], resources: ['pods'] }] }],
        },
      ],
    });
  });

  it('add what the pool requires to a pod, as a patch under the uid of the request', async () => {
    const sent = review('ml', { tolerations: [{ key: 'x', operator: 'Exists' }] });
    const answer = await call('mutate', sent);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: (sent as { request: { uid: string } }).request.uid, allowed: true, patchType: 'JSONPatch' },
    });
    expect(patchOf(answer)).toEqual([
      {
        op: 'add',
        path: '/spec/tolerations/1',
        value: { key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' },
      },
      {
        op: 'add',
        path: '/spec/affinity',
        value: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'dedicated', operator: 'In', values: ['ml'] }] }],
            },
          },
        },
      },
    ]);
  });

  it('refuse an intruder with status, reason and the field that causes it', async () => {
    const answer = responseOf(await call('validate', review('web', WIDE)));
    expect(answer).toMatchObject({
      allowed: false,
      status: {
        code: 403,
        reason: 'Forbidden',
        message:
          'pool "ml" is not open to pods of namespace "web" that run as service account "default": ' +
          'spec.tolerations[0] (Exists without a key, for every taint) tolerates dedicated=ml:NoSchedule',
      },
    });
    expect(answer.patch).toBeUndefined();
  });

  it.each<[string, 'mutate' | 'validate', object]>([
    ['a pod that may use the pool', 'validate', review('ml', WIDE)],
    ['a pod of no pool', 'mutate', review('web', {})],
    ['a pod of an exempt namespace', 'validate', review('kube-system', WIDE)],
    [
      'a pod of a DaemonSet',
      'validate',
      review(
        'web',
        WIDE,
        {},
        {
          name: 'd',
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true }],
        },
      ),
    ],
    [
      'a mirror pod',
      'validate',
      review('web', WIDE, {}, { name: 'm', annotations: { 'kubernetes.io/config.mirror': 'x' } }),
    ],
    [
      'a container to debug a pod',
      'validate',
      review('web', WIDE, { subResource: 'ephemeralcontainers', operation: 'UPDATE' }),
    ],
    ['a bound pod', 'validate', review('web', WIDE, { subResource: 'binding' })],
    [
      'a deployment',
      'mutate',
      review(
        'ml',
        {},
        { resource: { group: 'apps', version: 'v1', resource: 'deployments' }, object: { kind: 'Deployment' } },
      ),
    ],
    ['a deletion', 'validate', review('web', WIDE, { operation: 'DELETE', object: null })],
    ['an update, in the mutating webhook', 'mutate', review('ml', {}, { operation: 'UPDATE' })],
  ])('admit %s', async (_, which, body) => {
    const answer = await call(which, body);
    expect(answer.status).toBe(200);
    expect(responseOf(answer)).toEqual({
      uid: (body as { request: { uid: string } }).request.uid,
      allowed: true,
    });
  });

  it('refuse an update only for what it adds', async () => {
    const update = (before: object, after: object): object => {
      const { request } = review('web', before) as { request: { object: object } };
      return review('web', after, { operation: 'UPDATE', oldObject: request.object });
    };
    expect(responseOf(await call('validate', update(WIDE, WIDE))).allowed).toBe(true);
    expect(responseOf(await call('validate', update({}, WIDE))).allowed).toBe(false);
  });

  it('warn, and refuse nobody, if the labels of a namespace are unknown', async () => {
    const added = responseOf(await call('mutate', review('new', {})));
    expect([added.allowed, added.warnings]).toEqual([
      true,
      ['whether this pod may use pool ml depends on the labels of namespace new, which are not known'],
    ]);
    expect(responseOf(await call('validate', review('new', WIDE))).allowed).toBe(true);
  });

  it.each<[string, string | object, number, string[]]>([
    ['another version', { ...review('ml', {}), apiVersion: 'admission.k8s.io/v1beta1' }, 400, ['apiVersion']],
    ['another kind', { ...review('ml', {}), kind: 'Pod' }, 400, ['kind']],
    ['no uid', review('ml', {}, { uid: '' }), 400, ['request.uid']],
    ['no request', { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }, 400, ['request']],
    [
      'all of it',
      { request: { uid: 1, operation: [], resource: 'pods' } },
      400,
      ['apiVersion', 'kind', 'request.resource', 'request.uid', 'request.operation', 'request.resource.resource'],
    ],
    [
      'a pod that is not one',
      review('ml', {}, { object: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } } }),
      400,
      ['request.object.kind'],
    ],
    ['a pod with a bad field', review('ml', { tolerations: 'all' }), 400, ['request.object.spec.tolerations']],
    ['no pod', review('ml', {}, { object: null }), 400, ['request.object']],
    ['a list', '[]', 400, ['apiVersion', 'kind', 'request']],
    ['malformed JSON', '{"apiVersion":', 400, ['']],
    ['nothing', '', 400, ['apiVersion', 'kind', 'request']],
  ])('fail on %s, so that the failurePolicy decides', async (_, body, status, fields) => {
    for (const which of ['mutate', 'validate'] as const) {
      const answer = await call(which, body);
      expect(answer.status).toBe(status);
      const { errors = [] } = answer.json as { errors?: { field?: string }[] };
      expect(errors.map(({ field = '' }) => field)).toEqual(fields);
    }
  });

  it('take objects of 3 MB, and the one before as well', async () => {
    const large = { annotations: { note: 'x'.repeat(3 * 1024 * 1024) }, name: 'large' };
    expect(responseOf(await call('mutate', review('ml', {}, {}, large))).patchType).toBe('JSONPatch');
    const { request } = review('web', {}, {}, large) as { request: { object: object } };
    const body = review('web', WIDE, { operation: 'UPDATE', oldObject: request.object }, large);
    expect(responseOf(await call('validate', body)).allowed).toBe(false);
  });

  it('refuse an invalid timeout', async () => {
    expect((await call('mutate', review('ml', {}), 'soon')).status).toBe(400);
    expect((await call('mutate', review('ml', {}), '1m0.5s')).status).toBe(200);
  });

  it('fail in time if their records cannot be stored in time, and need no store for pods that they do not concern', async () => {
    const before = (await records()).length;
    const client = new pg.Client(service.databaseUrl);
    await client.connect();
    try {
      await client.query('begin');
      await client.query('lock table admission_records in access exclusive mode');
      const late = await call('mutate', review('ml', {}), '500ms');
      expect([late.status, (late.json as { code: string }).code]).toEqual([504, 'webhook-timeout']);
      const refused = await call('validate', review('web', WIDE), '500ms');
      expect([refused.status, (refused.json as { code: string }).code]).toEqual([504, 'webhook-timeout']);
      expect((await call('mutate', review('web', {}), '5s')).status).toBe(200);
      expect((await call('mutate', review('ml', {}, { dryRun: true }), '5s')).status).toBe(200);
      await client.query('rollback');
    } finally {
      await client.end();
    }
    // A record that was too late for its caller is still stored, before later ones.
    expect((await call('mutate', review('ml', {}))).status).toBe(200);
    expect((await records('?limit=500')).length).toBe(Math.min(before + 3, 500));
  });

  it('know nothing of a cluster that is not there', async () => {
    const { clientConfig } = configuration.items[0]!.webhooks[0]!;
    const elsewhere = clientConfig.url.replace('/shop/', '/nowhere/');
    expect((await callWebhook(elsewhere, clientConfig.caBundle, review('ml', {}))).status).toBe(404);
  });

  it('keep a record of what they did, but not of dry runs', async () => {
    const before = (await records()).length;
    await call('mutate', review('ml', {}, { dryRun: true }));
    expect(await records()).toHaveLength(before);
    await call('mutate', review('ml', { serviceAccountName: 'trainer' }, {}, { generateName: 'job-' }));
    await call('validate', review('web', WIDE, {}, { name: 'intruder' }));
    const [refused, added] = await records('?limit=2');
    expect(added).toMatchObject({
      outcome: 'added',
      operation: 'CREATE',
      namespace: 'ml',
      pod: '',
      generateName: 'job-',
      serviceAccount: 'trainer',
      username: 'alice',
      caller: { name: 'anonymous', kind: 'anonymous', issuer: null },
      pools: ['ml'],
      revision: 2,
      message: '',
    });
    expect((added!['patch'] as { path: string; why: string }[]).map(({ path }) => path)).toEqual([
      '/spec/tolerations',
      '/spec/affinity',
    ]);
    expect(refused).toMatchObject({ outcome: 'refused', namespace: 'web', pod: 'intruder', pools: ['ml'], patch: [] });
    expect(refused!['message']).toContain('spec.tolerations[0]');
    expect((await records('?outcome=refused&namespace=web&pod=intruder&pool=ml&username=alice')).length).toBe(1);
    expect(await records('?from=2100-01-01T00:00:00Z')).toEqual([]);
    const graphql = await api('POST', '/graphql', {
      query:
        '{ admissionRecords(cluster: "shop", first: 2) { nodes { id outcome namespace pod message } pageInfo { hasNextPage } } }',
    });
    expect(graphql.json).toMatchObject({
      data: {
        admissionRecords: {
          nodes: [{ id: refused!['id'], pod: 'intruder' }, { id: added!['id'] }],
          pageInfo: { hasNextPage: true },
        },
      },
    });
  });

  it('keep records that nobody changes, page by page', async () => {
    const all = await records('?limit=100');
    const paged: unknown[] = [];
    let next: string | null = '';
    while (next !== null) {
      const query: string = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
      const page = (await api('GET', `${CLUSTER}/admission-records?limit=3${query}`)).json as {
        items: unknown[];
        continue: string | null;
      };
      paged.push(...page.items);
      next = page.continue;
    }
    expect(paged).toEqual(all);
    for (const statement of [
      'update admission_records set pod = $$x$$',
      'delete from admission_records',
      'truncate admission_records',
    ]) {
      await expect(sql(service.databaseUrl, statement)).rejects.toThrow('append only');
    }
  });

  it('take up a new certificate without a new start', async () => {
    const next = await certificateIn(folder, 'rotated');
    await copyFile(next.keyFile, certificate.keyFile);
    await copyFile(next.certFile, certificate.certFile);
    const { port } = new URL(service.url);
    const shown = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
          resolve(String(socket.getPeerCertificate().subject.CN));
          socket.end();
        });
        socket.on('error', reject);
      });
    const until = Date.now() + 20_000;
    while ((await shown()) !== 'rotated' && Date.now() < until);
    expect(await shown()).toBe('rotated');
    certificate = { ...next, certFile: certificate.certFile, keyFile: certificate.keyFile };
    expect((await api('GET', CLUSTER)).status).toBe(200);
  }, 30_000);

  it('outlive their cluster in what they recorded', async () => {
    const before = await records();
    expect((await api('DELETE', CLUSTER)).status).toBe(200);
    expect(await records()).toEqual(before);
    expect((await api('GET', '/api/v1/clusters/nowhere/admission-records')).status).toBe(404);
  });
});

describe('a service with a client authority', () => {
  it('lets in whoever has a certificate of it, and nobody else', async () => {
    const [server, client, stranger] = await Promise.all(
      ['server', 'client', 'stranger'].map((name) => certificateIn(folder, name)),
    );
    const one = await startTestService({
      TLS_CERT_FILE: server!.certFile,
      TLS_KEY_FILE: server!.keyFile,
      TLS_CLIENT_CA_FILE: client!.certFile,
    });
    try {
      const ca = server!.cert.toString('base64');
      const call = (own: Partial<TestCertificate>) =>
        callWebhook(`${one.url}/api/v1/clusters/c/webhooks/mutate-pods`, ca, {}, '5s', own);
      expect((await call({ cert: client!.cert, key: client!.key })).status).toBe(400);
      await expect(call({})).rejects.toThrow();
      await expect(call({ cert: stranger!.cert, key: stranger!.key })).rejects.toThrow();
    } finally {
      await one.close();
    }
  });
});
