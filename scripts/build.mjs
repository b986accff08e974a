/**
 * Compiles every TypeScript file of the folders below to dist/, one file to one file, with swc (types are checked by
 * `npm run check`). Files whose output is newer than their source are left alone, so a second start costs nothing.
 */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
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

const sources = (await Promise.all(folders.map((folder) => list(folder, '.ts'))))
  .flat()
  .filter((path) => !path.endsWith('.d.ts') && !path.endsWith('.test.ts'));
const outputOf = (path) => join('dist', path.replace(/\.ts$/, '.js'));

const expected = new Set(sources.map(outputOf));
await Promise.all(
  (await list('dist', '.js')).filter((path) => !expected.has(path)).map((path) => rm(join(root, path))),
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
