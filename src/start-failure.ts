import { types } from 'node:util';
import { ConfigError } from './config.js';
import { DataFolderError } from './storage/embedded/data-folder-error.js';
import { DatabaseNotReady } from './storage/migrate.js';
import { StorageUnavailable } from './storage/storage-error.js';

/** The service cannot listen where the settings say. */
export class ListenError extends Error {
  override readonly name: string = 'ListenError';
}

/** The port is taken by somebody else. */
export class PortInUseError extends ListenError {
  override readonly name = 'PortInUseError';

  constructor(
    readonly host: string,
    readonly port: number,
  ) {
    super(`Port ${port} of ${host} is in use. Set PORT to another one, or to 0 for any that is free.`);
  }
}

/** What the operating system says of an address, in words for the operator; the same error where it says nothing of one. */
export function listenErrorOf(error: unknown, host: string, port: number): unknown {
  const { code } = error as { code?: unknown };
  switch (code) {
    case 'EADDRINUSE':
      return new PortInUseError(host, port);
    case 'EACCES':
      return new ListenError(`This user may not listen on port ${port}. Set PORT to one above 1023.`, { cause: error });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ListenError(`This machine has no address ${host} to listen on. Set HOST to one that it has.`, {
        cause: error,
      });
    default:
      return error;
  }
}

/** Errors whose message says what is wrong and what to do. */
const IN_WORDS = [ConfigError, DataFolderError, DatabaseNotReady, ListenError];

/** Why the service, or a command, did not start, and what to do about it: for the operator, without a stack. */
export function startFailure(error: unknown): string {
  // Not instanceof Error: Node's own errors come from another realm where tests run.
  if (!types.isNativeError(error)) return unexpected(String(error));
  if (IN_WORDS.some((type) => error instanceof type)) return sentence(error.message);
  if (error instanceof StorageUnavailable) {
    return error.name === 'DiskFull' ? sentence(error.message) : unreachable(error);
  }
  switch ((error as { code?: unknown }).code) {
    case '28P01':
    case '28000':
      return `The database does not let this role in: ${firstLine(error)}. Check the user and the password of DATABASE_URL.`;
    case '3D000':
      return `There is no such database: ${firstLine(error)}. Create it, or check DATABASE_URL.`;
    default:
  }
  if (error.message.startsWith('SASL:')) {
    return 'The database asks for a password, and DATABASE_URL has none that can be used: postgres://USER:PASSWORD@HOST/DATABASE.';
  }
  return unexpected(firstLine(error));
}

function unreachable({ message, cause }: StorageUnavailable): string {
  const why = types.isNativeError(cause) ? reasonsOf(cause).join('; ') : '';
  const what = message.replace(/ at the moment$/, '');
  return sentence(`${what}${why === '' ? '' : ` (${why})`}; check DATABASE_URL, and that Postgres runs there`);
}

/** A name with several addresses fails once for each. */
function reasonsOf(error: Error): readonly string[] {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(firstLine);
  return [firstLine(error)];
}

const unexpected = (what: string): string => `Unexpected failure: ${what}. LOG_LEVEL=debug shows where it happened.`;

const firstLine = (error: unknown): string =>
  (types.isNativeError(error) ? error.message : String(error)).split('\n')[0]!.trim().replace(/\.$/, '');

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** Says on standard error why it did not start; where it happened only to who asked for that much. */
export function reportStartFailure(error: unknown, logLevel = process.env['LOG_LEVEL']): void {
  console.error(startFailure(error));
  if (logLevel === 'debug' || logLevel === 'trace') console.error(error);
}
