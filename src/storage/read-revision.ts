import type { ClientBase } from 'pg';
import type { Database } from './database.js';

/** A transaction that reads one snapshot of the database. */
export const CONSISTENT = 'isolation level repeatable read read only';

/**
 * Reads what belongs to a revision, which never changes: on the standby, if that has it.
 * @param work on the standby, it throws `RevisionNotFound` or returns undefined for what is not there
 * @param isFinal whether it is too late to read the primary after an error of the standby
 */
export async function readRevision<Result>(
  database: Database,
  work: (client: ClientBase) => Promise<Result>,
  isFinal?: () => boolean,
): Promise<Result> {
  const read = await database.standby?.transaction(work, CONSISTENT, isFinal);
  return read === undefined ? database.transaction(work, CONSISTENT) : read.result;
}
