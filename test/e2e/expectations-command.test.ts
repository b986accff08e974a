import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSources } from '../support/build-sources.js';
import { list, node } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

let service: TestService;
let sources: string;
let folder: string;
beforeAll(async () => {
  [service, sources, folder] = await Promise.all([
    startTestService(),
    buildSources('expectations-command-test', ['src']),
    mkdtemp(join(tmpdir(), 'expectations-command-')),
  ]);
  await store(service, 'c', [node('a'), node('b')]);
});
afterAll(async () => {
  await service.close();
  await rm(sources, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

/** Runs the command on a file. */
async function run(text: string, ...options: string[]): Promise<{ code: number; out: string; err: string }> {
  const path = join(folder, 'file.yaml');
  await writeFile(path, text);
  const program = join(sources, 'src/cli/expectations.js');
  const where = options.includes('--local') ? [] : ['--cluster', 'c', '--url', service.url];
  return new Promise((resolve) => {
    execFile(process.execPath, [program, path, ...where, ...options], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

const file = (...expectations: string[]): string =>
  ['apiVersion: kube-placement/v1', 'kind: Expectations', 'expectations:', ...expectations, ''].join('\n');

const HOLDS = '  - name: Two nodes\n    nodeCount: {exactly: 2}';
const BROKEN = '  - name: Three nodes\n    nodeCount: {atLeast: 3}';
const UNKNOWN = '  - name: Room in pool gpu\n    nodeCount: {nodes: {pool: gpu}, atLeast: 1}';

describe('npm run expectations', () => {
  it('exits with 0 if all hold', async () => {
    const { code, out } = await run(file(HOLDS));
    expect(code).toBe(0);
    expect(out).toMatch(
      /^c, revision 1, captured at .*\n\nholds    Two nodes\n         There are 2 nodes; exactly 2 wanted\.\n/,
    );
    expect(out).toContain('1 expectation: 1 holds, 0 broken, 0 unknown\n');
  });

  it('exits with 1 if one is broken, and writes JUnit XML', async () => {
    const junit = join(folder, 'junit.xml');
    const { code, out } = await run(file(HOLDS, BROKEN, UNKNOWN), '--junit', junit, '--revision', '1');
    expect(code).toBe(1);
    expect(out).toContain('BROKEN   Three nodes\n         There are 2 nodes; at least 3 wanted.\n');
    const xml = await readFile(junit, 'utf8');
    expect(xml).toContain('<testsuites tests="3" failures="1" errors="1" skipped="0">');
    expect(xml).toContain('<testcase classname="expectations.nodeCount" name="Two nodes"/>');
    expect(xml).toContain('<failure type="broken" message="There are 2 nodes; at least 3 wanted.">');
  });

  it('exits with 2 if it cannot tell', async () => {
    const unknown = await run(file(HOLDS, UNKNOWN));
    expect([unknown.code, unknown.err]).toEqual([2, '']);
    expect(unknown.out).toContain('unknown  Room in pool gpu\n         no pool "gpu" is declared.');
    const gone = await run(file(HOLDS), '--cluster', 'gone');
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('cluster-not-found')]);
    const nobody = await run(file(HOLDS), '--url', 'http://127.0.0.1:1');
    expect([nobody.code, nobody.err]).toEqual([2, expect.stringContaining('fetch failed')]);
    expect((await run(file(HOLDS), '--unheard-of')).code).toBe(2);
  });

  it('reports every error of a bad file with its line', async () => {
    const bad = file(
      HOLDS,
      '  - name: Two nodes',
      '    nodeCount:',
      '      atleast: 3',
      '  - nodeCount: {atLeast: many}',
    );
    const { code, err } = await run(bad);
    expect(code).toBe(2);
    expect(err.split('\n').map((line) => line.replace(/^.*file\.yaml: /, ''))).toEqual([
      'line 6: /expectations/1/name: names are unique, and expectation 1 has this one',
      'line 7: /expectations/1/nodeCount: give at least one of atLeast, atMost, exactly',
      'line 8: /expectations/1/nodeCount/atleast: unknown key; known are nodes, ready, schedulable, atLeast, atMost, exactly',
      'line 9: /expectations/2: name is required',
      'line 9: /expectations/2/nodeCount/atLeast: must be a whole number, not "many"',
      '',
    ]);
    expect((await run('{')).code).toBe(2);
    expect((await run('')).code).toBe(2);
  });

  it('checks a dump without the service', async () => {
    const dump = join(folder, 'dump.json');
    await writeFile(dump, list([node('a')]));
    const { code, out } = await run(file(HOLDS), '--local', dump);
    expect(code).toBe(1);
    expect(out).toContain('There is 1 node; exactly 2 wanted.');
  });
});
