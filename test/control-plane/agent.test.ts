import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSources } from '../support/build-sources.js';
import { startTestService, type TestService } from '../support/service.js';
import { changeAllKinds, createAllKinds } from './all-kinds.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';
import { becomesEqual as isMirrored } from './mirror.js';

const missing = missingAssets(process.env);
if (missing !== undefined) process.stderr.write(`skipped: the agent of a running control plane; ${missing}\n`);
const AT = '/api/v1/clusters/live';

let plane: ControlPlane;
let service: TestService;
let sources: string;
let agent: ChildProcess;
let output = '';

function startAgent(): void {
  output = '';
  const program = join(sources, 'src/cli/kube-placement.js');
  const given = ['agent', '--server', service.url, '--cluster', 'live', '--coalesce', '50'];
  const kubeconfig = ['--kubeconfig', join(plane.folder!, 'kubeconfig')];
  agent = spawn(process.execPath, [program, ...given, ...kubeconfig], { stdio: ['ignore', 'ignore', 'pipe'] });
  agent.stderr!.on('data', (part: Buffer) => (output += part.toString()));
}

async function endAgent(): Promise<void> {
  if (agent.exitCode !== null) return;
  agent.kill('SIGTERM');
  await once(agent, 'exit');
}

beforeAll(async () => {
  if (missing !== undefined) return;
  [plane, service, sources] = await Promise.all([
    startControlPlane(),
    startTestService(),
    buildSources('agent-control-plane', ['src']),
  ]);
  startAgent();
}, 240_000);
afterAll(async () => {
  if (missing !== undefined) return;
  await endAgent();
  await service.close();
  await plane.stop();
  await rm(sources, { recursive: true });
}, 60_000);

const becomesEqual = (): Promise<number> =>
  isMirrored(plane.api, service.databaseUrl, () => Promise.resolve(output.slice(-3000)));

const node = (name: string): object => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });

(missing === undefined ? describe : describe.skip)('the agent of a running control plane', () => {
  it('keeps the service equal to it, and its changes of taints come into the trail', async () => {
    for (const name of ['a', 'b', 'c']) await plane.api.must('POST', '/api/v1/nodes', node(name));
    await createAllKinds(plane.api);
    expect(await becomesEqual()).toBeGreaterThan(50);
    await changeAllKinds(plane.api, 'agent');
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

  it('goes on after a restart where the service is', async () => {
    await becomesEqual();
    await endAgent();
    await changeAllKinds(plane.api, 'restarted');
    await plane.api.ask('DELETE', '/api/v1/nodes/d');
    await plane.api.must('POST', '/api/v1/nodes', node('e'));
    startAgent();
    await becomesEqual();
    const listed = [...output.matchAll(/sent a snapshot, revision \d+: (.*)/g)].map(([, kinds]) => kinds!);
    expect(output).toMatch(/going on where the service is, with \d+ objects of \d\d kinds/);
    expect(output).not.toContain('beginning anew');
    // There are policies, so that they and the ConfigMaps are read anew.
    expect(listed.join()).not.toMatch(/ (Node|Pod|Lease|ReplicaSet)\b/);
    const positions = (await service.request('GET', `${AT}/deltas`)).at('positions');
    expect(positions).not.toContainEqual(expect.objectContaining({ snapshotNeeded: true }));
  }, 150_000);
});
