import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What `npm start` runs after the build. */
interface NpmStart {
  /** Options of Node. */
  readonly options: readonly string[];
  /** A path in the project's folder. */
  readonly program: string;
}

/**
 * @param project the folder of the project
 * @throws if `npm start` does not end with a call of Node
 */
export async function readNpmStart(project: string): Promise<NpmStart> {
  const manifest = await readFile(join(project, 'package.json'), 'utf8');
  const { start } = (JSON.parse(manifest) as { readonly scripts: { readonly start: string } }).scripts;
  const [, options, program] = / node ((?:--\S+ )*)(\S+)$/.exec(start) ?? [];
  if (options === undefined || program === undefined)
    throw new Error(`npm start does not end with a call of Node: ${start}`);
  return { options: options.split(' ').filter((option) => option !== ''), program };
}
