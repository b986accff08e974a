/** JSON in which long parts that other answers have, too, are not copied. */
export interface JsonParts {
  /** What is of one answer alone. */
  readonly own: Buffer;
  /** What other answers share. */
  readonly shared: readonly Buffer[];
  /** How much of `own` comes before each shared part. */
  readonly at: readonly number[];
}

/** The length of the whole. */
export const lengthOf = ({ own, shared }: JsonParts): number =>
  shared.reduce((sum, { length }) => sum + length, own.length);

/** Writes the whole to a buffer. */
export function writeParts({ own, shared, at }: JsonParts, into: Buffer, start: number): void {
  let to = start;
  let from = 0;
  for (const [index, part] of shared.entries()) {
    to += own.copy(into, to, from, at[index]);
    to += part.copy(into, to);
    from = at[index]!;
  }
  own.copy(into, to, from);
}
