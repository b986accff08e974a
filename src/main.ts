import { ConfigError, readConfig } from './config.js';
import { PortInUseError, startService } from './start-service.js';
import { DatabaseNotReady } from './storage/migrate.js';

/** Starts the service from the environment, and stops it in order when it is told to. */
async function main(): Promise<void> {
  const service = await startService(readConfig(process.env));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      service.close().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
  }
}

main().catch((error: unknown) => {
  // What the user can mend is said without a stack.
  const plain = [ConfigError, PortInUseError, DatabaseNotReady].some((type) => error instanceof type);
  console.error(plain ? (error as Error).message : error);
  process.exitCode = 1;
  // The embedded server may hold the process; it was told to stop already.
  setTimeout(() => process.exit(1), 5000).unref();
});
