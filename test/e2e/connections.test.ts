import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KINDS } from '../../src/core/kubernetes/kinds.js';
import { node } from '../support/dumps.js';
import { RecordedApiServer } from '../support/recorded-api-server.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';
import { sql } from '../support/sql.js';

const ALL_KINDS = `&kinds=${KINDS.map(({ kind }) => kind).join(',')}`;
const AT = '/api/v1/clusters/shop';
const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.secret-of-the-cluster';
const CLUSTER = [
  node('a'),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'kyverno' },
    webhooks: [
      {
        name: 'validate.kyverno.svc',
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
    ],
  },
];
const deployment = (name = 'web'): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'registry.example/x:1', resources: { requests: { cpu: '100m' } } }] },
    },
  },
});

let folder: string;
let keyFile: string;
let apiServer: RecordedApiServer;
let service: TestService;
const key = (): string => randomBytes(32).toString('base64');
const FIRST = key();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-placement-keys-'));
  keyFile = join(folder, 'keys');
  await writeFile(keyFile, `${FIRST}\n`);
  apiServer = await RecordedApiServer.start();
  service = await startTestService({ CONNECTION_KEY_FILE: keyFile });
  await store(service, 'shop', CLUSTER, ALL_KINDS);
});
afterAll(async () => {
  await service.close();
  await apiServer.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  apiServer.asked.length = 0;
  apiServer.plays = 'allowed';
  apiServer.allows = true;
  apiServer.refusal = '';
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const kubeconfig = (server: string, user: object, cluster: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'prod',
  contexts: [{ name: 'prod', context: { cluster: 'c', user: 'u' } }],
  clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': base64(apiServer.ca), ...cluster } }],
  users: [{ name: 'u', user }],
});
const put = (body: object): Promise<Answer> => service.request('PUT', `${AT}/connection`, body);
const connect = (more: object = { dryRuns: true }): Promise<Answer> =>
  put({ kubeconfig: kubeconfig(apiServer.url, { token: TOKEN }), ...more });
const ask = (question: string, body: object, parameters = ''): Promise<Answer> =>
  service.request('POST', `${AT}/${question}${parameters}`, body);

describe('the connection of a cluster', () => {
  it('is refused with everything that is wrong with the kubeconfig, and nothing is stored', async () => {
    const refused = await put({
      kubeconfig: kubeconfig(
        'http://user@10.0.0.1',
        { exec: { command: 'aws' }, tokenFile: '/etc/token', 'client-certificate-data': '???' },
        { 'insecure-skip-tls-verify': true, 'certificate-authority': '/etc/ca.crt' },
      ),
      inCluster: true,
    });
    expect(refused.status).toBe(400);
    const errors = refused.at('errors') as readonly { readonly pointer: string }[];
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      '/inCluster',
      '/kubeconfig/clusters/0/cluster/certificate-authority',
      '/kubeconfig/clusters/0/cluster/insecure-skip-tls-verify',
      '/kubeconfig/clusters/0/cluster/server',
      '/kubeconfig/users/0/user',
      '/kubeconfig/users/0/user/client-certificate-data',
      '/kubeconfig/users/0/user/exec',
      '/kubeconfig/users/0/user/tokenFile',
    ]);
    expect((await put({})).status).toBe(400);
    expect((await put({ inCluster: true })).at('code')).toBe('connections-not-configured');
    expect((await service.request('GET', `${AT}/connection`)).at('code')).toBe('connection-not-found');
  });

  it('says whether the API server answers and what the user lacks, and never the credentials', async () => {
    apiServer.allows = false;
    const text = JSON.stringify(kubeconfig(apiServer.url, { token: TOKEN }));
    const answers = [await put({ kubeconfig: text, dryRuns: true }), await service.request('GET', `${AT}/connection`)];
    for (const answer of answers) {
      expect(answer.json).toMatchObject({
        server: apiServer.url,
        context: 'prod',
        user: 'token',
        dryRuns: true,
        reachable: true,
        version: 'v1.36.2',
        permissions: [
          {
            verb: 'create',
            group: '',
            resource: 'pods',
            allowed: false,
            rule: { apiGroups: [''], resources: ['pods'], verbs: ['create'] },
          },
          { verb: 'patch', group: 'apps', resource: 'deployments' },
          { verb: 'patch', group: 'apps', resource: 'statefulsets' },
          { verb: 'patch', group: 'apps', resource: 'daemonsets' },
          { verb: 'patch', group: 'apps', resource: 'replicasets' },
          { verb: 'patch', group: 'batch', resource: 'jobs' },
          { verb: 'patch', group: 'batch', resource: 'cronjobs' },
        ],
      });
    }
    expect(apiServer.asked[0]!.authorization).toBe(`Bearer ${TOKEN}`);
    const query = '{ cluster(name: "shop") { connection { server reachable user } } }';
    expect((await service.graphql(query)).at('data.cluster.connection.reachable')).toBe(true);
    const rows = JSON.stringify(await sql(service.databaseUrl, 'select * from cluster_connections'));
    for (const shown of [...answers.map(({ text: body }) => body), rows, service.logLines()]) {
      expect(shown).not.toContain(TOKEN);
      expect(shown).not.toContain('secret-of-the-cluster');
    }
  });

  it('is decrypted with any key of the file, which is read anew, and for its own cluster alone', async () => {
    await connect();
    const reachable = async (): Promise<unknown> => (await service.request('GET', `${AT}/connection`)).at('reachable');
    await writeFile(keyFile, `${key()}\n${FIRST}\n`);
    expect(await reachable()).toBe(true);
    await writeFile(keyFile, key());
    const lost = await service.request('GET', `${AT}/connection`);
    expect([lost.status, lost.at('code')]).toEqual([409, 'connections-not-configured']);
    await writeFile(keyFile, `${FIRST}\n`);
    expect(await reachable()).toBe(true);
    await service.request('PUT', '/api/v1/clusters/other');
    const [other] = await sql<{ id: string }>(service.databaseUrl, `select id from clusters where name = 'other'`);
    await sql(
      service.databaseUrl,
      `insert into cluster_connections select ${other!.id}, details, secret, created_at, created_by from cluster_connections`,
    );
    const copied = await service.request('GET', '/api/v1/clusters/other/connection');
    expect([copied.status, copied.at('code')]).toEqual([409, 'connections-not-configured']);
  });

  it('is not made to addresses that no API server has', async () => {
    for (const server of [
      'https://169.254.169.254',
      'https://[fe80::1]',
      'https://[::ffff:169.254.169.254]',
      'https://0.0.0.0:6443',
    ]) {
      const answer = await put({ kubeconfig: kubeconfig(server, { token: TOKEN }) });
      expect([answer.at('reachable'), answer.at('message')]).toEqual([
        false,
        expect.stringContaining('the service does not connect to'),
      ]);
    }
    expect(apiServer.asked).toEqual([]);
  });

  it('ends when it is deleted', async () => {
    await connect();
    expect((await service.request('DELETE', `${AT}/connection`)).json).toEqual({ cluster: 'shop', deleted: true });
    expect((await service.request('DELETE', `${AT}/connection`)).at('deleted')).toBe(false);
    const refused = await ask('gates', { manifests: [deployment()], confirm: 'dryRun' });
    expect([refused.status, refused.at('code')]).toEqual([404, 'connection-not-found']);
  });
});

describe('a question that is confirmed by a dry run', () => {
  it('knows what webhooks say, and is replayed without asking again', async () => {
    await connect();
    const manifests = [deployment()];
    expect((await ask('gates', { manifests })).at('verdict')).toBe('unknown');
    const gate = await ask('gates', { manifests, confirm: 'dryRun' });
    expect([gate.at('verdict'), gate.at('summary')]).toEqual([
      'yes',
      expect.stringContaining('all 2 pods have a node'),
    ]);
    const named = { kind: 'Deployment', namespace: 'shop', name: 'web', code: 201, message: null, difference: null };
    expect(gate.at('dryRuns')).toMatchObject([
      { ...named, subject: 'object', outcome: 'admitted' },
      { ...named, subject: 'pod', outcome: 'admitted' },
    ]);
    const sent = apiServer.asked.filter(({ path }) => path.includes('/pods'));
    const query = 'dryRun=All&fieldManager=kube-placement&fieldValidation=Strict';
    expect(apiServer.asked.at(-2)).toMatchObject({
      method: 'PATCH',
      path: `/apis/apps/v1/namespaces/shop/deployments/web?${query}&force=true`,
    });
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([`POST /api/v1/namespaces/shop/pods?${query}`]);
    expect(JSON.parse(sent[0]!.body)).toMatchObject({
      kind: 'Pod',
      metadata: { generateName: 'web-', namespace: 'shop', labels: { app: 'web' } },
      spec: { containers: [{ image: 'registry.example/x:1' }] },
    });
    const id = gate.at('decision.id') as string;
    apiServer.plays = 'LimitRange refuses';
    const replay = await service.request('POST', `/api/v1/decisions/${id}/replay`);
    expect(replay.at('same.identical')).toBe(true);
    expect(apiServer.asked.filter(({ path }) => path.includes('/pods'))).toHaveLength(1);
  });

  it('is refused in the words of the API server', async () => {
    await connect();
    apiServer.plays = 'PodSecurity baseline refuses';
    const message =
      'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true), privileged (container "c" must not set securityContext.privileged=true)';
    const gate = await ask('gates', { manifests: [deployment()], confirm: 'dryRun' });
    expect(gate.at('verdict')).toBe('no');
    expect(gate.at('reasons.0')).toMatchObject({ code: 'PodRefused', verdict: 'no', by: 'kube-apiserver', pods: 2 });
    expect(gate.at('reasons.0.message')).toContain(message);
    const review = await ask('admission-reviews', { pod: deployment(), confirm: 'dryRun' });
    expect(review.json).toMatchObject({
      outcome: 'refused',
      refusal: { by: 'kube-apiserver', status: 403, message },
      undecided: [],
      dryRuns: [{ outcome: 'admitted' }, { outcome: 'refused', code: 403, message }],
    });
    const text = await service.request(
      'POST',
      `${AT}/gates`,
      { manifests: [deployment()], confirm: 'dryRun' },
      { accept: 'text/plain' },
    );
    expect(text.text).toContain(`  a pod of Deployment shop/web: refused: ${message}\n`);
  });

  it('asks about the object itself, which webhooks may be called for', async () => {
    await connect();
    const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }];
    const webhook = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'gatekeeper' },
      webhooks: [{ name: 'validation.gatekeeper.sh', rules }],
    };
    await store(service, 'shop', [node('a'), CLUSTER[1]!, webhook], ALL_KINDS);
    const gate = await ask('gates', { manifests: [deployment()] });
    expect([gate.at('verdict'), gate.at('reasons')]).toEqual([
      'unknown',
      [
        expect.objectContaining({
          code: 'ObjectUnknown',
          message:
            'webhook "validation.gatekeeper.sh" of ValidatingWebhookConfiguration "gatekeeper" is called and may refuse the Deployment',
        }),
      ],
    ]);
    expect((await ask('gates', { manifests: [deployment()], confirm: 'dryRun' })).at('verdict')).toBe('yes');
    apiServer.refusal = 'admission webhook "validation.gatekeeper.sh" denied the request: [needs-owner] no owner';
    const refused = await ask('gates', { manifests: [deployment()], confirm: 'dryRun' });
    expect(refused.at('reasons')).toMatchObject([
      { code: 'ObjectRefused', verdict: 'no', by: 'kube-apiserver', message: apiServer.refusal },
    ]);
    const review = await ask('admission-reviews', { pod: deployment(), confirm: 'dryRun' });
    expect([review.at('outcome'), review.at('refusal.message')]).toEqual(['refused', apiServer.refusal]);
    await store(service, 'shop', CLUSTER, ALL_KINDS);
  });

  it('has the warnings of the API server', async () => {
    await connect();
    apiServer.plays = 'PodSecurity warns only (Warning header)';
    const review = await ask('admission-reviews', { pod: deployment(), confirm: 'dryRun' });
    expect([review.at('outcome'), review.at('dryRuns.1.warnings.0')]).toEqual([
      'admitted',
      expect.stringContaining('would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false'),
    ]);
  });

  it('says where its own evaluation differs; the answer of the API server counts', async () => {
    await connect();
    apiServer.plays = 'no such ServiceAccount';
    await service.request('PUT', `${AT}/admission-configuration`, { harmlessWebhooks: ['kyverno'] });
    const gate = await ask('gates', { manifests: [deployment()], confirm: 'dryRun' });
    expect([gate.at('verdict'), gate.at('dryRuns.1.difference')]).toEqual([
      'no',
      'The pod is admitted, by the stored state and the plugins that are evaluated here.',
    ]);
    await service.request('DELETE', `${AT}/admission-configuration`);
  });

  it('remains unknown where the API server does not answer it', async () => {
    await connect();
    apiServer.plays = 'no right';
    const gate = await ask('gates', { manifests: [deployment()], confirm: 'dryRun' });
    expect([gate.at('verdict'), gate.at('dryRuns.1.outcome'), gate.at('dryRuns.1.message')]).toEqual([
      'unknown',
      'failed',
      'the API server answered 403: pods is forbidden: User "no-rights" cannot create resource "pods" in API group "" in the namespace "default"',
    ]);
    apiServer.plays = 'no such namespace';
    const brought = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    const withNamespace = await ask('gates', { manifests: [brought, deployment()], confirm: 'dryRun' });
    expect(withNamespace.at('dryRuns.1.outcome')).toBe('failed');
  });

  it('is refused of other moments than now, and if the connection does not allow it', async () => {
    await connect();
    const past = await ask('gates', { manifests: [deployment()], confirm: 'dryRun' }, '?revision=1');
    expect([past.status, past.at('errors.0.pointer')]).toEqual([400, '/confirm']);
    const stored = await ask('admission-reviews', {
      workloadRef: { kind: 'Deployment', namespace: 'shop', name: 'web' },
      confirm: 'dryRun',
    });
    expect([400, 404]).toContain(stored.status);
    await connect({});
    const refused = await ask('gates', { manifests: [deployment()], confirm: 'dryRun' });
    expect([refused.status, refused.at('code')]).toEqual([409, 'dry-runs-not-allowed']);
    expect(apiServer.asked.filter(({ path }) => path.includes('/pods'))).toEqual([]);
  });
});
