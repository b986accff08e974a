import { transformFile } from '@swc/core';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Compiles folders of sources for what cannot run from TypeScript, such as a worker thread; below node_modules, so that
 * packages resolve. Returns the absolute path of the folder that replaces the project's root.
 */
export async function buildSources(name: string, folders: readonly string[]): Promise<string> {
  const root = process.cwd();
  const output = join(root, 'node_modules/.cache', `${name}-${process.pid}`);
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  await writeFile(join(output, 'package.json'), '{"type":"module"}');
  for (const folder of folders) {
    const entries = await readdir(join(root, folder), { recursive: true });
    const sources = entries.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    await Promise.all(
      sources.map(async (file) => {
        const { code } = await transformFile(join(root, folder, file), {
          swcrc: false,
          jsc: { target: 'es2023', parser: { syntax: 'typescript', decorators: true } },
          module: { type: 'nodenext' },
        });
        const target = join(output, folder, file.replace(/\.ts$/, '.js'));
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, code);
      }),
    );
  }
  return output;
}
