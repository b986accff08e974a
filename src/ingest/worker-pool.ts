import { Worker } from 'node:worker_threads';
import { IngestError } from './ingest-error.js';
import type { FromWorker, ToWorker } from './worker-protocol.js';

const MAX_WORKERS = 2;
/** Streams that one thread reads side by side: a slow sender keeps nobody else from sending. */
const MAX_STREAMS = 16;
/** Of one sender, in all threads: the others' streams find room beside them. */
const MAX_PER_SENDER = 16;
/** What a thread may take before it is ended; the worst that the default limits let in takes half of it. */
const HEAP_MIB = 640;
/** Nearly everything dies young here: room for it saves two thirds of the collector's work. */
const YOUNG_MIB = 96;

/** One stream as the pool sees it. */
interface Listener {
  receive(message: FromWorker): void;
  fail(error: IngestError): void;
}

/** A stream's end of a reading thread. */
export interface WorkerStream {
  readonly id: number;
  send(message: ToWorker, transfer?: readonly ArrayBuffer[]): void;
  /** No further messages are wanted, nor will be sent. */
  release(): void;
}

class PooledWorker {
  readonly listeners = new Map<number, Listener>();
  readonly worker: Worker;

  constructor(url: URL, heapMiB: number, onGone: (worker: PooledWorker) => void) {
    // Flags of the main program, such as --eval's, are not the thread's.
    const resourceLimits = { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: YOUNG_MIB };
    this.worker = new Worker(url, { resourceLimits, execArgv: [], name: 'ingest' });
    // An idle thread keeps no process alive; a stream that is being read does, by its source.
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
 * The threads that read streams: started when first needed, kept warm, replaced when one dies. A death fails the streams
 * that the thread was reading, with `out-of-memory` or `worker-failed`, and nothing else.
 */
export class WorkerPool {
  private workers: PooledWorker[] = [];
  private nextStream = 1;
  private readonly streamsOf = new Map<string, number>();

  constructor(
    private readonly url: URL,
    private readonly heapMiB = HEAP_MIB,
  ) {}

  /**
   * @param sender whoever sends the stream
   * @throws IngestError `busy`
   */
  open(listener: Listener, sender: string): WorkerStream {
    const open = this.streamsOf.get(sender) ?? 0;
    if (open >= MAX_PER_SENDER)
      throw new IngestError('busy', `${open} of your streams are being read; try again later`);
    const pooled = this.leastBusy();
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
