/** Types of elements, as Postgres numbers them in `pg_type`. */
const TEXT = 25;
const BYTEA = 17;

/**
 * A `text[]` parameter in the binary format. The driver would write a literal, in which every quote of a JSON text is escaped, and
 * which the server reads character by character.
 */
export const textArray = (values: readonly (string | null)[]): Buffer =>
  arrayOf(TEXT, values, {
    lengthOf: (value) => Buffer.byteLength(value),
    // Without a buffer for each text.
    write: (array, value, at) => {
      array.write(value, at);
    },
  });

/** A `bytea[]` parameter in the binary format. */
export const byteaArray = (values: readonly Uint8Array[]): Buffer =>
  arrayOf(BYTEA, values, {
    lengthOf: ({ length }) => length,
    write: (array, value, at) => {
      array.set(value, at);
    },
  });

/** How the elements of an array are written. */
interface Elements<Value> {
  readonly lengthOf: (value: Value) => number;
  readonly write: (array: Buffer, value: Value, at: number) => void;
}

/** As `array_recv` of Postgres reads it: dimensions, whether there are nulls, the type, the length, the lower bound, and the elements. */
function arrayOf<Value>(type: number, values: readonly (Value | null)[], { lengthOf, write }: Elements<Value>): Buffer {
  const lengths = values.map((value) => (value === null ? -1 : lengthOf(value)));
  const size = lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), 20);
  const array = Buffer.allocUnsafe(size);
  let at = array.writeInt32BE(1);
  at = array.writeInt32BE(values.includes(null) ? 1 : 0, at);
  at = array.writeInt32BE(type, at);
  at = array.writeInt32BE(values.length, at);
  at = array.writeInt32BE(1, at);
  for (const [index, value] of values.entries()) {
    at = array.writeInt32BE(lengths[index]!, at);
    if (value === null) continue;
    write(array, value, at);
    at += lengths[index]!;
  }
  return array;
}
