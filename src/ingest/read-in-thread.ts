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
   * The rows in batches of at most 500, to be iterated once; the body is read as fast as batches are consumed. Throws
   * IngestError. Leaving the loop early cancels the reading.
   */
  readonly rows: AsyncIterable<readonly Row[]>;
  /** Takes back the memory of a batch, whose bytes must not be used any more. Without it, the garbage collector frees them. */
  readonly release: (batch: readonly Row[]) => void;
  /** The report. It resolves after the last batch was consumed, and rejects with the error that `rows` throws. */
  readonly report: Promise<Report>;
}

/** How to read a stream, in a worker thread or in this one. */
export interface ReadingJob<Row, Report> {
  readonly task: ReadingTask;
  /** The sender of the stream: senders share the threads. */
  readonly sender: string;
  /** Streams of the same series are read by the same thread if possible, which remembers the last. */
  readonly series?: string | undefined;
  /** Whether it is read in this thread. */
  readonly isSmall?: boolean | undefined;
  readonly inThisThread: (source: AsyncIterable<Uint8Array>) => AsyncGenerator<readonly Row[], Report>;
  /** Converts a batch from the reading thread. */
  readonly unpack: (sent: unknown) => readonly Row[];
  /** The buffer of a batch from the reading thread, which can be used again. */
  readonly bufferOf?: (sent: unknown) => ArrayBuffer;
}

/**
 * In a build, the worker is in the same folder. Tests run the sources, which have no worker, and read in their own
 * thread.
 */
const workerUrl = new URL('./ingest.worker.js', import.meta.url);
const pool = existsSync(fileURLToPath(workerUrl)) ? new WorkerPool(workerUrl) : undefined;

/** The size of blocks sent to a reading thread: a message costs more than copying. */
const BLOCK_BYTES = 256 * 1024;

/**
 * Reads a stream of bytes in another thread, so that this one stays responsive; this thread only copies bytes and
 * receives rows.
 *
 * The body is read only while `rows` is iterated, and is never destroyed: after a rejection, the caller must drain the
 * rest or close the connection. Only the warm threads remain between calls.
 */
export function readInThread<Row, Report>(
  source: AsyncIterable<Uint8Array>,
  job: ReadingJob<Row, Report>,
  signal: AbortSignal | undefined,
): Reading<Row, Report> {
  let settle: Settle<Report>;
  const report = new Promise<Report>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // The consumer of the rows sees the error; a report that nobody awaits must not cause an unhandled rejection.
  report.catch(() => undefined);
  const lent = new Lent<Row>();
  return { rows: rowsOf(source, job, { lent, signal }, settle!), release: (batch) => lent.release(batch), report };
}

interface Settle<Report> {
  readonly resolve: (report: Report) => void;
  readonly reject: (error: IngestError) => void;
}

async function* rowsOf<Row, Report>(
  source: AsyncIterable<Uint8Array>,
  job: ReadingJob<Row, Report>,
  { lent, signal }: { readonly lent: Lent<Row>; readonly signal: AbortSignal | undefined },
  settle: Settle<Report>,
): AsyncGenerator<readonly Row[], void> {
  let isOver = false;
  try {
    const { contentType, contentEncoding } = job.task.options;
    checkMediaType(contentType);
    declaresGzip(contentEncoding);
    const batches =
      pool === undefined || job.isSmall === true
        ? job.inThisThread(guarded(source, signal))
        : inWorker(source, job, lent, signal);
    settle.resolve(yield* batches);
    isOver = true;
  } catch (error) {
    isOver = true;
    const failure = IngestError.from(error);
    settle.reject(failure);
    throw failure;
  } finally {
    // An error is dear, and most bodies are read to their end.
    if (!isOver) settle.reject(cancelled());
  }
}

const cancelled = (cause?: unknown): IngestError =>
  new IngestError('cancelled', 'the body ended before it was complete', {}, { cause });

/**
 * Iterates the body but leaves a Node stream open if reading ends early: its sender expects a response, and destroying
 * the stream would close the socket.
 */
const unowned = (source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  source instanceof Readable ? (source.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) : source;

/** Treats a failure of the source, such as a lost connection, as a cancellation. */
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
  { task, sender, series, unpack, bufferOf }: ReadingJob<Row, Report>,
  lent: Lent<Row>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Row[], Report> {
  const room = new Credits(CHUNKS_AHEAD);
  const blocks = new Blocks();
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
        if (message.type === 'rows') {
          const batch = unpack(message.rows);
          if (bufferOf !== undefined) lent.add(batch, bufferOf(message.rows));
          batches.put(batch);
        } else if (message.type === 'more') {
          blocks.giveBack(message.buffer);
          room.give();
        } else if (message.type === 'failed') {
          finish(IngestError.fromData(message.error));
        } else {
          done = { report: message.report as Report };
          finish();
        }
      },
      fail: finish,
    },
    sender,
    series,
  );
  const abort = (): void => finish(cancelled(signal?.reason));
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  const feed = async (): Promise<void> => {
    try {
      for await (const block of inBlocks(guarded(source, signal), blocks)) {
        await room.take();
        // Also stop if the stream was rejected before its end: the rest of the body is irrelevant.
        if (finished) return;
        stream.send({ type: 'chunk', stream: stream.id, bytes: block }, [block.buffer]);
      }
      stream.send({ type: 'end', stream: stream.id });
    } catch (error) {
      finish(IngestError.from(error));
    }
  };
  try {
    lent.onRelease = (buffer) => stream.send({ type: 'released', stream: stream.id, buffer }, [buffer]);
    stream.send({ type: 'start', stream: stream.id, task });
    void feed();
    yield* batches;
    return done!.report;
  } finally {
    if (done === undefined) stream.send({ type: 'cancel', stream: stream.id });
    lent.onRelease = undefined;
    finish(cancelled());
    signal?.removeEventListener('abort', abort);
    stream.release();
  }
}

/** The buffers of batches that the consumer has, to be given back. */
class Lent<Row> {
  private readonly buffers = new WeakMap<readonly Row[], ArrayBuffer>();
  /** Undefined while no thread takes them. */
  onRelease: ((buffer: ArrayBuffer) => void) | undefined;

  add(batch: readonly Row[], buffer: ArrayBuffer): void {
    if (buffer.byteLength > 0) this.buffers.set(batch, buffer);
  }

  release(batch: readonly Row[]): void {
    const buffer = this.buffers.get(batch);
    if (buffer === undefined || this.onRelease === undefined) return;
    this.buffers.delete(batch);
    this.onRelease(buffer);
  }
}

/** The blocks of a stream, which are used again: each new one costs the kernel its pages, and the garbage collector a part of a cycle. */
class Blocks {
  private readonly free: Uint8Array<ArrayBuffer>[] = [];

  take(): Uint8Array<ArrayBuffer> {
    return this.free.pop() ?? new Uint8Array(BLOCK_BYTES);
  }

  giveBack(buffer: ArrayBuffer): void {
    if (buffer.byteLength === BLOCK_BYTES) this.free.push(new Uint8Array(buffer));
  }
}

/** Copies chunks into blocks that can be transferred: the buffer of a chunk may be shared with other data. */
async function* inBlocks(
  source: AsyncIterable<Uint8Array>,
  blocks: Blocks,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let block = blocks.take();
  let length = 0;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.length;) {
      const part = chunk.subarray(from, from + BLOCK_BYTES - length);
      block.set(part, length);
      length += part.length;
      from += part.length;
      if (length === BLOCK_BYTES) {
        yield block;
        block = blocks.take();
        length = 0;
      }
    }
  }
  if (length > 0) yield block.slice(0, length);
}
