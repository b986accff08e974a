import { readConfig } from './config.js';
import { reportStartFailure } from './start-failure.js';
import { startService } from './start-service.js';
import { isWorker, startWorker, startWorkers } from './start-workers.js';

/** Starts the service from the environment, and stops it gracefully on a signal. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  if (isWorker()) {
    await startWorker(config);
    return;
  }
  const service = await (config.workers > 1 ? startWorkers(config) : startService(config));
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
  reportStartFailure(error);
  process.exitCode = 1;
  // The embedded server may keep the process alive; it is already stopping.
  setTimeout(() => process.exit(1), 5000).unref();
});
