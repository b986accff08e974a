import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What `jest/environment.mjs` adds. */
declare const importByNode: (url: string) => Promise<unknown>;

/**
 * A module of dist/, loaded by Node once for all test files of a process. Its classes, and those of its globals, are not those of the
 * test file: `instanceof` is false.
 * @param path of the source below the root, with the extension `.js`
 */
export async function importBuilt<Module>(path: string): Promise<Module> {
  return (await importByNode(pathToFileURL(join('dist', path)).href)) as Module;
}
