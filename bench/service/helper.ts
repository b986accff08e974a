import { fork, type ChildProcess, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Of two cores the other belongs to the service: no more than one thread collects and compiles beside the one that works. */
const NODE_OPTIONS = ['--expose-gc', '--v8-pool-size=1'];
const ROLE = 'help';

/**
 * Does work of one kind in a separate process, so that neither the service nor the benchmark, with the cluster in its memory, delays
 * it. A process is used again for the next: what a new one takes until its own code is fast would count as time of the service.
 */
export class Helper<Asked extends Serializable, Answer> {
  /** Processes that do nothing at the moment. */
  private readonly idle: ChildProcess[] = [];

  /** @param url that of the module which calls `help` */
  constructor(private readonly url: string) {}

  /** @throws if the signal is aborted, which ends the process, or the work fails */
  async ask(asked: Asked, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted();
    const child = this.idle.pop() ?? fork(fileURLToPath(this.url), [ROLE], { execArgv: NODE_OPTIONS });
    const listening = new AbortController();
    const end = (): void => void child.kill('SIGKILL');
    signal?.addEventListener('abort', end);
    try {
      holdsUp(child, true);
      const ended = once(child, 'exit', { signal: listening.signal }).then(() => {
        throw new Error('the process that helps the benchmark ended early');
      });
      ended.catch(() => undefined);
      child.send(asked);
      const [answer] = (await Promise.race([once(child, 'message', { signal: listening.signal }), ended])) as [
        { readonly done: Answer } | { readonly failed: string },
      ];
      holdsUp(child, false);
      this.idle.push(child);
      if ('failed' in answer) throw new Error(answer.failed);
      return answer.done;
    } finally {
      listening.abort();
      signal?.removeEventListener('abort', end);
    }
  }
}

/** Works for a `Helper`, if this process was started by one. */
export function help(work: (asked: never) => Promise<unknown>): void {
  if (process.send === undefined || process.argv[2] !== ROLE) return;
  process.on('message', (asked) => {
    // Not while it works.
    gc!();
    work(asked as never).then(
      (done) => process.send!({ done }),
      (error: unknown) => process.send!({ failed: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
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
