/** A text that is kept in few bytes until it is read. */
export interface PackedText {
  /** What it takes in memory while it is not read. */
  readonly bytes: number;
  /** @throws if it cannot be read */
  readonly read: () => string;
}

/** An image cannot be read. */
export class BrokenImage extends Error {
  override readonly name = 'BrokenImage';

  constructor() {
    super('the image of the state is not complete');
  }
}

/** @throws {BrokenImage} if there are not as many lines as there should be */
export function linesOf(text: string, count: number): readonly string[] {
  const lines = count === 0 && text === '' ? [] : text.split('\n');
  if (lines.length !== count) throw new BrokenImage();
  return lines;
}

/** What a line takes beside its characters. */
const LINE = 40;
/** What the value of a line takes in memory, of a character of it. */
const BYTES_OF_CHARACTER = 2;

/** Lines of a text, which are read together when one of them is first asked for. */
export class UnreadLines {
  private lines: readonly string[] | undefined;
  private length = 0;
  /** Of the lines whose values are in memory, too. */
  private taken = 0;

  /** @param count of the lines */
  constructor(
    private packed: PackedText | undefined,
    readonly count: number,
  ) {}

  /** @throws {BrokenImage} if there are not as many as there should be */
  all(): readonly string[] {
    return (this.lines ??= this.unpack());
  }

  at(index: number): string {
    return this.all()[index]!;
  }

  /** A line whose value stays in memory. */
  take(index: number): string {
    const line = this.at(index);
    this.taken += line.length;
    return line;
  }

  /** The approximate bytes in memory, with the values of lines that were taken. */
  get bytes(): number {
    return this.packed?.bytes ?? this.length + LINE * this.count + BYTES_OF_CHARACTER * this.taken;
  }

  private unpack(): readonly string[] {
    const text = this.packed!.read();
    const lines = linesOf(text, this.count);
    this.length = text.length;
    this.packed = undefined;
    return lines;
  }
}
