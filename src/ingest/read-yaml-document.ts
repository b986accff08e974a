import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { JsonValue } from '../core/json/json-value.js';
import { IngestError, type IngestErrorData } from './ingest-error.js';
import { DEFAULT_INGEST_LIMITS } from './ingest-limits.js';
import { parseYaml, type ParseYamlOptions } from './parse-yaml.js';

/** What the reading thread is given, and what it gives back. */
export interface YamlJob {
  readonly text: string;
  readonly options: ParseYamlOptions;
}
export type YamlOutcome = { readonly value: JsonValue } | { readonly error: IngestErrorData };

const OPTIONS: ParseYamlOptions = { limits: DEFAULT_INGEST_LIMITS, place: {}, duplicateKeys: 'reject' };

/** Characters that are read on the spot: an ordinary manifest, which costs less than waking a thread. */
const SHORT = 2048;
/** The YAML reader takes some 5 microseconds for each character of the worst texts, and longer on a busy machine. */
const LONGEST_MS = 20_000;
/** Documents that may wait for the thread. */
const MOST_WAITING = 32;
/** The reader makes a hundred times the text's size. */
const HEAP_MIB = 512;

/** Beside this file in a build; absent where the sources run as they are (tests), which read in their own thread. */
const workerUrl = new URL('./yaml.worker.js', import.meta.url);
const hasWorker = existsSync(fileURLToPath(workerUrl));

/**
 * Reads one YAML document as kubectl does, with no key given twice in a mapping. Anything longer than a page is read on
 * another thread, so that no text, however contrived, keeps this one from answering.
 *
 * @throws {IngestError} `malformed-yaml` with line and column, `too-deep`, `too-many-aliases`; `busy` when too many wait;
 *   `out-of-memory` for what takes too much memory or time
 */
export async function readYamlDocument(text: string): Promise<JsonValue> {
  return text.length <= SHORT || !hasWorker ? parseYaml(text, OPTIONS) : thread.read(text);
}

/** One thread, one document at a time, each with a limit of time; a thread that overruns it is replaced. */
class YamlThread {
  private worker: Worker | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  async read(text: string): Promise<JsonValue> {
    if (this.waiting >= MOST_WAITING) {
      throw new IngestError('busy', `${MOST_WAITING} YAML documents are waiting to be read; try again later`);
    }
    this.waiting += 1;
    const turn = this.last.then(() => this.run(text));
    this.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.waiting -= 1;
    }
  }

  private async run(text: string): Promise<JsonValue> {
    const worker = (this.worker ??= this.start());
    worker.ref();
    const outcome = await new Promise<YamlOutcome>((resolve) => {
      const settle = (result: YamlOutcome): void => {
        clearTimeout(limit);
        worker.off('message', settle).off('error', died).off('exit', died);
        resolve(result);
      };
      const died = (cause: unknown): void => {
        this.worker = undefined;
        settle({ error: IngestError.from(cause).toData() });
      };
      const limit = setTimeout(() => {
        this.worker = undefined;
        settle({ error: { code: 'out-of-memory', message: 'the YAML takes too long to read; send JSON' } });
        void worker.terminate();
      }, LONGEST_MS);
      worker.on('message', settle).on('error', died).on('exit', died);
      worker.postMessage({ text, options: OPTIONS } satisfies YamlJob);
    });
    worker.unref();
    if ('error' in outcome) throw IngestError.fromData(outcome.error);
    return outcome.value;
  }

  private start(): Worker {
    const worker = new Worker(workerUrl, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
      execArgv: [],
      name: 'yaml',
    });
    // Between two documents somebody has to hear of its death, or the process dies of it.
    worker.on('error', () => {
      if (this.worker === worker) this.worker = undefined;
    });
    return worker;
  }
}

const thread = new YamlThread();
