import { Utf8Guard } from './utf8-guard.js';

const ROWS_A_BATCH = 500;
const CHARACTERS_A_BATCH = 1024 * 1024;
/** The maximum size of a slice to split, so that one large chunk does not block the thread for long. */
const SLICE_BYTES = 1024 * 1024;

/** A row with its content, if it has any. */
type WithSize = { readonly content: string } | { readonly utf8: Uint8Array } | { readonly unchanged: number };

function sizeOf(row: WithSize): number {
  if ('content' in row) return row.content.length;
  return 'utf8' in row ? row.utf8.length : 0;
}

/** Splits a stream into pieces that can be parsed alone. */
interface Splitter<Piece> {
  push(bytes: Uint8Array): Iterable<Piece>;
  end(): Iterable<Piece>;
}

/**
 * Splits a text, reads its pieces, and yields the results in batches, in stream order.
 * @returns the last batch, which is not yielded, for callers that may still reject the whole stream
 * @throws IngestError for invalid UTF-8, and the errors of the splitter and the reader
 */
export async function* readInBatches<Piece, Row extends WithSize>(
  text: AsyncIterable<Uint8Array>,
  splitter: Splitter<Piece>,
  read: (piece: Piece) => Iterable<Row>,
): AsyncGenerator<readonly Row[], readonly Row[]> {
  const guard = new Utf8Guard();
  const batches = new Batches(read);
  for await (const chunk of text) {
    guard.check(chunk);
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
      yield* batches.of(splitter.push(chunk.subarray(from, from + SLICE_BYTES)));
    }
  }
  guard.end();
  yield* batches.of(splitter.end());
  return batches.last;
}

class Batches<Piece, Row extends WithSize> {
  private batch: Row[] = [];
  private characters = 0;

  constructor(private readonly read: (piece: Piece) => Iterable<Row>) {}

  /** The rows that no full batch contained. */
  get last(): readonly Row[] {
    return this.batch;
  }

  *of(pieces: Iterable<Piece>): Generator<readonly Row[]> {
    for (const piece of pieces) {
      for (const row of this.read(piece)) {
        this.batch.push(row);
        this.characters += sizeOf(row);
        if (this.batch.length < ROWS_A_BATCH && this.characters < CHARACTERS_A_BATCH) continue;
        yield this.batch;
        this.batch = [];
        this.characters = 0;
      }
    }
  }
}
