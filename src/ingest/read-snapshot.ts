import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ObjectRow } from '../core/cluster/object-row.js';
import { Credits } from './credits.js';
import { IngestError } from './ingest-error.js';
import type { IngestReport } from './ingest-report.js';
import { type IngestOptions, ingestStream } from './ingest-stream.js';
import { Mailbox } from './mailbox.js';
import { checkMediaType, declaresGzip } from './media-type.js';
import { CHUNKS_AHEAD, type FromWorker, unpackRows } from './worker-protocol.js';
import { WorkerPool } from './worker-pool.js';

export interface ReadSnapshotOptions extends IngestOptions {
  /** Aborting ends the reading with `cancelled`. */
  readonly signal?: AbortSignal | undefined;
}

export interface SnapshotReading {
  /**
   * The rows in batches of at most 500, to be iterated once; the body is read as fast as they are taken. Of two rows
   * with one kind, namespace and name the later one counts. Throws IngestError; what came before is void then. Leaving
   * the loop early cancels the reading.
   */
  readonly rows: AsyncIterable<readonly ObjectRow[]>;
  /** What became of the stream: resolves when the last batch has been taken, rejects with what `rows` throws. */
  readonly report: Promise<IngestReport>;
}

/** Beside this file in a build; absent where the sources run as they are (tests), which read in their own thread. */
const workerUrl = new URL('./ingest.worker.js', import.meta.url);
const pool = existsSync(fileURLToPath(workerUrl)) ? new WorkerPool(workerUrl) : undefined;

/** Bytes sent to a reading thread at once: a message costs more than a copy. */
const BLOCK_BYTES = 256 * 1024;

/**
 * Reads a snapshot from a stream of bytes: a JSON List, several of them, single objects, NDJSON, watch events or YAML
 * documents, gzip or not. Splitting, parsing, decoding and hashing happen on another thread, so that this one keeps
 * answering; here bytes are only copied out and rows taken in.
 *
 * The body is read only as `rows` is iterated, and never destroyed: after a refusal the rest of it is the caller's to
 * drain or to hang up on. Nothing is kept between calls but the warm threads.
 */
export function readSnapshot(source: AsyncIterable<Uint8Array>, options: ReadSnapshotOptions): SnapshotReading {
  let settle: { resolve: (report: IngestReport) => void; reject: (error: IngestError) => void };
  const report = new Promise<IngestReport>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Who reads the rows sees the error there; a report that nobody waits for is no unhandled rejection.
  report.catch(() => undefined);
  async function* rows(): AsyncGenerator<readonly ObjectRow[], void> {
    try {
      const { signal, contentType, contentEncoding, invalid, limits } = options;
      checkMediaType(contentType);
      declaresGzip(contentEncoding);
      const plain = { contentType, contentEncoding, invalid, limits };
      const batches = (pool === undefined ? inThisThread : inWorker)(source, plain, signal);
      settle.resolve(yield* batches);
    } catch (error) {
      const failure = IngestError.from(error);
      settle.reject(failure);
      throw failure;
    } finally {
      settle.reject(cancelled());
    }
  }
  return { rows: rows(), report };
}

const cancelled = (cause?: unknown): IngestError =>
  new IngestError('cancelled', 'the body ended before it was complete', {}, { cause });

/**
 * The body as it comes, and a Node stream left open when reading ends early: it is a request whose sender wants an
 * answer, which a destroyed stream would take away with its socket.
 */
const unowned = (source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  source instanceof Readable ? (source.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) : source;

/** The source's own failure, such as a connection lost in the middle of a body, is the same as a cancellation. */
async function* guarded(source: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of unowned(source)) {
      if (signal?.aborted === true) throw cancelled(signal.reason);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof IngestError ? error : cancelled(error);
  }
  if (signal?.aborted === true) throw cancelled(signal.reason);
}

const inThisThread = (
  source: AsyncIterable<Uint8Array>,
  options: IngestOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ObjectRow[], IngestReport> => ingestStream(guarded(source, signal), options, randomSeed());

async function* inWorker(
  source: AsyncIterable<Uint8Array>,
  options: IngestOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ObjectRow[], IngestReport> {
  const room = new Credits(CHUNKS_AHEAD);
  let report: IngestReport | undefined;
  let finished = false;
  const batches = new Mailbox<readonly ObjectRow[]>(() => stream.send({ type: 'taken', stream: stream.id }));
  const finish = (error?: IngestError): void => {
    finished = true;
    batches.close(error);
    room.give();
  };
  const stream = pool!.open({
    receive: (message: FromWorker) => {
      if (message.type === 'rows') batches.put(unpackRows(message.rows));
      else if (message.type === 'more') room.give();
      else if (message.type === 'failed') finish(IngestError.fromData(message.error));
      else {
        report = message.report;
        finish();
      }
    },
    fail: finish,
  });
  const abort = (): void => finish(cancelled(signal?.reason));
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  const feed = async (): Promise<void> => {
    try {
      for await (const block of inBlocks(guarded(source, signal))) {
        await room.take();
        // Also where the stream was refused in the middle: the rest of the body is of no interest.
        if (finished) return;
        stream.send({ type: 'chunk', stream: stream.id, bytes: block }, [block.buffer]);
      }
      stream.send({ type: 'end', stream: stream.id });
    } catch (error) {
      finish(IngestError.from(error));
    }
  };
  try {
    stream.send({ type: 'start', stream: stream.id, options, seed: randomSeed() });
    void feed();
    yield* batches;
    return report!;
  } finally {
    if (report === undefined) stream.send({ type: 'cancel', stream: stream.id });
    finish(cancelled());
    signal?.removeEventListener('abort', abort);
    stream.release();
  }
}

const randomSeed = (): number => randomInt(2 ** 32);

/** Copies chunks into blocks that can be given away: a chunk's own buffer may be shared with other data. */
async function* inBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let block = new Uint8Array(BLOCK_BYTES);
  let length = 0;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.length;) {
      const part = chunk.subarray(from, from + BLOCK_BYTES - length);
      block.set(part, length);
      length += part.length;
      from += part.length;
      if (length === BLOCK_BYTES) {
        yield block;
        block = new Uint8Array(BLOCK_BYTES);
        length = 0;
      }
    }
  }
  if (length > 0) yield block.slice(0, length);
}
