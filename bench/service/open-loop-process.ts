import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runLoad, type Load, type LoadResult } from './open-loop.js';

/** Of two cores the other belongs to the service: no more than one thread collects and compiles beside the one that sends. */
const NODE_OPTIONS = ['--expose-gc', '--v8-pool-size=1'];

/** Processes that send no load at the moment, and have the code for it compiled. */
const idle: ChildProcess[] = [];

/**
 * Sends a load from a separate process, so that neither the service nor the benchmark delays the requests. A process is used
 * again for the next load: what a new one takes until its own code is fast would count as latency of the service.
 */
export async function runLoadApart(load: Load): Promise<LoadResult> {
  const child = idle.pop() ?? fork(fileURLToPath(import.meta.url), ['send'], { execArgv: NODE_OPTIONS });
  holdsUp(child, true);
  const listening = new AbortController();
  const ended = once(child, 'exit', { signal: listening.signal }).then(() => {
    throw new Error('the process that sends the load ended early');
  });
  ended.catch(() => undefined);
  child.send(load);
  const [result] = (await Promise.race([once(child, 'message', { signal: listening.signal }), ended])) as [LoadResult];
  listening.abort();
  holdsUp(child, false);
  idle.push(child);
  if (result.failed > 0) throw new Error(`${result.failed} of ${result.sent} requests failed: ${result.firstFailure!}`);
  return result;
}

/** Whether the benchmark goes on for as long as the process does, which ends with it. */
function holdsUp(child: ChildProcess, does: boolean): void {
  if (does) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

if (process.send !== undefined && process.argv[2] === 'send') {
  process.on('message', (load) => {
    // Not while requests are on their way.
    gc!();
    void runLoad(load as Load).then((result) => process.send!(result));
  });
  process.on('disconnect', () => process.exit());
}
