import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSources } from '../support/build-sources.js';
import { startTestService, type TestService } from '../support/service.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';

const missing = missingAssets(process.env);
if (missing !== undefined) process.stderr.write(`skipped: the agent of a running control plane; ${missing}\n`);
const AT = '/api/v1/clusters/live';

let plane: ControlPlane;
let service: TestService;
let sources: string;
let agent: ChildProcess;
let output = '';
beforeAll(async () => {
  if (missing !== undefined) return;
  [plane, service, sources] = await Promise.all([
    startControlPlane(),
    startTestService(),
    buildSources('agent-control-plane', ['src']),
  ]);
  const program = join(sources, 'src/cli/kube-placement.js');
  const given = ['agent', '--server', service.url, '--cluster', 'live', '--coalesce', '50'];
  const kubeconfig = ['--kubeconfig', join(plane.folder!, 'kubeconfig')];
  agent = spawn(process.execPath, [program, ...given, ...kubeconfig], { stdio: ['ignore', 'ignore', 'pipe'] });
  agent.stderr!.on('data', (part: Buffer) => (output += part.toString()));
}, 240_000);
afterAll(async () => {
  if (missing !== undefined) return;
  if (agent.exitCode === null) {
    agent.kill('SIGTERM');
    await once(agent, 'exit');
  }
  await service.close();
  await plane.stop();
  await rm(sources, { recursive: true });
}, 60_000);

interface ShownNode {
  readonly name: string;
  readonly taints: readonly { readonly key: string }[];
}

/** The taint keys of each node, as the service has them. */
async function stored(): Promise<unknown> {
  const answer = await service.request('GET', `${AT}/nodes`);
  return ((answer.at('items') ?? []) as readonly ShownNode[]).map(({ name, taints }) => [
    name,
    taints.map(({ key }) => key).sort(),
  ]);
}

/** The same as the API server has them. */
async function truth(): Promise<unknown> {
  const { body } = await plane.api.ask('GET', '/api/v1/nodes');
  const items = body['items'] as unknown as readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly taints?: readonly { readonly key: string }[] };
  }[];
  return items.map(({ metadata, spec }) => [metadata.name, (spec.taints ?? []).map(({ key }) => key).sort()]);
}

async function becomesEqual(): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    const [has, should] = [JSON.stringify(await stored()), JSON.stringify(await truth())];
    if (has === should) return;
    if (Date.now() > end) throw new Error(`${has} ≠ ${should}\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const node = (name: string): object => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });

(missing === undefined ? describe : describe.skip)('the agent of a running control plane', () => {
  it('keeps the service equal to it, and its changes of taints come into the trail', async () => {
    for (const name of ['a', 'b', 'c']) await plane.api.must('POST', '/api/v1/nodes', node(name));
    await becomesEqual();
    await plane.api.must('PATCH', '/api/v1/nodes/b', {
      spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] },
    });
    await plane.api.ask('DELETE', '/api/v1/nodes/c');
    await plane.api.must('POST', '/api/v1/nodes', node('d'));
    await becomesEqual();
    const deltas = await service.request('GET', `${AT}/deltas`);
    const positions = deltas.at('positions') as readonly { readonly kind: string; readonly snapshotNeeded: boolean }[];
    expect(positions.filter(({ snapshotNeeded }) => snapshotNeeded)).toEqual([]);
    const records = (await service.request('GET', `${AT}/taint-trail/records`)).at('items');
    expect(records).toContainEqual(
      expect.objectContaining({ node: 'b', kind: 'change', summary: 'added dedicated:NoSchedule' }),
    );
  }, 150_000);
});
