import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { endLeases, expectOnRecord, json, untilApplied } from '../support/applied-cluster.js';
import { NodesApiServer } from '../support/nodes-api-server.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { ServiceProcess } from '../support/service-process.js';

const run = promisify(execFile);
const NODES = 200;

// The first to need the bundle makes it, on a machine that may be busy with other tests.
jest.setTimeout(240_000);

let folder: string;
let postgres: TestPostgres;
let apiServer: NodesApiServer;
let settings: Record<string, string>;
beforeAll(async () => {
  await run('node', ['scripts/build.mjs', '--bundle']);
  folder = await mkdtemp(join(tmpdir(), 'kube-placement-keys-'));
  const keys = join(folder, 'keys');
  await writeFile(keys, randomBytes(32).toString('base64'));
  settings = { CONNECTION_KEY_FILE: keys };
  postgres = await startTestPostgres();
  apiServer = await NodesApiServer.start();
});
afterAll(async () => {
  await apiServer.stop();
  await postgres.stop();
  await rm(folder, { recursive: true });
});

/**
 * When something is killed: at the n-th write (dry run, reading) of the API server, before or after it is executed; or while it is
 * executed and answered.
 */
type Blow = readonly [request: 'write' | 'dry run' | 'read', at: number, fault: 'cut' | 'cutAfter' | 'none'];

async function applyTo200(
  blows: readonly Blow[],
  replicas: number,
  victim: 'services' | 'postgres' = 'services',
): Promise<void> {
  apiServer.nodes.clear();
  apiServer.writes.length = 0;
  apiServer.meddle = () => undefined;
  for (let index = 0; index < NODES; index++) apiServer.addNode(`n${index}`);
  const databaseUrl = await postgres.createEmptyDatabase();
  const services = Array.from(
    { length: replicas },
    (_, index) => new ServiceProcess(`${index}`, databaseUrl, settings),
  );
  for (const service of services) await service.run();
  const at = (): string => `${services[0]!.url}/api/v1/clusters/shop`;
  await json(`${at()}/snapshots?createCluster=true`, 'POST', apiServer.list());
  await json(`${at()}/connection`, 'PUT', { kubeconfig: apiServer.kubeconfig(), writes: true });
  const seen = { write: 0, 'dry run': 0, read: 0 };
  let blown: Promise<void> = Promise.resolve();
  let kills = 0;
  apiServer.meddle = ({ method, dryRun }) => {
    const request = method === 'GET' ? 'read' : dryRun ? 'dry run' : 'write';
    seen[request] += 1;
    const blow = blows.find(([of, number]) => of === request && number === seen[request]);
    if (blow === undefined) return undefined;
    kills += 1;
    if (victim === 'postgres') {
      process.kill(postgres.server.pid, 'SIGKILL');
      return blow[2] === 'none' ? undefined : blow[2];
    }
    // Whichever replica writes: all of them lose power.
    blown = Promise.all(services.map((service) => service.kill()))
      .then(() => endLeases(databaseUrl))
      .then(async () => {
        for (const service of services) await service.run();
      });
    return blow[2] === 'none' ? undefined : blow[2];
  };
  const made = await json(`${at()}/taint-changes`, 'POST', {
    allNodes: true,
    taints: ['hold=x:NoSchedule'],
    reason: 'a test',
    apply: true,
  });
  const { id } = made['change'] as { readonly id: string };
  expect(await untilApplied(() => `${at()}/taint-changes/${id}`)).toBe('done');
  await blown;
  expect(kills).toBe(blows.length);
  // No change is made twice.
  expect(apiServer.done.map(({ node }) => node).sort()).toEqual([...apiServer.nodes.keys()].sort());
  const nodes = [...apiServer.nodes.values()].map(({ metadata: { name, resourceVersion } }) => ({
    name,
    resourceVersion,
    taints: apiServer.taintsOf(name),
  }));
  await expectOnRecord(databaseUrl, `${at()}/taint-trail`, nodes, 'hold=x:NoSchedule');
  for (const service of services) await service.kill();
}

describe('a change of 200 nodes', () => {
  it('is applied once to each node while the service is killed before, in and after its writes', () =>
    applyTo200(
      [
        ['write', 20, 'cutAfter'],
        ['write', 70, 'cut'],
        ['dry run', 110, 'cut'],
        ['read', 160, 'cut'],
      ],
      1,
    ));

  it('is applied once to each node by two replicas that lose power', () =>
    applyTo200(
      [
        ['write', 50, 'cutAfter'],
        ['write', 120, 'cutAfter'],
      ],
      2,
    ));

  it('is applied once to each node while Postgres is killed before, in and after its writes', () =>
    applyTo200(
      [
        ['read', 15, 'none'],
        ['dry run', 40, 'none'],
        ['write', 70, 'none'],
        ['write', 110, 'cutAfter'],
        ['write', 150, 'cut'],
      ],
      2,
      'postgres',
    ));
});
