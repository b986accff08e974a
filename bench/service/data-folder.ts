import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new folder for an embedded Postgres. Its server's user may traverse it: data in another place would stay there after the folder is
 * removed.
 * @param name `bench`, in the name of the folder
 */
export async function newDataFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `kube-placement-${name}-`));
  await chmod(folder, 0o711);
  return folder;
}
