import { parentPort } from 'node:worker_threads';
import { Credits } from './credits.js';
import { IngestError } from './ingest-error.js';
import { ingestStream } from './ingest-stream.js';
import { Mailbox } from './mailbox.js';
import { BATCHES_AHEAD, type FromWorker, packRows, type ToWorker } from './worker-protocol.js';

/** A reading thread: several streams side by side, each an `ingestStream` between its own two queues. */
interface OpenStream {
  readonly chunks: Mailbox<Uint8Array>;
  readonly batches: Credits;
}

const port = parentPort!;
const streams = new Map<number, OpenStream>();
const send = (message: FromWorker, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, transfer);

async function run(message: ToWorker & { type: 'start' }, { chunks, batches }: OpenStream): Promise<void> {
  const { stream } = message;
  try {
    const rows = ingestStream(chunks, message.options, message.seed);
    for (;;) {
      const next = await rows.next();
      if (next.done === true) {
        send({ type: 'done', stream, report: next.value });
        return;
      }
      await batches.take();
      const packed = packRows(next.value);
      send({ type: 'rows', stream, rows: packed }, [packed.hashes.buffer as ArrayBuffer]);
    }
  } catch (error) {
    send({ type: 'failed', stream, error: IngestError.from(error).toData() });
  } finally {
    streams.delete(stream);
  }
}

port.on('message', (message: ToWorker) => {
  const { stream } = message;
  if (message.type === 'start') {
    const open = {
      chunks: new Mailbox<Uint8Array>(() => send({ type: 'more', stream })),
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
    // A stream that waits for its consumer must wake up to notice.
    open.batches.give();
  }
});
