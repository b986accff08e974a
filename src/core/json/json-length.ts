/** The characters of the JSON that a value is known to have; undefined if that is not known. */
type KnownLength = (value: object) => number | undefined;

/** Measures the JSON of a value, ignoring escapes, without writing it. Stops as soon as it is longer than allowed. */
export class JsonLength {
  private left: number;
  private readonly waiting: unknown[];

  constructor(
    value: unknown,
    most: number,
    private readonly known: KnownLength = () => undefined,
  ) {
    this.left = most;
    this.waiting = [value];
  }

  /** Whether what was visited so far is longer. */
  get isLonger(): boolean {
    return this.left < 0;
  }

  /**
   * Visits so many values.
   * @returns whether the answer is known
   */
  visit(values: number): boolean {
    const { waiting } = this;
    for (let count = 0; count < values && waiting.length > 0; count++) {
      count += this.take(waiting.pop());
      if (this.left < 0) return true;
    }
    return waiting.length === 0;
  }

  /** @returns how many values of a list were visited with it */
  private take(value: unknown): number {
    if (typeof value === 'string') this.left -= value.length + 3;
    else if (typeof value !== 'object' || value === null) this.left -= 5;
    else if (value instanceof Date) this.left -= 26;
    else {
      const known = this.known(value);
      if (known !== undefined) this.left -= known;
      else if (Array.isArray(value)) return this.takeList(value);
      else this.takeObject(value as Readonly<Record<string, unknown>>);
    }
    return 0;
  }

  private takeList(list: readonly unknown[]): number {
    this.left -= 2;
    // A list with too many items is not pushed onto the stack.
    if (this.left < list.length) {
      this.left = -1;
      return 0;
    }
    // Lists of names are most of the longest answers.
    for (const item of list)
      if (typeof item === 'string') this.left -= item.length + 3;
      else this.waiting.push(item);
    return list.length;
  }

  private takeObject(object: Readonly<Record<string, unknown>>): void {
    this.left -= 2;
    for (const name in object) {
      const member = object[name];
      if (member === undefined) continue;
      this.left -= name.length + 4;
      this.waiting.push(member);
    }
  }
}

/** Whether the JSON of a value is longer than so many characters, ignoring escapes. */
export function isLongerThan(value: unknown, most: number): boolean {
  const length = new JsonLength(value, most);
  length.visit(Infinity);
  return length.isLonger;
}
