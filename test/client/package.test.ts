import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { TestBrowser } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';

const run = promisify(execFile);
const DUMP = resolve('demo/clusters/eks-pods.json');
const INSTALLED = 'node_modules/kube-placement-client';
/** Bytes of the module that programs load. */
const MOST_BYTES = 48_000;

/** What a program does in Node.js and in a browser. */
const USE = `
async function use(client: Client, cluster: string, dump: () => AsyncIterable<Uint8Array> | Blob) {
  const path = { cluster };
  let sent = 0;
  const taken = await client.upload('/api/v1/clusters/{cluster}/snapshots', {
    path,
    query: { createCluster: true },
    body: dump,
    onProgress: (progress) => (sent = progress.sent),
  });
  const { labels } = await client.put('/api/v1/clusters/{cluster}', { path, body: { labels: { by: 'client' } } });
  const namespaces = new Set<string>();
  for await (const pod of client.list('/api/v1/clusters/{cluster}/pods', { path, query: { limit: 20 } })) {
    namespaces.add(pod.namespace);
  }
  const absent = await client.get('/api/v1/clusters/{cluster}/nodes', { path: { cluster: 'absent' } }).catch((error: unknown) => error);
  const revisions: number[] = [];
  for await (const event of client.events(cluster, { after: 0, types: ['headChanged'] })) {
    if (event.type === 'headChanged') revisions.push(event.headChanged.revision);
    break;
  }
  const isSent = sent === taken.report.bytesRead;
  const isKnown = absent instanceof ClusterNotFoundError && absent.status === 404 && absent.requestId !== undefined;
  return { labels, isSent, isKnown, namespaces: namespaces.has('kube-system'), revisions };
}`;

const RESULT = { labels: { by: 'client' }, isSent: true, isKnown: true, namespaces: true, revisions: [1] };

const IMPORT = `import { Client, ClusterNotFoundError } from 'kube-placement-client';`;

const PROGRAM = `
import { createReadStream } from 'node:fs';
${IMPORT}
${USE}
const [baseUrl = '', cluster = '', dump = ''] = process.argv.slice(2);
const client = new Client({ baseUrl });
console.log(JSON.stringify(await use(client, cluster, () => createReadStream(dump))));
`;

const PAGE = `
${IMPORT}
${USE}
const given = new URLSearchParams(location.search);
const client = new Client({ baseUrl: given.get('service') ?? '' });
const dump = await (await fetch('dump.json')).blob();
async function* pieces() {
  yield new Uint8Array(await dump.arrayBuffer());
}
const results = [await use(client, 'page-blob', () => dump), await use(client, 'page-stream', pieces)];
document.body.textContent = JSON.stringify(results);
`;

/** What must not compile. */
const WRONG = `
${IMPORT}
const client = new Client({ baseUrl: '' });
// @ts-expect-error it has a parameter
void client.get('/api/v1/clusters/{cluster}/nodes');
// @ts-expect-error nodes have no colour
for await (const { colour } of client.list('/api/v1/clusters/{cluster}/nodes', { path: { cluster: 'c' } })) console.log(colour);
`;

/** The executable of a version of Node.js; undefined if the registry is away. */
async function nodeOf(version: string): Promise<string | undefined> {
  const found = run('npx', ['--yes', '--package', `node@${version}`, 'node', '--print', 'process.execPath']);
  return found.then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

const VERSIONS = ['22', '24'] as const;
const nodes = new Map<string, string | undefined>();
for (const version of VERSIONS) nodes.set(version, await nodeOf(version));

let folder: string;
let service: TestService;
let server: Server;
let origin: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-package-'));
  await run('npm', ['pack', '--workspace', 'kube-placement-client', '--pack-destination', folder]);
  const [tarball] = await readdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--offline', '--no-save', `./${tarball!}`], { cwd: folder });
  await Promise.all([
    writeFile(join(folder, 'program.ts'), PROGRAM),
    writeFile(join(folder, 'page.ts'), PAGE),
    writeFile(join(folder, 'wrong.ts'), WRONG),
    copyFile(DUMP, join(folder, 'dump.json')),
  ]);
  ({ server, origin } = await serve(folder));
  service = await startTestService({ ALLOWED_ORIGINS: origin });
}, 180_000);
afterAll(async () => {
  await service.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', json: 'application/json' };
const HTML = `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:," />
<script type="importmap">{"imports":{"kube-placement-client":"./${INSTALLED}/dist/index.js"}}</script>
<body><script type="module" src="page.js"></script></body></html>`;

/** Serves the files of a folder, and a page at the root. */
async function serve(root: string): Promise<{ readonly server: Server; readonly origin: string }> {
  const files = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const type = TYPES[pathname.split('.').at(-1)!] ?? 'text/html';
    const content = pathname === '/' ? Promise.resolve(HTML) : readFile(join(root, pathname));
    content.then(
      (body) => response.writeHead(200, { 'content-type': type }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((done) => {
    files.listen(0, '127.0.0.1', done);
  });
  return { server: files, origin: `http://127.0.0.1:${(files.address() as AddressInfo).port}` };
}

async function compile(files: readonly string[], ...environment: readonly string[]): Promise<string> {
  const strict = ['--ignoreConfig', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const target = ['--target', 'es2022', '--module', 'nodenext'];
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const compiled = await run(process.execPath, [compiler, ...strict, ...target, ...environment, ...files], {
    cwd: folder,
  }).catch((error: unknown) => error as { readonly stdout: string });
  return compiled.stdout;
}

const asked = async (node: string, cluster: string): Promise<unknown> =>
  JSON.parse((await run(node, ['program.js', service.url, cluster, DUMP], { cwd: folder })).stdout);

describe('the packed client', () => {
  it('is small, has no dependencies, and imports nothing of Node.js', async () => {
    const at = join(folder, INSTALLED);
    expect((await readdir(at)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const { dependencies, license } = JSON.parse(await readFile(join(at, 'package.json'), 'utf8')) as {
      readonly dependencies?: unknown;
      readonly license: string;
    };
    expect({ dependencies, license }).toEqual({ dependencies: undefined, license: 'Apache-2.0' });
    expect((await readdir(join(at, 'dist'))).filter((name) => name.endsWith('.js'))).toEqual(['index.js']);
    expect((await stat(join(at, 'dist/index.js'))).size).toBeLessThan(MOST_BYTES);
    expect(await readFile(join(at, 'dist/index.js'), 'utf8')).not.toMatch(/\bimport\b|\brequire\(/);
  });

  it('has types for Node.js and for browsers, and wrong calls do not compile', async () => {
    const node = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
    expect(await compile(['program.ts', 'wrong.ts'], '--lib', 'es2023', ...node)).toBe('');
    expect(await compile(['page.ts', 'wrong.ts'], '--lib', 'es2023,dom')).toBe('');
  }, 120_000);

  it('runs in the Node.js that is installed', async () => {
    expect(await asked(process.execPath, 'node')).toEqual(RESULT);
  });

  for (const version of VERSIONS) {
    const node = nodes.get(version);
    if (node === undefined) it.skip(`runs in Node.js ${version} (the registry is away)`, () => undefined);
    else {
      it(`runs in Node.js ${version}`, async () => {
        expect(await asked(node, `node-${version}`)).toEqual(RESULT);
      });
    }
  }

  it('runs in a browser, in a page of another origin', async () => {
    const browser = await TestBrowser.start({ dashboard: false });
    try {
      const page = await browser.page(origin, service.url);
      page.expectFaults(/404/);
      await page.page.goto(`${origin}/?service=${encodeURIComponent(service.url)}`);
      await page.sees('revisions');
      expect(JSON.parse(String(await page.page.evaluate('document.body.innerText')))).toEqual([RESULT, RESULT]);
      expect(page.faults).toEqual([]);
    } finally {
      await browser.close();
    }
  }, 120_000);
});
