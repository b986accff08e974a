import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The name under which the recordings of all versions are counted. */
export const VERSIONS = 'versions';

/** A recorded file, and the name under which it is judged. */
export interface Recording {
  readonly path: string;
  readonly name: string;
  /** The version by whose rules it is judged, if that is not the one in the file. */
  readonly k8sVersion?: string;
}

/** The version with which the others are compared. */
const COMPARED = '1.36';

/**
 * What other versions of Kubernetes answered to the inputs in `recorded`, by folder: the files of each version, and what its `equal.txt`
 * names, which is to be judged by its rules, too.
 */
export async function recordingsOfVersions(directory: string): Promise<ReadonlyMap<string, readonly Recording[]>> {
  const root = join(directory, VERSIONS);
  const found = new Map<string, Recording[]>();
  const add = (folder: string, recording: Recording): void => {
    const others = found.get(folder);
    if (others === undefined) found.set(folder, [recording]);
    else others.push(recording);
  };
  for (const version of await foldersIn(root)) {
    for (const parent of [join(root, version), join(root, version, 'extra')]) {
      for (const folder of await foldersIn(parent)) {
        if (folder === 'extra') continue;
        for (const name of (await readdir(join(parent, folder))).sort()) {
          const path = join(parent, folder, name);
          add(folder, { path, name: path });
        }
      }
    }
    const equal = join(root, version, 'equal.txt');
    if (!existsSync(equal)) continue;
    for (const line of (await readFile(equal, 'utf8')).split(/\r?\n/)) {
      if (line === '') continue;
      const [first = '', second = ''] = line.split('/');
      const isExtra = first === 'extra';
      const path = isExtra ? join(root, COMPARED, line) : join(directory, 'recorded', line);
      add(isExtra ? second : first, { path, name: `${equal}: ${line}`, k8sVersion: `v${version}.0` });
    }
  }
  return found;
}

async function foldersIn(directory: string): Promise<string[]> {
  if (!existsSync(directory)) return [];
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
