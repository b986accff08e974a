import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runLoad, type Load, type LoadResult } from './open-loop.js';

/** Sends a load from a separate process, so that neither the service nor the benchmark delays the requests. */
export async function runLoadApart(load: Load): Promise<LoadResult> {
  const child = fork(fileURLToPath(import.meta.url), ['send']);
  try {
    child.send(load);
    const ended = once(child, 'exit').then(() => {
      throw new Error('the process that sends the load ended early');
    });
    ended.catch(() => undefined);
    const [result] = (await Promise.race([once(child, 'message'), ended])) as [LoadResult];
    if (result.failed > 0)
      throw new Error(`${result.failed} of ${result.sent} requests failed: ${result.firstFailure!}`);
    return result;
  } finally {
    child.kill();
  }
}

if (process.send !== undefined && process.argv[2] === 'send') {
  process.once('message', (load) => {
    void runLoad(load as Load).then((result) => process.send!(result));
  });
}
