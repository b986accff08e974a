import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whom the server runs as; undefined: as whoever runs this process. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The unprivileged user of every Unix, `nobody`: Postgres refuses to run as root. */
const NOBODY = 65_534;

/**
 * The user for a server on `folder` (which need not exist): this process's own, unless that is root; then whoever owns
 * the folder already, or `nobody`.
 */
export async function serverUser(folder: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const there = await stat(folder).catch(() => undefined);
  return there === undefined || there.uid === 0 ? { uid: NOBODY, gid: NOBODY } : { uid: there.uid, gid: there.gid };
}

/** The first of `path` and the folders above it that the user may not pass through; undefined when all are passable. */
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
