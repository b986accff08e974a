import { types } from 'node:util';

/** The data folder is not usable. The message tells the operator why, and what to do. */
export class DataFolderError extends Error {
  override readonly name: string = 'DataFolderError';
}

const CHOOSE = 'or set DATA_DIR to another folder';

/** Explanations of operating system errors for a folder that cannot be used. */
const FAULTS: Readonly<Record<string, string>> = {
  EROFS: `its file system is read-only; mount it read-write, ${CHOOSE}`,
  EACCES: `this user may not write to it; grant write access, ${CHOOSE}`,
  EPERM: `this user may not write to it; grant write access, ${CHOOSE}`,
  ENOSPC: `the disk is full; free up space, ${CHOOSE}`,
  EDQUOT: `the disk quota is used up; free up space, ${CHOOSE}`,
  // Node reports this for a folder that cannot be created because its parent is read-only.
  ENOENT: `it cannot be created; create the folder, mount it read-write, ${CHOOSE}`,
  ENOTDIR: `part of the path is a file, not a folder; set DATA_DIR to another folder`,
  EEXIST: `a file has that name; set DATA_DIR to another folder`,
};

/** Converts an operating system error to one with a message for the operator; returns other errors unchanged. */
export function dataFolderError(folder: string, error: unknown): unknown {
  // Do not use instanceof Error: in tests, Node's own errors come from another realm.
  if (!types.isNativeError(error) || error instanceof DataFolderError) return error;
  const why = FAULTS[String((error as NodeJS.ErrnoException).code)] ?? faultIn(error.message);
  return why === undefined
    ? error
    : new DataFolderError(`the data folder ${folder} cannot be used: ${why}`, { cause: error });
}

/** Recognizes these errors in the output of a Postgres program. */
function faultIn(output: string): string | undefined {
  if (/No space left on device/.test(output)) return FAULTS['ENOSPC'];
  if (/Disk quota exceeded/.test(output)) return FAULTS['EDQUOT'];
  if (/Read-only file system/.test(output)) return FAULTS['EROFS'];
  return /Permission denied/.test(output) ? FAULTS['EACCES'] : undefined;
}
