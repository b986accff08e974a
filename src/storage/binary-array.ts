/** Types of elements, as Postgres numbers them in `pg_type`. */
const TEXT = 25;
const BYTEA = 17;

/**
 * A `text[]` parameter in the binary format. The driver would write a literal, in which every quote of a JSON text is escaped, and
 * which the server reads character by character.
 */
export const textArray = (values: readonly (string | null)[]): Buffer =>
  arrayOf(
    TEXT,
    values.map((value) => (value === null ? null : Buffer.from(value))),
  );

/** A `bytea[]` parameter in the binary format. */
export const byteaArray = (values: readonly Uint8Array[]): Buffer => arrayOf(BYTEA, values);

/** As `array_recv` of Postgres reads it: dimensions, whether there are nulls, the type, the length, the lower bound, and the elements. */
function arrayOf(type: number, values: readonly (Uint8Array | null)[]): Buffer {
  const size = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 20);
  const array = Buffer.allocUnsafe(size);
  let at = array.writeInt32BE(1);
  at = array.writeInt32BE(values.includes(null) ? 1 : 0, at);
  at = array.writeInt32BE(type, at);
  at = array.writeInt32BE(values.length, at);
  at = array.writeInt32BE(1, at);
  for (const value of values) {
    at = array.writeInt32BE(value?.length ?? -1, at);
    if (value === null) continue;
    array.set(value, at);
    at += value.length;
  }
  return array;
}
