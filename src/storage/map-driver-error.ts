import { types } from 'node:util';
import { DiskFull, NulCharacter, StorageError, StorageUnavailable } from './storage-error.js';

const { isNativeError } = types;

const DISK_FULL = '53100';

/**
 * SQLSTATE and operating system codes for a server that is unreachable, shutting down, starting, or out of resources.
 */
const UNAVAILABLE =
  /^(08...|57P0[1-5]|53[0-4]00|25P03|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EHOSTUNREACH|ENETUNREACH)$/;

/** The driver's own errors have no code, only these messages (pg 8 and pg-pool 3). */
const UNAVAILABLE_WORDS =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end|Query read timeout|Driver not Connected)/;

/** Of Citus 13 (`remote_transaction.c`), without a SQLSTATE that says so: a node was lost in the middle of a transaction. */
const LOST_NODE = /^failure on connection marked as essential/;

/** Converts an error of pg or TypeORM to a `StorageError` if one applies; returns other errors unchanged. */
export function mapDriverError(error: unknown): unknown {
  // Do not use instanceof Error: in tests, Node's own errors come from another realm.
  if (!isNativeError(error) || error instanceof StorageError) return error;
  const driverError: unknown = (error as { driverError?: unknown }).driverError;
  if (isNativeError(driverError) && driverError !== error) return mapDriverError(driverError);
  const code = (error as { code?: unknown }).code;
  if (
    error instanceof AggregateError &&
    error.errors.some((one) => mapDriverError(one) instanceof StorageUnavailable)
  ) {
    return new StorageUnavailable(error);
  }
  if (typeof code === 'string') {
    if (code === DISK_FULL) return new DiskFull(error);
    if (UNAVAILABLE.test(code)) return new StorageUnavailable(error);
    if (code === '57014' || code === '55P03') {
      return new StorageError('StorageTimeout', 'the database did not respond in time', { cause: error });
    }
    // 22021: a zero byte in a text; 22P05: the escape \u0000 in a jsonb.
    if ((code === '22021' && error.message.includes('0x00')) || code === '22P05') {
      return new NulCharacter('a value', { cause: error });
    }
  }
  return UNAVAILABLE_WORDS.test(error.message) || LOST_NODE.test(error.message) ? new StorageUnavailable(error) : error;
}
