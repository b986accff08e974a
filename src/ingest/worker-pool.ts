import { Worker } from 'node:worker_threads';
import { IngestError } from './ingest-error.js';
import type { FromWorker, ToWorker } from './worker-protocol.js';

const MAX_WORKERS = 2;
/** The number of streams that one thread reads concurrently, so that a slow sender does not block others. */
const MAX_STREAMS = 16;
/** The number of streams of one sender in all threads, so that other senders find room. */
const MAX_PER_SENDER = 16;
/** The number of series whose last reader is remembered. */
const MAX_SERIES = 1000;
/** The heap limit of a thread; the worst input within the default limits needs half of it. */
const HEAP_MIB = 640;
/** Almost all objects are short-lived here; this size saves most of the garbage collector's work that a small one costs. */
const YOUNG_MIB = 48;

/** The pool's view of one stream. */
interface Listener {
  receive(message: FromWorker): void;
  fail(error: IngestError): void;
}

/** The caller's side of a stream in a reading thread. */
export interface WorkerStream {
  readonly id: number;
  send(message: ToWorker, transfer?: readonly ArrayBuffer[]): void;
  /** Ends the use of the stream: no more messages in either direction. */
  release(): void;
}

class PooledWorker {
  readonly listeners = new Map<number, Listener>();
  readonly worker: Worker;

  constructor(url: URL, heapMiB: number, onGone: (worker: PooledWorker) => void) {
    // Flags of the main program, such as --eval, do not apply to the thread.
    const resourceLimits = { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: YOUNG_MIB };
    this.worker = new Worker(url, { resourceLimits, execArgv: [], name: 'ingest' });
    // An idle thread does not keep the process alive; an active stream does, through its source.
    this.worker.unref();
    this.worker.on('message', (message: FromWorker) => this.listeners.get(message.stream)?.receive(message));
    this.worker.on('error', (error) => {
      onGone(this);
      this.failAll(IngestError.from(error));
    });
    this.worker.on('exit', () => {
      onGone(this);
      this.failAll(new IngestError('worker-failed', 'the reading thread ended unexpectedly'));
    });
  }

  private failAll(error: IngestError): void {
    const listeners = [...this.listeners.values()];
    this.listeners.clear();
    for (const listener of listeners) listener.fail(error);
  }
}

/**
 * The threads that read streams. They are started on demand, kept warm, and replaced when they end unexpectedly. Only the
 * streams that such a thread was reading fail, with `out-of-memory` or `worker-failed`.
 */
export class WorkerPool {
  private workers: PooledWorker[] = [];
  private nextStream = 1;
  private readonly streamsOf = new Map<string, number>();
  /** The thread that read the last stream of a series. */
  private readonly readers = new Map<string, PooledWorker>();

  constructor(
    private readonly url: URL,
    private readonly heapMiB = HEAP_MIB,
  ) {}

  /**
   * @param sender the sender of the stream
   * @param series the thread of the last stream of the same series is preferred
   * @throws IngestError `busy`
   */
  open(listener: Listener, sender: string, series?: string): WorkerStream {
    const open = this.streamsOf.get(sender) ?? 0;
    if (open >= MAX_PER_SENDER)
      throw new IngestError('busy', `${open} of your streams are being read; try again later`);
    const pooled = this.idleReaderOf(series) ?? this.leastBusy();
    if (series !== undefined) this.noteReader(series, pooled);
    this.streamsOf.set(sender, open + 1);
    let released = false;
    const id = this.nextStream++;
    pooled.listeners.set(id, listener);
    if (pooled.listeners.size === 1) pooled.worker.ref();
    return {
      id,
      send: (message, transfer = []) => pooled.worker.postMessage(message, transfer),
      release: () => {
        if (!released) this.releaseOne(sender);
        released = true;
        if (pooled.listeners.delete(id) && pooled.listeners.size === 0) pooled.worker.unref();
      },
    };
  }

  private releaseOne(sender: string): void {
    const left = this.streamsOf.get(sender)! - 1;
    if (left > 0) this.streamsOf.set(sender, left);
    else this.streamsOf.delete(sender);
  }

  private idleReaderOf(series: string | undefined): PooledWorker | undefined {
    const reader = series === undefined ? undefined : this.readers.get(series);
    return reader?.listeners.size === 0 && this.workers.includes(reader) ? reader : undefined;
  }

  private noteReader(series: string, reader: PooledWorker): void {
    this.readers.delete(series);
    this.readers.set(series, reader);
    const [oldest] = this.readers.keys();
    if (this.readers.size > MAX_SERIES) this.readers.delete(oldest!);
  }

  private leastBusy(): PooledWorker {
    const [first] = [...this.workers].sort((a, b) => a.listeners.size - b.listeners.size);
    if (first?.listeners.size === 0) return first;
    if (this.workers.length < MAX_WORKERS) {
      const added = new PooledWorker(this.url, this.heapMiB, (gone) => {
        this.workers = this.workers.filter((worker) => worker !== gone);
      });
      this.workers.push(added);
      return added;
    }
    if (first!.listeners.size >= MAX_STREAMS) {
      throw new IngestError('busy', `${MAX_WORKERS * MAX_STREAMS} streams are being read; try again later`);
    }
    return first!;
  }
}
