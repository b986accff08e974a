import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new temporary folder for an embedded Postgres. The user that runs Postgres may traverse it; otherwise the data would go to another
 * folder, which nobody removes.
 * @param name part of the name of the folder, such as `bench`
 */
export async function newDataFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `kube-placement-${name}-`));
  await chmod(folder, 0o711);
  return folder;
}
