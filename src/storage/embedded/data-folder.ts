import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DataFolderError } from './data-folder-error.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { spawnOptions } from './postgres-server.js';
import { impassable, type ServerUser, serverUser } from './server-user.js';

/** The parent folder for data if the server's user cannot reach the requested folder. */
const FALLBACK_PARENT = '/var/lib/kube-placement';

/** The role that the service connects as. */
export const ROLE = 'kube_placement';

export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  readonly user: ServerUser | undefined;
  /** Why `path` differs from the requested folder. */
  readonly notice: string | undefined;
}

/**
 * Creates the data folder. If root requests one in a folder that an unprivileged user may not traverse (such as `/root`),
 * another one is used, always the same, and `notice` explains this.
 */
export async function openDataFolder(asked: string): Promise<DataFolder> {
  const wanted = resolve(asked);
  const opened = await tryFolder(wanted);
  if (opened.blockedBy === undefined) return { path: wanted, user: opened.user, notice: undefined };
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const path = join(FALLBACK_PARENT, name);
  const fallback = await tryFolder(path);
  const problem =
    `the data folder ${wanted} cannot be used: Postgres does not run as root, and the user ` +
    `${opened.user?.uid ?? ''} that it runs as instead may not traverse ${opened.blockedBy}`;
  if (fallback.blockedBy !== undefined)
    throw new DataFolderError(`${problem}; set DATA_DIR to a folder that every user may traverse`);
  return {
    path,
    user: fallback.user,
    notice: `${problem}; the data is stored in ${path} (set DATA_DIR to change this)`,
  };
}

async function tryFolder(path: string): Promise<{ user: ServerUser | undefined; blockedBy: string | undefined }> {
  await mkdir(path, { recursive: true });
  const user = await serverUser(join(path, 'postgres'));
  if (user === undefined) return { user, blockedBy: undefined };
  // The service may change the mode of this folder, but not of its parents.
  const { mode } = await stat(path);
  if ((mode & 0o011) !== 0o011) await chmod(path, mode | 0o011);
  return { user, blockedBy: await impassable(path, user) };
}

/** The password of the role, generated on the first start and stored next to the data, readable only by its owner. */
async function password(folder: DataFolder): Promise<string> {
  const path = join(folder.path, 'password');
  const kept = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  if (kept !== '') return kept.trim();
  const made = randomBytes(24).toString('base64url');
  await writeFile(path, made, { mode: 0o600 });
  if (folder.user !== undefined) await chown(path, folder.user.uid, folder.user.gid);
  return made;
}

/**
 * Creates Postgres' own folder if it does not exist. It is created next to its final place and then moved, so that an
 * incomplete one is never used.
 * @param sync whether to force it to the disk (tests do not need this)
 * @param lockFd the lock of the folder, which `initdb` must inherit
 */
export async function prepareDatabase(
  folder: DataFolder,
  binaries: PostgresBinaries,
  { sync, lockFd }: { readonly sync: boolean; readonly lockFd: number },
): Promise<{ pgData: string; password: string; created: boolean }> {
  const pgData = join(folder.path, 'postgres');
  const version = await readFile(join(pgData, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) {
    if (version.trim() !== binaries.major) {
      throw new DataFolderError(
        `${pgData} was created by Postgres ${version.trim()}, but this is ${binaries.major}: dump it with the old ` +
          'version, or move it away',
      );
    }
    const kept = await readFile(join(folder.path, 'password'), 'utf8').catch(() => '');
    if (kept === '') {
      throw new DataFolderError(
        `the password of the database is missing: restore the file ${join(folder.path, 'password')} from a backup of the ` +
          'folder, or set DATA_DIR to another folder',
      );
    }
    return { pgData, password: kept.trim(), created: false };
  }
  const half = `${pgData}.new`;
  await rm(half, { recursive: true, force: true });
  await mkdir(half, { mode: 0o700 });
  if (folder.user !== undefined) await chown(half, folder.user.uid, folder.user.gid);
  const secret = await password(folder);
  await initdb(binaries, half, join(folder.path, 'password'), { user: folder.user, sync, lockFd });
  await rename(half, pgData);
  return { pgData, password: secret, created: true };
}

async function initdb(
  binaries: PostgresBinaries,
  pgData: string,
  passwordFile: string,
  { user, sync, lockFd }: { readonly user: ServerUser | undefined; readonly sync: boolean; readonly lockFd: number },
): Promise<void> {
  const args = ['-D', pgData, '-U', ROLE, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  if (!sync) args.push('--no-sync');
  const child = spawn(join(binaries.native, 'bin', 'initdb'), [...args, '--locale=C', '--no-instructions'], {
    ...spawnOptions(user),
    stdio: ['ignore', 'pipe', 'pipe', lockFd],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`initdb failed: ${output.trim()}`);
}
