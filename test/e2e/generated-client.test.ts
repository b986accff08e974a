import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startTestService, type TestService } from '../support/service.js';

const run = promisify(execFile);

/** A program that uses the generated types and `openapi-fetch`. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const [url = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url });
const path = { cluster: 'generated' };
const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { allocatable: { cpu: '4', pods: '110' } } });

function dataOf<Data>({ data, error, response }: { data?: Data; error?: { detail: string }; response: Response }): Data {
  if (data === undefined) throw new Error(\`\${response.status} \${error?.detail ?? ''}\`);
  return data;
}

const taken = dataOf(
  await client.POST('/api/v1/clusters/{cluster}/snapshots', {
    params: { path, query: { createCluster: true } },
    body: { apiVersion: 'v1', kind: 'List', items: [node('node-1'), node('node-2'), node('node-3')] },
  }),
);

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'asked' }, spec: { containers: [{ name: 'c' }] } };
const ask = async (): Promise<number> =>
  dataOf(await client.POST('/api/v1/clusters/{cluster}/placements', { params: { path }, body: { pod } })).summary.feasible;
const before = await ask();

const names: string[] = [];
let next: string | undefined;
let pages = 0;
do {
  const query = { limit: 2, ...(next === undefined ? {} : { continue: next }) };
  const page = dataOf(await client.GET('/api/v1/clusters/{cluster}/nodes', { params: { path, query } }));
  names.push(...page.items.map(({ name }) => name));
  next = page.continue ?? undefined;
  pages++;
} while (next !== undefined);

const scenario = JSON.stringify({ addTaints: [] });
const refused = await client.GET('/api/v1/clusters/{cluster}/nodes', { params: { path, query: { scenario } } });

const following = new AbortController();
const stream = dataOf(
  await client.GET('/api/v1/clusters/{cluster}/events', {
    params: { path, query: { types: ['taintChangeRecorded'] } },
    parseAs: 'stream',
    signal: following.signal,
  }),
);

const change = { nodes: ['node-1'], taints: ['dedicated=team:NoSchedule'], reason: 'for a team' };
const changes = '/api/v1/clusters/{cluster}/taint-changes';
const planned = dataOf(await client.POST(changes, { params: { path }, body: { ...change, dryRun: true } }));
const untouched = await ask();
const made = dataOf(await client.POST(changes, { params: { path }, body: change }));
const id = made.change?.id ?? '';
const tainted = await ask();
const reverted = dataOf(
  await client.POST('/api/v1/clusters/{cluster}/taint-changes/{id}/revert', { params: { path: { ...path, id } }, body: { reason: 'the team is gone' } }),
);
const after = await ask();

const actions: unknown[] = [];
let text = '';
for await (const chunk of stream!.pipeThrough(new TextDecoderStream())) {
  text += chunk;
  actions.splice(0, actions.length, ...[...text.matchAll(/^data: (.*)\\n/gm)].map(([, data = '']) => JSON.parse(data).taintChangeRecorded.action));
  if (actions.length === 2) break;
}
following.abort();

console.log(
  JSON.stringify({
    revision: taken.revision,
    feasible: { before, untouched, tainted, after },
    names,
    pages,
    refusal: refused.error?.code,
    outcomes: [planned, made, reverted].map(({ nodes }) => nodes.map(({ outcome }) => outcome)),
    dryRun: planned.dryRun,
    actions,
  }),
);
`;

describe('a client that is generated from openapi.yaml', () => {
  let service: TestService;
  let folder = '';
  beforeAll(async () => {
    service = await startTestService();
    // Where packages are found.
    await mkdir('node_modules/.cache', { recursive: true });
    folder = await mkdtemp(join(process.cwd(), 'node_modules/.cache/generated-client-'));
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('compiles strictly, uploads, asks, pages, previews, changes, reverts and follows', async () => {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'client.ts'), CLIENT);
    await run(process.execPath, [
      'node_modules/openapi-typescript/bin/cli.js',
      'openapi.yaml',
      '--output',
      join(folder, 'schema.d.ts'),
    ]);
    const compiled = await run(process.execPath, [
      ...['node_modules/typescript/bin/tsc', '--ignoreConfig', '--strict', '--exactOptionalPropertyTypes'],
      ...[
        '--target',
        'es2023',
        '--module',
        'nodenext',
        '--types',
        'node',
        '--outDir',
        folder,
        join(folder, 'client.ts'),
      ],
    ]).catch((error: unknown) => error as { readonly stdout: string });
    expect(compiled.stdout).toBe('');
    const { stdout } = await run(process.execPath, [
      new URL(pathToFileURL(join(folder, 'client.js'))).pathname,
      service.url,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      revision: 1,
      feasible: { before: 3, untouched: 3, tainted: 2, after: 3 },
      names: ['node-1', 'node-2', 'node-3'],
      pages: 2,
      refusal: 'invalid-request',
      outcomes: [['changed'], ['changed'], ['changed']],
      dryRun: true,
      actions: ['change', 'revert'],
    });
  }, 240_000);
});
