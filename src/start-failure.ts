import { types } from 'node:util';
import { ConfigError } from './config.js';
import { DataFolderError } from './storage/embedded/data-folder-error.js';
import { DatabaseNotReady } from './storage/migrate.js';
import { StorageUnavailable } from './storage/storage-error.js';
import { WorkerFailed } from './workers/worker-failed.js';

/** The service cannot listen on the configured address. */
export class ListenError extends Error {
  override readonly name: string = 'ListenError';
}

/** The port is in use by another process. */
export class PortInUseError extends ListenError {
  override readonly name = 'PortInUseError';

  constructor(
    readonly host: string,
    readonly port: number,
  ) {
    super(`Port ${port} of ${host} is in use. Set PORT to another port, or to 0 for any free port.`);
  }
}

/**
 * Converts an error of the operating system about a listen address to a message for operators; returns other errors
 * unchanged.
 */
export function listenErrorOf(error: unknown, host: string, port: number): unknown {
  const { code } = error as { code?: unknown };
  switch (code) {
    case 'EADDRINUSE':
      return new PortInUseError(host, port);
    case 'EACCES':
      return new ListenError(`This user may not listen on port ${port}. Set PORT to a port above 1023.`, {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ListenError(`This machine has no address ${host}. Set HOST to an address of this machine.`, {
        cause: error,
      });
    default:
      return error;
  }
}

/** Errors whose messages already say what is wrong and what to do. */
const READABLE_ERRORS = [ConfigError, DataFolderError, DatabaseNotReady, ListenError, WorkerFailed];

/** Describes for operators why the service, or a command, did not start, and what to do; without a stack trace. */
export function startFailure(error: unknown): string {
  // Not instanceof Error: in tests, Node's own errors come from another realm.
  if (!types.isNativeError(error)) return unexpected(String(error));
  if (READABLE_ERRORS.some((type) => error instanceof type)) return sentence(error.message);
  if (error instanceof StorageUnavailable) {
    return error.name === 'DiskFull' ? sentence(error.message) : unreachable(error);
  }
  switch ((error as { code?: unknown }).code) {
    case '28P01':
    case '28000':
      return `The database rejects this role: ${firstLine(error)}. Check the user and the password in DATABASE_URL.`;
    case '3D000':
      return `The database does not exist: ${firstLine(error)}. Create it, or check DATABASE_URL.`;
    default:
  }
  if (error.message.startsWith('SASL:')) {
    return 'The database requires a password, but DATABASE_URL has no usable one: postgres://USER:PASSWORD@HOST/DATABASE.';
  }
  return unexpected(firstLine(error));
}

function unreachable({ message, cause }: StorageUnavailable): string {
  const why = types.isNativeError(cause) ? reasonsOf(cause).join('; ') : '';
  const what = message.replace(/ at the moment$/, '');
  return sentence(`${what}${why === '' ? '' : ` (${why})`}; check DATABASE_URL, and that Postgres is running there`);
}

/** A host name with several addresses fails once for each. */
function reasonsOf(error: Error): readonly string[] {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(firstLine);
  return [firstLine(error)];
}

const unexpected = (what: string): string => `Unexpected failure: ${what}. Set LOG_LEVEL=debug for details.`;

const firstLine = (error: unknown): string =>
  (types.isNativeError(error) ? error.message : String(error)).split('\n')[0]!.trim().replace(/\.$/, '');

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** Prints to standard error why the start failed; with the stack trace only at the debug and trace levels. */
export function reportStartFailure(error: unknown, logLevel = process.env['LOG_LEVEL']): void {
  console.error(startFailure(error));
  if (logLevel === 'debug' || logLevel === 'trace') console.error(error);
}
