import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runPlugin, RunningPlugin, type Ran } from '../plugin/played-cluster.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';

const missing = missingAssets(process.env);
if (missing !== undefined)
  process.stderr.write(`skipped: the kubectl plugin with a running control plane; ${missing}\n`);

const node = (name: string, taints: readonly object[] = []): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec: { taints },
});
const STATUS = {
  allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
  conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
};
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'big', namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '5' } } }] },
};

let plane: ControlPlane;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  if (missing !== undefined) return;
  [plane] = await Promise.all([
    startControlPlane({ NODE_GRACE: '24h' }),
    promisify(execFile)(process.execPath, ['scripts/build.mjs', '--plugin']),
  ]);
  env = {
    KUBECONFIG: join(plane.folder!, 'kubeconfig'),
    KUBECTL_PATH: join(process.env['KUBEBUILDER_ASSETS']!, 'kubectl'),
  };
  for (const one of [node('a'), node('b', [{ key: 'gpu', value: 'a100', effect: 'NoSchedule' }])]) {
    await plane.api.must('POST', '/api/v1/nodes', one);
  }
  for (const name of ['a', 'b']) await plane.api.must('PATCH', `/api/v1/nodes/${name}/status`, { status: STATUS });
  await plane.api.must('POST', '/api/v1/namespaces/default/pods', POD);
}, 240_000);
afterAll(() => (missing === undefined ? plane.stop() : undefined), 60_000);

const run = (...args: readonly string[]): Promise<Ran> => runPlugin(args, { env });

/** The scheduler's words about the pod, once it has tried it with both nodes ready. */
async function schedulerSays(): Promise<string> {
  for (;;) {
    const { status } = (await plane.api.must('GET', '/api/v1/namespaces/default/pods/big')) as unknown as {
      readonly status: { readonly conditions?: readonly { readonly type: string; readonly message?: string }[] };
    };
    const message = status.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
    if (message?.includes('Insufficient cpu') === true) return message;
  }
}

(missing === undefined ? describe : describe.skip)('the kubectl plugin with a running control plane', () => {
  it('says to the letter why the scheduler finds no node', async () => {
    const said = await schedulerSays();
    const { code, out } = await run('why', 'pod/big');
    expect([code, out.split('\n')[2]]).toEqual([1, said]);
  }, 60_000);

  it('gives the change that helps the pod that is there, and says yes after it', async () => {
    const file = join(plane.folder!, 'pod.json');
    const spec = { nodeSelector: { 'kubernetes.io/hostname': 'b' }, containers: [{ name: 'c', image: 'i' }] };
    const small = { ...POD, metadata: { name: 'small' }, spec };
    await writeFile(file, JSON.stringify(small));
    await plane.api.must('POST', '/api/v1/namespaces/default/pods', small);
    const no = await run('can', '-f', file);
    expect(no.code).toBe(1);
    expect(no.out).toContain('Pod default/small (line 1): tolerate gpu=a100:NoSchedule');
    expect((await run('taint', 'b', 'gpu-', '--apply', '--yes')).code).toBe(0);
    expect((await run('can', '-f', file)).code).toBe(0);
  }, 60_000);

  it('prints an answer anew after a change', async () => {
    const plugin = RunningPlugin.start(['taints', '-w'], env);
    await plugin.says('No node has a taint\n');
    await plane.api.must('PATCH', '/api/v1/nodes/a', { spec: { taints: [{ key: 'new', effect: 'NoSchedule' }] } });
    expect(await plugin.says('new:NoSchedule')).toContain('TAINT');
    expect((await plugin.end('SIGINT')).code).toBe(130);
  }, 60_000);

  it('knows that a Deployment stays as it is, with the defaults that the API server wrote, and that another one is rolled out', async () => {
    const labels = { app: 'web' };
    const [container] = POD.spec.containers;
    const template = { metadata: { labels }, spec: { containers: [{ ...container, resources: {} }] } };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: 1, paused: true, selector: { matchLabels: labels }, template },
    };
    await plane.api.must('POST', '/apis/apps/v1/namespaces/default/deployments', deployment);
    const stored = await plane.api.must('GET', '/apis/apps/v1/namespaces/default/deployments/web');
    const file = join(plane.folder!, 'web.json');
    const outcome = async (manifest: unknown): Promise<unknown> => {
      await writeFile(file, JSON.stringify(manifest));
      const { out } = await run('can', '-f', file, '-o', 'json');
      return (JSON.parse(out) as { objects: { outcome: string }[] }).objects[0]?.outcome;
    };
    expect(await outcome(stored)).toBe('unchanged');
    expect(await outcome(deployment)).toBe('unchanged');
    const changed = { ...template, spec: { containers: [{ ...container, resources: {}, command: ['stop'] }] } };
    expect(await outcome({ ...deployment, spec: { ...deployment.spec, template: changed } })).toBe('configured');
  }, 60_000);

  it('names for a user with few rights what may not be read, and says unknown', async () => {
    const rules = [{ apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list'] }];
    const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'few' };
    const at = '/apis/rbac.authorization.k8s.io/v1';
    await plane.api.must('POST', `${at}/clusterroles`, { metadata: { name: 'few' }, rules });
    await plane.api.must('POST', `${at}/clusterrolebindings`, {
      metadata: { name: 'few' },
      roleRef: role,
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'few' }],
    });
    const file = join(plane.folder!, 'new.json');
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await writeFile(file, JSON.stringify({ ...POD, metadata: { name: 'new' }, spec }));
    const { code, err } = await run('can', '-f', file, '--as', 'few');
    expect(code).toBe(2);
    expect(err).toContain('{"apiGroups":["storage.k8s.io"],"resources":["storageclasses",');
    expect(err.split('\n').length).toBeLessThan(20);
    expect(await run('why', 'pod/big', '--as', 'nobody')).toMatchObject({
      code: 2,
      err: expect.stringContaining('User "nobody" cannot list resource "nodes"'),
    });
  }, 60_000);
});
