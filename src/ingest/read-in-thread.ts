import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Credits } from './credits.js';
import { IngestError } from './ingest-error.js';
import { Mailbox } from './mailbox.js';
import { checkMediaType, declaresGzip } from './media-type.js';
import { CHUNKS_AHEAD, type FromWorker, type ReadingTask } from './worker-protocol.js';
import { WorkerPool } from './worker-pool.js';

/** A stream that is being read. */
export interface Reading<Row, Report> {
  /**
   * The rows in batches of at most 500, to be iterated once; the body is read as fast as they are taken. Throws
   * IngestError. Leaving the loop early cancels the reading.
   */
  readonly rows: AsyncIterable<readonly Row[]>;
  /** What became of the stream: resolves when the last batch has been taken, rejects with what `rows` throws. */
  readonly report: Promise<Report>;
}

/** How a stream is read, wherever that happens. */
export interface ReadingJob<Row, Report> {
  readonly task: ReadingTask;
  /** Whoever sends the stream: senders share the threads. */
  readonly sender: string;
  readonly inThisThread: (source: AsyncIterable<Uint8Array>) => AsyncGenerator<readonly Row[], Report>;
  /** A batch as it was sent by the reading thread. */
  readonly unpack: (sent: unknown) => readonly Row[];
}

/** Beside this file in a build; absent where the sources run as they are (tests), which read in their own thread. */
const workerUrl = new URL('./ingest.worker.js', import.meta.url);
const pool = existsSync(fileURLToPath(workerUrl)) ? new WorkerPool(workerUrl) : undefined;

/** Bytes sent to a reading thread at once: a message costs more than a copy. */
const BLOCK_BYTES = 256 * 1024;

/**
 * Reads a stream of bytes on another thread, so that this one keeps answering; here bytes are only copied out and rows
 * taken in.
 *
 * The body is read only as `rows` is iterated, and never destroyed: after a refusal the rest of it is the caller's to
 * drain or to hang up on. Nothing is kept between calls but the warm threads.
 */
export function readInThread<Row, Report>(
  source: AsyncIterable<Uint8Array>,
  job: ReadingJob<Row, Report>,
  signal: AbortSignal | undefined,
): Reading<Row, Report> {
  let settle: { resolve: (report: Report) => void; reject: (error: IngestError) => void };
  const report = new Promise<Report>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Who reads the rows sees the error there; a report that nobody waits for is no unhandled rejection.
  report.catch(() => undefined);
  async function* rows(): AsyncGenerator<readonly Row[], void> {
    try {
      const { contentType, contentEncoding } = job.task.options;
      checkMediaType(contentType);
      declaresGzip(contentEncoding);
      const batches = pool === undefined ? job.inThisThread(guarded(source, signal)) : inWorker(source, job, signal);
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

async function* inWorker<Row, Report>(
  source: AsyncIterable<Uint8Array>,
  { task, sender, unpack }: ReadingJob<Row, Report>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Row[], Report> {
  const room = new Credits(CHUNKS_AHEAD);
  let done: { readonly report: Report } | undefined;
  let finished = false;
  const batches = new Mailbox<readonly Row[]>(() => stream.send({ type: 'taken', stream: stream.id }));
  const finish = (error?: IngestError): void => {
    finished = true;
    batches.close(error);
    room.give();
  };
  const stream = pool!.open(
    {
      receive: (message: FromWorker) => {
        if (message.type === 'rows') batches.put(unpack(message.rows));
        else if (message.type === 'more') room.give();
        else if (message.type === 'failed') finish(IngestError.fromData(message.error));
        else {
          done = { report: message.report as Report };
          finish();
        }
      },
      fail: finish,
    },
    sender,
  );
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
    stream.send({ type: 'start', stream: stream.id, task });
    void feed();
    yield* batches;
    return done!.report;
  } finally {
    if (done === undefined) stream.send({ type: 'cancel', stream: stream.id });
    finish(cancelled());
    signal?.removeEventListener('abort', abort);
    stream.release();
  }
}

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
