import { constants } from 'node:os';
import { CommanderError } from 'commander';
import { CommandFailed } from './command-failed.js';
import { program } from './program.js';

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

try {
  await program().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof CommandFailed) {
    process.stderr.write(`error: ${[error.message, ...error.details].join('\n  ')}\n`);
    process.exitCode = error.exitCode;
  } else {
    process.stderr.write(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 2;
  }
}
