/**
 * Names the code that makes what the database keeps of states. Two builds have the same name only if both make the same of what is stored,
 * so that an upgrade which changes none of it finds all as it was.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/** Makes all that is kept of a head. */
const MAKER = 'src/app/overview/keep-figures.ts';
/** They may have changed what is stored. */
const MIGRATIONS = 'migrations/index.ts';
/** Where modules are given what they work with, which they know by its type alone. Those of other folders import what they run. */
const GIVEN = /^src\/(app|storage)\//;

/** As they are formatted, with those of types. */
const IMPORTS = /\bfrom '(\.[^']+)\.js'|\bimport\('(\.[^']+)\.js'\)/g;

/** The modules of `app` and `storage` that the maker may work with, itself included. */
async function workingModules(root) {
  const found = new Set([MAKER]);
  for (const path of found) {
    const text = await readFile(join(root, path), 'utf8');
    for (const [, from, dynamic] of text.matchAll(IMPORTS)) found.add(`${join(dirname(path), from ?? dynamic)}.ts`);
  }
  return [...found].filter((path) => GIVEN.test(path)).sort();
}

/**
 * @param root the folder with `src`, `migrations` and `package-lock.json`, and in `dist` what was compiled
 * @returns the name, and the files that count
 */
export async function digestCode(root) {
  const modules = [...(await workingModules(root)), MIGRATIONS];
  const lines = modules.map(
    (path, index) => `export * as module${index} from './${join('dist', path).replace(/\.ts$/, '.js')}';`,
  );
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: lines.join('\n'), resolveDir: root },
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Comments and code that nothing calls do not count.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const versions = imports.map((path) => `${path} ${packages[join('node_modules', path)]?.version ?? ''}`);
  const hash = createHash('sha256')
    .update(outputFiles[0].contents)
    .update([...new Set(versions)].sort().join('\n'));
  return { name: hash.digest('hex').slice(0, 16), files: Object.keys(metafile.inputs) };
}
