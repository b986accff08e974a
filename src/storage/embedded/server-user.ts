import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The user that the server runs as; undefined for the user of this process. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The unprivileged user `nobody` of Unix systems, because Postgres refuses to run as root. */
const NOBODY = 65_534;

/**
 * The user for a server on `folder` (which need not exist): that of this process unless it is root; otherwise the
 * folder's owner, or `nobody`.
 */
export async function serverUser(folder: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const there = await stat(folder).catch(() => undefined);
  return there === undefined || there.uid === 0 ? { uid: NOBODY, gid: NOBODY } : { uid: there.uid, gid: there.gid };
}

/** The first of `path` and its parent folders that the user may not traverse; undefined if all can be traversed. */
export async function impassable(path: string, user: ServerUser): Promise<string | undefined> {
  const above: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    above.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of above) {
    const entry = await stat(folder).catch(() => undefined);
    if (entry === undefined) return undefined;
    const shift = entry.uid === user.uid ? 6 : entry.gid === user.gid ? 3 : 0;
    if (((entry.mode >> shift) & 1) === 0) return folder;
  }
  return undefined;
}
