import { constants } from 'node:os';
import { CommanderError } from 'commander';
import { CommandFailed } from './command-failed.js';
import { program } from './program.js';

/** Runs the command of the arguments; sets the exit code. */
export async function main(): Promise<void> {
  prepare();
  try {
    await program().parseAsync();
  } catch (error) {
    process.exitCode = told(error);
  }
}

function prepare(): void {
  // The reader of a pipe may leave early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode);
    throw error;
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Ends what was started, which the default does not; the exit code is that of the default in a shell.
    process.once(signal, () => {
      process.exit(128 + constants.signals[signal]);
    });
  }
}

/** Says what went wrong. @returns the exit code */
function told(error: unknown): 0 | 1 | 2 {
  // Commander has said it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandFailed) {
    process.stderr.write(`error: ${[error.message, ...error.details].join('\n  ')}\n`);
    return error.exitCode;
  }
  process.stderr.write(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 2;
}
