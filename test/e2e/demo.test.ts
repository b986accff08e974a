import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { documentedFetch } from '../support/documented-fetch.js';

const run = promisify(execFile);

let folder: string;
let taken: Server;
beforeAll(async () => {
  await run('node', ['scripts/build.mjs', '--bundle']);
  folder = await mkdtemp(join(tmpdir(), 'demo-'));
  // The user that runs the embedded Postgres must be able to enter the folder.
  await chmod(folder, 0o755);
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  taken.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the demo on a port that is in use and returns what it prints; it must succeed. Once it serves, it gets SIGINT. */
async function demo(...args: readonly string[]): Promise<string> {
  const { port } = taken.address() as AddressInfo;
  const env = { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: join(folder, 'data') };
  const child = spawn('node', ['dist/bundle/demo.js', ...args], { env });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    if (chunk.includes('Serving until Ctrl-C.')) child.kill('SIGINT');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`Port ${port} is in use; taking another one.`);
  expect(stdout.match(/^(note:|.*"level":).*$/gm)).toBeNull();
  return stdout;
}

/** The answer that the README shows, indented as the demo prints it. */
async function answerInReadme(): Promise<string> {
  const readme = await readFile(join(process.cwd(), 'README.md'), 'utf8');
  const [, block = ''] = /The demo prints the response like this:\n\n((?: {4}.*\n)+)/.exec(readme) ?? [];
  return block.replace(/^ {4}/gm, '   ');
}

// The service starts twice, on a machine that may be busy with other tests.
jest.setTimeout(240_000);

describe('the demo', () => {
  it('answers its questions, and on the second start finds its clusters and its change stored', async () => {
    const first = await demo('--once');
    expect(first).toContain(await answerInReadme());
    expect(first.match(/loaded \d+ node/g)).toHaveLength(4);
    for (const answer of [
      'nowhere: none of 2 nodes',
      'TaintToleration: untolerated taint type=hound:NoSchedule',
      'NodeResourcesFit: nvidia.com/gpu: 1 requested, 0 free of 0 allocatable',
      'warning tolerates-everything at spec.tolerations[0]',
      'equal, to the letter',
      'the same question with it: 6 of 6 nodes',
      // Before 1.34, the taint comes a pass of the node lifecycle controller later.
      'an outage of less than 345 s evicts nothing',
      'at 2030-01-01T12:00:13Z: a:NoExecute is tolerated for 12 s by the first toleration',
      'kubectl drain duckboat-01 --ignore-daemonsets: refuses',
      'no event lost, none twice',
      'node-role.kubernetes.io/master:NoSchedule  3 nodes',
      '2 pods tolerate it, 9 do not',
      'type=hound:NoSchedule: set at 2021-12-08T01:46:55Z or before',
      'The field manager kube-controller-manager (Update) was the last to write the field',
      'Who set or removed each taint: the list is atomic, and its last writer owns all of it.',
      '9 pods are evicted immediately, 0 later, 2 stay:',
      'node/duckboat-01 tainted: an intent, revision 2, until the cluster shows it',
      'a snapshot of the nodes after that: confirmed by revision 3',
      'reverted; to do the same in the cluster: kubectl taint nodes duckboat-01 maintenance:NoExecute-',
      'added maintenance=true:NoExecute (new kernel, OPS-17)',
      '7 records: the chain is intact',
      'map[cpu:250m memory:120Mi]',
      '100Mi (container busybox-ctr) + 100Mi (container nginx-ctr) = 200Mi; plus overhead 120Mi: 320Mi',
      'memory.max 335544320',
      'cpu                         450m (5%)   200m (2%)',
      'partly: 4 of 8 are admitted; then the API server says',
      'exceeded quota: team-quota, requested: requests.cpu=250m',
      'to admit all of them, raise team-quota requests.cpu 1 -> 2',
      'kubectl taint nodes ip-10-0-155-121.us-west-1.compute.internal dedicated=ml:NoSchedule',
      'on 1 node only: ip-10-0-155-121.us-west-1.compute.internal',
      'pool "ml" is not open to',
      '"allowed":true,"patchType":"JSONPatch"',
      'nominated: ip-10-0-135-88.us-west-1.compute.internal, where default/batch-1 (priority -10) is preempted',
      '426 =  TaintToleration 100 x 3 + NodeResourcesFit 62 x 1 + NodeResourcesBalancedAllocation 64 x 1',
      '2 nodes are tied: Kubernetes picks one of them at random',
      '9 fit; then: 0/6 nodes are available: 3 Insufficient cpu, 3 node(s) had untolerated taint',
      'default-scheduler: NodeResourcesFit x 5, TaintToleration x 3',
      'out-of-tree plugins, whose decisions are unknown: SchedulingHint',
    ]) {
      expect(first).toContain(answer);
    }

    const second = await demo();
    expect(second.match(/revision [124] +is already loaded/g)).toHaveLength(4);
    const answersOf = (text: string) =>
      text.slice(text.indexOf('1. '), text.indexOf('\nDashboard ')).replace(/127\.0\.0\.1:\d+/g, '');
    expect(answersOf(second).trim()).toBe(answersOf(`${first}\nDashboard `).trim());
    expect(second).toMatch(/^GraphiQL +http\S+\/graphiql$/m);
  });

  it('leaves a database that the bundled service serves over REST, GraphQL and its pages', async () => {
    const env = { PATH: process.env['PATH'], PORT: '0', DATA_DIR: join(folder, 'data') };
    const child = spawn('node', ['dist/bundle/main.js'], { env });
    const ended = once(child, 'close');
    let log = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.once('close', () => reject(new Error(log)));
      child.stdout.on('data', (chunk: Buffer) => {
        log += chunk.toString();
        const ready = /"url":"(http:[^"]+)"/.exec(log);
        if (ready !== null) resolve(ready[1]!);
      });
    });
    try {
      for (const path of ['/docs', '/graphiql', '/metrics'])
        expect((await documentedFetch(url + path)).status).toBe(200);
      const query = '{ clusters(first: 5) { edges { node { name } } } }';
      const asked = await documentedFetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      expect(JSON.stringify(await asked.json())).toContain('"demo-eks"');
      const node = 'apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n';
      const snapshot = await documentedFetch(`${url}/api/v1/clusters/yaml/snapshots?createCluster=true`, {
        method: 'POST',
        headers: { 'content-type': 'application/yaml' },
        body: node,
      });
      expect(snapshot.status).toBe(201);
    } finally {
      child.kill('SIGTERM');
    }
    expect((await ended)[0]).toBe(0);
  });

  it('refuses an unknown argument', async () => {
    await expect(run('node', ['dist/bundle/demo.js', '--twice'])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--twice'),
    });
  });
});
