import { parentPort } from 'node:worker_threads';
import type { SnapshotRow } from '../core/cluster/object-row.js';
import { useAgain } from './byte-arena.js';
import { giveWayToOtherThreads } from './background-thread.js';
import { Credits } from './credits.js';
import { IngestError } from './ingest-error.js';
import { ingestAuditEvents } from './ingest-audit-events.js';
import { ingestNext, ingestStream } from './ingest-stream.js';
import { ItemMemos } from './item-memo.js';
import { Mailbox } from './mailbox.js';
import {
  BATCHES_AHEAD,
  buffersOf,
  type FromWorker,
  packSnapshotRows,
  type ReadingTask,
  type ToWorker,
} from './worker-protocol.js';

/** A stream that is being read. One thread reads several streams concurrently, each between its own two queues. */
interface OpenStream {
  readonly chunks: Mailbox<Uint8Array<ArrayBuffer>>;
  readonly batches: Credits;
}

giveWayToOtherThreads();

const port = parentPort!;
const streams = new Map<number, OpenStream>();
const memos = new ItemMemos();
const send = (message: FromWorker, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, transfer);

/** A batch to send, with the buffers to transfer. */
interface Parcel {
  readonly rows: unknown;
  readonly transfer: readonly ArrayBuffer[];
}

async function* carryOut(task: ReadingTask, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Parcel, unknown> {
  if (task.kind === 'audit-events') {
    const batches = ingestAuditEvents(chunks, task.options);
    return yield* mapped(batches, (rows) => ({ rows, transfer: [] }));
  }
  const { options, seed, base } = task;
  const batches =
    base === undefined ? ingestStream(chunks, options, seed) : ingestNext(chunks, options, seed, base, memos);
  return yield* mapped(batches, (batch: readonly SnapshotRow[]) => {
    const rows = packSnapshotRows(batch);
    return { rows, transfer: buffersOf(rows) };
  });
}

/** Maps the values of a generator and returns its result. */
async function* mapped<From, To, Result>(
  source: AsyncGenerator<From, Result>,
  map: (value: From) => To,
): AsyncGenerator<To, Result> {
  for (;;) {
    const next = await source.next();
    if (next.done === true) return next.value;
    yield map(next.value);
  }
}

async function run({ stream, task }: ToWorker & { type: 'start' }, { chunks, batches }: OpenStream): Promise<void> {
  try {
    const parcels = carryOut(task, chunks);
    for (;;) {
      const next = await parcels.next();
      if (next.done === true) {
        send({ type: 'done', stream, report: next.value });
        return;
      }
      await batches.take();
      send({ type: 'rows', stream, rows: next.value.rows }, next.value.transfer);
    }
  } catch (error) {
    send({ type: 'failed', stream, error: IngestError.from(error).toData() });
  } finally {
    streams.delete(stream);
  }
}

port.on('message', (message: ToWorker) => {
  const { stream } = message;
  if (message.type === 'released') {
    useAgain(message.buffer);
    return;
  }
  if (message.type === 'start') {
    const open = {
      // A reader that requests the next chunk has no use for the last one.
      chunks: new Mailbox<Uint8Array<ArrayBuffer>>(({ buffer }) => send({ type: 'more', stream, buffer }, [buffer])),
      batches: new Credits(BATCHES_AHEAD),
    };
    streams.set(stream, open);
    void run(message, open);
    return;
  }
  const open = streams.get(stream);
  if (open === undefined) return;
  if (message.type === 'chunk') open.chunks.put(message.bytes);
  else if (message.type === 'end') open.chunks.close();
  else if (message.type === 'taken') open.batches.give();
  else {
    open.chunks.close(new IngestError('cancelled', 'reading was cancelled'));
    // A stream that waits for its consumer must wake up to notice the cancellation.
    open.batches.give();
  }
});
