import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSources } from '../support/build-sources.js';
import { node, pod } from '../support/dumps.js';
import { ListingApiServer } from '../support/listing-api-server.js';
import { startTestService, type TestService } from '../support/service.js';

/** As in a list: without apiVersion and kind. */
const item = (object: object): object => {
  const { apiVersion, kind, ...rest } = object as Record<string, unknown>;
  expect([apiVersion, kind]).not.toContain(undefined);
  return rest;
};

const DENIED = 'pods is forbidden: User "reader" cannot list resource "pods" in API group "" at the cluster scope';
const NODES = {
  apiVersion: 'v1',
  plural: 'nodes',
  kind: 'Node',
  items: Array.from({ length: 1203 }, (_, index) => item(node(`n${index}`))),
};
const PODS = { apiVersion: 'v1', plural: 'pods', kind: 'Pod', items: [item(pod('shop/web', 'n1'))] };
const RESOURCES = [
  NODES,
  PODS,
  { apiVersion: 'v1', plural: 'secrets', kind: 'Secret', items: [{ metadata: { name: 's', namespace: 'shop' } }] },
  { apiVersion: 'apps/v1', plural: 'deployments', kind: 'Deployment', items: [] },
  { apiVersion: 'policy/v1beta1', plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', items: [] },
];

let service: TestService;
let sources: string;
let folder: string;
let apiServer: ListingApiServer;
beforeAll(async () => {
  [service, sources, folder, apiServer] = await Promise.all([
    startTestService(),
    buildSources('snapshot-of-context-test', ['src/cli', 'src/kube-api', 'src/core', 'src/tracing']),
    mkdtemp(join(tmpdir(), 'snapshot-of-context-')),
    ListingApiServer.start(RESOURCES),
  ]);
}, 240_000);
afterAll(async () => {
  await Promise.all([service.close(), apiServer.close()]);
  await rm(sources, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

let made = 0;

/** Runs the command against a cluster of its own name. */
async function snapshot(
  kubeconfig: object,
  options: readonly string[] = ['--context', 'here'],
): Promise<{ code: number; out: string; err: string; cluster: string }> {
  const cluster = `c${++made}`;
  const file = join(folder, `${cluster}.yaml`);
  await writeFile(file, JSON.stringify(kubeconfig));
  const given = [join(sources, 'src/cli/snapshot.js'), '--cluster', cluster, '--url', service.url, ...options];
  return new Promise((resolve) => {
    execFile(process.execPath, given, { env: { ...process.env, KUBECONFIG: file } }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err, cluster }),
    );
  });
}

const detailsOf = async (cluster: string): Promise<unknown> =>
  (await service.request('GET', `/api/v1/clusters/${cluster}/snapshots/head`)).at('snapshot');

describe('npm run snapshot -- --context', () => {
  it('stores the lists of all kinds that the cluster serves, read in pages, with their resourceVersions', async () => {
    apiServer.asked.length = 0;
    const { code, out, err, cluster } = await snapshot(apiServer.kubeconfig());
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('stored as revision 1\nkept: 1203 Node, 1 Pod\n');
    expect(apiServer.asked.filter((path) => path.startsWith('/api/v1/nodes'))).toEqual([
      '/api/v1/nodes?limit=500',
      '/api/v1/nodes?limit=500&continue=500',
      '/api/v1/nodes?limit=500&continue=1000',
    ]);
    expect(apiServer.asked).not.toContain('/api/v1/secrets?limit=500');
    expect(await detailsOf(cluster)).toMatchObject({
      loadedKinds: ['Deployment', 'Node', 'Pod', 'PodDisruptionBudget'],
      resourceVersions: ['Deployment', 'Node', 'Pod', 'PodDisruptionBudget'].map((kind) => ({
        kind,
        resourceVersion: '100',
      })),
    });
  });

  it('leaves out kinds that the user may not list, with the rule that is missing', async () => {
    apiServer.resources = [NODES, { ...PODS, denied: DENIED }];
    const { code, out, err, cluster } = await snapshot(apiServer.kubeconfig());
    apiServer.resources = RESOURCES;
    expect(code).toBe(0);
    expect(out).toContain('kept: 1203 Node\n');
    expect(err).toBe(
      `left out: Pod: 403: ${DENIED}\n` +
        '  missing in a ClusterRole: {"apiGroups":[""],"resources":["pods"],"verbs":["list"]}\n',
    );
    expect(await detailsOf(cluster)).toMatchObject({ loadedKinds: ['Node'] });
  });

  it('reads whole lists if the pages expire, and stores nothing of the first try', async () => {
    apiServer.expires = true;
    const { code, out, err } = await snapshot(apiServer.kubeconfig());
    apiServer.expires = false;
    expect(code).toBe(0);
    expect(out).toContain('stored as revision 1\nkept: 1203 Node, 1 Pod\n');
    expect(err).toContain('too old; reading whole lists');
  });

  it('runs the exec plugin of the kubeconfig', async () => {
    const credential = {
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      status: { token: 'the-token' },
    };
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`],
      interactiveMode: 'Never',
    };
    expect((await snapshot(apiServer.kubeconfig({ exec }))).code).toBe(0);
  });

  it.each<[string, () => object, readonly string[], RegExp]>([
    [
      'credentials that the server refuses',
      () => apiServer.kubeconfig({ token: 'other' }),
      ['--context', 'here'],
      /the API server answered 401 to \/apis: Unauthorized/,
    ],
    [
      'a context that is not there',
      () => apiServer.kubeconfig(),
      ['--context', 'there'],
      /contexts has no context "there"/,
    ],
    [
      'files as well',
      () => apiServer.kubeconfig(),
      ['--context', 'here', 'dump.json'],
      /give either files or --context/,
    ],
  ])('explains %s, and ends with 1', async (_, kubeconfig, options, message) => {
    const { code, err } = await snapshot(kubeconfig(), options);
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(err).not.toContain('other');
  });
});
