const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END = -1;
const NULL = -1;

/** Rows in the binary format of COPY, which needs no escapes. */
export class CopyRows {
  private bytes: Buffer;
  private length = SIGNATURE.length;

  /**
   * @param size the approximate number of bytes
   * @param buffer to write to if it is large enough: that of other rows, which are not needed any more
   */
  constructor(
    private readonly columns: number,
    size: number,
    buffer?: Buffer,
  ) {
    const needed = size + SIGNATURE.length + 2;
    this.bytes = buffer !== undefined && buffer.length >= needed ? buffer : Buffer.allocUnsafeSlow(needed);
    this.bytes.set(SIGNATURE);
  }

  /** The buffer of the rows. */
  get buffer(): Buffer {
    return this.bytes;
  }

  /** Begins a row; its columns follow. */
  row(): this {
    this.reserve(2);
    this.length = this.bytes.writeInt16BE(this.columns, this.length);
    return this;
  }

  integer(value: number): this {
    this.reserve(8);
    this.length = this.bytes.writeInt32BE(4, this.length);
    this.length = this.bytes.writeInt32BE(value, this.length);
    return this;
  }

  /** @param value not negative */
  bigint(value: number): this {
    this.reserve(12);
    this.length = this.bytes.writeInt32BE(8, this.length);
    this.length = this.bytes.writeInt32BE(Math.floor(value / 2 ** 32), this.length);
    this.length = this.bytes.writeUInt32BE(value % 2 ** 32, this.length);
    return this;
  }

  text(value: string | null): this {
    this.reserve(4 + 3 * (value?.length ?? 0));
    const start = this.length;
    this.length += 4;
    if (value !== null) this.length += this.bytes.write(value, this.length);
    this.bytes.writeInt32BE(value === null ? NULL : this.length - start - 4, start);
    return this;
  }

  binary(value: Uint8Array): this {
    this.reserve(4 + value.length);
    this.length = this.bytes.writeInt32BE(value.length, this.length);
    this.bytes.set(value, this.length);
    this.length += value.length;
    return this;
  }

  /** All rows. Nothing can be added after that. */
  end(): Buffer {
    this.reserve(2);
    this.length = this.bytes.writeInt16BE(END, this.length);
    return this.bytes.subarray(0, this.length);
  }

  private reserve(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.length + size));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
