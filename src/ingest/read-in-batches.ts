import { Utf8Guard } from './utf8-guard.js';

const ROWS_A_BATCH = 500;
const CHARACTERS_A_BATCH = 1024 * 1024;
/** Splitting works on pieces of this size, so that one large chunk does not hold the thread for long. */
const SLICE_BYTES = 1024 * 1024;

/** Cuts a stream into the pieces that are read alone. */
interface Splitter<Piece> {
  push(bytes: Uint8Array): Iterable<Piece>;
  end(): Iterable<Piece>;
}

/**
 * Splits a text, reads its pieces, and gives out what comes of them in batches, in the order of the stream.
 * @returns the last batch, not given out, for whoever may still refuse the stream as a whole
 * @throws IngestError for what is no UTF-8, and what splitter and reader throw
 */
export async function* readInBatches<Piece, Row extends { readonly content: string }>(
  text: AsyncIterable<Uint8Array>,
  splitter: Splitter<Piece>,
  read: (piece: Piece) => Iterable<Row>,
): AsyncGenerator<readonly Row[], readonly Row[]> {
  const guard = new Utf8Guard();
  let batch: Row[] = [];
  let characters = 0;
  function* batchesOf(pieces: Iterable<Piece>): Generator<readonly Row[]> {
    for (const piece of pieces) {
      for (const row of read(piece)) {
        batch.push(row);
        characters += row.content.length;
        if (batch.length < ROWS_A_BATCH && characters < CHARACTERS_A_BATCH) continue;
        yield batch;
        batch = [];
        characters = 0;
      }
    }
  }
  for await (const chunk of text) {
    guard.check(chunk);
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
      yield* batchesOf(splitter.push(chunk.subarray(from, from + SLICE_BYTES)));
    }
  }
  guard.end();
  yield* batchesOf(splitter.end());
  return batch;
}
