import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { JsonValue } from '../core/json/json-value.js';
import { FairQueue, type FairQueueLimits, QueueFullError } from './fair-queue.js';
import { IngestError, type IngestErrorData } from './ingest-error.js';
import { DEFAULT_INGEST_LIMITS } from './ingest-limits.js';
import { parseManifests, type ParsedManifests } from './parse-manifests.js';
import { parseYaml, type ParseYamlOptions } from './parse-yaml.js';

/** A job for the reading thread: one document, or (without options) manifests. */
export interface YamlJob {
  readonly text: string;
  readonly options?: ParseYamlOptions;
}
export type YamlOutcome = { readonly value: JsonValue | ParsedManifests } | { readonly error: IngestErrorData };

const OPTIONS: ParseYamlOptions = { limits: DEFAULT_INGEST_LIMITS, place: {}, duplicateKeys: 'reject' };

/** Up to this number of characters, a text is parsed in this thread: it costs less than waking another. */
const SHORT = 2048;
/** The time limit. The parser takes about 5 microseconds per character of the worst texts, and longer on a busy machine. */
const MAX_MS = 20_000;
/** The documents of one caller are read one after another, which leaves the other thread to other callers. */
const QUEUE: FairQueueLimits = { atOnce: 2, perCaller: 4, inTotal: 32 };
/** The parser needs a hundred times the text's size. */
const HEAP_MIB = 512;

/** In a build, the worker is in the same folder. Tests run the sources, which have no worker, and read in their own thread. */
const workerUrl = new URL('./yaml.worker.js', import.meta.url);
const hasWorker = existsSync(fileURLToPath(workerUrl));

/**
 * Parses one YAML document as kubectl does, but rejects duplicate keys. Texts longer than a page are parsed in another thread,
 * so that no text, however crafted, can block this one.
 *
 * @param caller the owner of the document: each caller has a share of the threads
 * @throws {IngestError} `malformed-yaml` with line and column, `too-deep`, `too-many-aliases`; `busy` if too many documents
 *   wait; `out-of-memory` for a document that needs too much memory or time
 */
export async function readYamlDocument(text: string, caller: string): Promise<JsonValue> {
  if (text.length <= SHORT || !hasWorker) return parseYaml(text, OPTIONS);
  return (await inTurn({ text, options: OPTIONS }, caller)) as JsonValue;
}

/**
 * Parses manifests as `parseManifests` does, and like `readYamlDocument` in another thread if they are long.
 *
 * @throws {IngestError} `busy` if too many documents wait; `out-of-memory` for manifests that need too much memory or time
 */
export async function readManifestText(text: string, caller: string): Promise<ParsedManifests> {
  if (text.length <= SHORT || !hasWorker) return parseManifests(text);
  return (await inTurn({ text }, caller)) as ParsedManifests;
}

async function inTurn(job: YamlJob, caller: string): Promise<JsonValue | ParsedManifests> {
  try {
    return await queue.run(caller, () => idle().read(job));
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new IngestError(
      'busy',
      'the maximum number of YAML documents is already waiting to be read; try again later',
    );
  }
}

/** A thread that parses one document at a time with a time limit. A thread that exceeds it is replaced. */
class YamlThread {
  private worker: Worker | undefined;
  busy = false;

  async read(job: YamlJob): Promise<JsonValue | ParsedManifests> {
    this.busy = true;
    try {
      return await this.run(job);
    } finally {
      this.busy = false;
    }
  }

  private async run(job: YamlJob): Promise<JsonValue | ParsedManifests> {
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
      worker.postMessage(job);
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
    // Listen for errors between documents, or the end of the worker would end the process.
    worker.on('error', () => {
      if (this.worker === worker) this.worker = undefined;
    });
    return worker;
  }
}

const queue = new FairQueue(QUEUE);
const threads = Array.from({ length: QUEUE.atOnce }, () => new YamlThread());

/** An idle thread. There is always one, because the queue runs at most as many tasks as there are threads. */
function idle(): YamlThread {
  return threads.find(({ busy }) => !busy)!;
}
