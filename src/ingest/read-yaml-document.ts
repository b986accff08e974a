import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { JsonValue } from '../core/json/json-value.js';
import { FairQueue, type FairQueueLimits, QueueFullError } from './fair-queue.js';
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
const MAX_MS = 20_000;
/** One caller's documents are read one after another, and leave the other thread to others. */
const QUEUE: FairQueueLimits = { atOnce: 2, perCaller: 4, inTotal: 32 };
/** The reader makes a hundred times the text's size. */
const HEAP_MIB = 512;

/** Beside this file in a build; absent where the sources run as they are (tests), which read in their own thread. */
const workerUrl = new URL('./yaml.worker.js', import.meta.url);
const hasWorker = existsSync(fileURLToPath(workerUrl));

/**
 * Reads one YAML document as kubectl does, with no key given twice in a mapping. Anything longer than a page is read on
 * another thread, so that no text, however contrived, keeps this one from answering.
 *
 * @param caller whose document it is: each has a share of the threads
 * @throws {IngestError} `malformed-yaml` with line and column, `too-deep`, `too-many-aliases`; `busy` when too many wait;
 *   `out-of-memory` for what takes too much memory or time
 */
export async function readYamlDocument(text: string, caller: string): Promise<JsonValue> {
  if (text.length <= SHORT || !hasWorker) return parseYaml(text, OPTIONS);
  try {
    return await queue.run(caller, () => idle().read(text));
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new IngestError(
      'busy',
      'the maximum number of YAML documents is already waiting to be read; try again later',
    );
  }
}

/** A thread that reads one document at a time, each with a limit of time; one that overruns it is replaced. */
class YamlThread {
  private worker: Worker | undefined;
  busy = false;

  async read(text: string): Promise<JsonValue> {
    this.busy = true;
    try {
      return await this.run(text);
    } finally {
      this.busy = false;
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
        settle({ error: { code: 'out-of-memory', message: 'reading the YAML takes too long; send JSON' } });
        void worker.terminate();
      }, MAX_MS);
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

const queue = new FairQueue(QUEUE);
const threads = Array.from({ length: QUEUE.atOnce }, () => new YamlThread());

/** The queue lets in no more than there are threads. */
function idle(): YamlThread {
  return threads.find(({ busy }) => !busy)!;
}
