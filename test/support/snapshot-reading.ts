import type { ObjectRow } from '../../src/core/cluster/object-row.js';
import { IngestError } from '../../src/ingest/ingest-error.js';
import type { IngestReport } from '../../src/ingest/ingest-report.js';
import { readSnapshot, type ReadSnapshotOptions } from '../../src/ingest/read-snapshot.js';

/** Bytes as a stream of chunks of one size. A chunk is overwritten when the next one is requested, for its buffer may be used again then. */
export async function* inChunks(body: string | Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  for (let from = 0; from < bytes.length; from += size) {
    const chunk = Uint8Array.from(bytes.subarray(from, from + size));
    yield await Promise.resolve(chunk);
    chunk.fill(0xff);
  }
}

export interface ReadResult {
  readonly rows: readonly ObjectRow[];
  readonly report: IngestReport;
}

/** Reads a whole body, by default in chunks of 64 KiB. */
export async function read(
  body: string | Uint8Array,
  options: Partial<ReadSnapshotOptions> & { readonly chunk?: number } = {},
): Promise<ReadResult> {
  const { chunk = 65_536, ...rest } = options;
  const reading = readSnapshot(inChunks(body, chunk), { invalid: 'refuse', ...rest });
  const rows: ObjectRow[] = [];
  for await (const batch of reading.rows) rows.push(...batch);
  return { rows, report: await reading.report };
}

/** The error with which a body is refused. */
export async function refusal(
  body: string | Uint8Array,
  options: Partial<ReadSnapshotOptions> & { readonly chunk?: number } = {},
): Promise<IngestError> {
  try {
    await read(body, options);
  } catch (error) {
    if (error instanceof IngestError) return error;
    throw error;
  }
  throw new Error('the body was accepted');
}
