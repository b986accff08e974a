import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSources } from '../support/build-sources.js';
import { list, node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
let sources: string;
let folder: string;
beforeAll(async () => {
  [service, sources, folder] = await Promise.all([
    startTestService(),
    buildSources('snapshot-command-test', ['src/cli', 'src/core/json']),
    mkdtemp(join(tmpdir(), 'snapshot-command-')),
  ]);
});
afterAll(async () => {
  await service.close();
  await rm(sources, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

/** Runs the command on a dump. */
async function snapshot(dump: string, ...options: string[]): Promise<{ code: number; out: string; err: string }> {
  const file = join(folder, 'dump.json');
  await writeFile(file, dump);
  const program = join(sources, 'src/cli/snapshot.js');
  return new Promise((resolve) => {
    const given = [program, file, '--cluster', 'c', '--url', service.url, ...options];
    execFile(process.execPath, given, (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }));
  });
}

const nodes = (count: number): object[] => Array.from({ length: count }, (_, index) => node(`n${index + 10}`));

describe('npm run snapshot', () => {
  it('prints what was removed, by kind and with names', async () => {
    expect((await snapshot(list([...nodes(10), pod('default/p', 'n10'), pod('default/q', 'n10')]))).code).toBe(0);
    const { code, out } = await snapshot(list([...nodes(9), pod('default/p', 'n10')]));
    expect(code).toBe(0);
    expect(out).toContain(
      'stored as revision 2\nkept: 9 Node, 1 Pod\nremoved: 1 Node: n19\nremoved: 1 Pod: default/q\n',
    );
  });

  it('explains why a dump that removes too much is refused, and stores it with --allow-removals', async () => {
    const { code, err } = await snapshot(list(nodes(4)));
    expect(code).toBe(1);
    expect(err).toMatch(/^refused: Too many removals \(too-many-removals\)\n/);
    expect(err).toContain('5 of 9 stored nodes are missing from the snapshot: n14, n15, n16, n17, n18');
    expect(err).toContain('--allow-removals');
    const { out } = await snapshot(list(nodes(4)), '--allow-removals');
    expect(out).toContain('removed: 5 Node: n14, n15, n16, n17, n18');
  });

  it('explains why a dump that proves nothing is refused', async () => {
    const status = JSON.stringify({ kind: 'Status', apiVersion: 'v1', reason: 'Unauthorized', code: 401 });
    const { code, err } = await snapshot(status);
    expect([code, err]).toEqual([1, expect.stringContaining('Unauthorized, 401')]);
  });
});
