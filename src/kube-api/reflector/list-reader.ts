import { BadAnswer, isBlank } from './json-scan.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The members of a list around its items. */
export interface ListEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resourceVersion: string;
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

/** An object in etcd has 1.5 MiB unless the limit of etcd is raised; with its managedFields and indentation it stays well below this. */
const MOST_ITEM_BYTES = 32 * 1024 * 1024;
const MOST_ENVELOPE_BYTES = 1024 * 1024;

type State = 'envelope' | 'element-or-end' | 'element' | 'item' | 'after-item';

/**
 * Finds the items of a list in its bytes as they arrive, however they are cut, and keeps no more than one item. Brackets are
 * counted and strings skipped; an item is not parsed.
 */
export class ListReader {
  private state: State = 'envelope';
  private depth = 0;
  private inString = false;
  private escaped = false;
  /** The text around the items, which are left out. */
  private readonly envelope = new Parts(MOST_ENVELOPE_BYTES, 'the text around the items of a list');
  private readonly held = new Parts(MOST_ITEM_BYTES, 'an object');
  /** The string at depth 1 that is being read, or was read last; only its first characters. */
  private key = '';
  private opensItems = false;
  private hadItems = false;
  private ended = false;
  private itemDepth = 0;
  private nextPage: string | undefined;

  /**
   * The token of the next page as soon as it is known: API servers write it before the items. Undefined on the last page, and for a list whose
   * metadata follow its items.
   */
  get next(): string | undefined {
    return this.nextPage;
  }

  /** The items that end in this chunk. @throws {BadAnswer} */
  *push(chunk: Buffer): Generator<Buffer> {
    let at = 0;
    while (at < chunk.length) {
      if (this.state === 'envelope') {
        at = this.readEnvelope(chunk, at);
      } else if (this.state === 'item') {
        const end = this.itemEnd(chunk, at);
        if (end < 0) {
          this.held.add(chunk.subarray(at));
          return;
        }
        const tail = chunk.subarray(at, end);
        at = end;
        this.state = 'after-item';
        if (this.held.length === 0) yield tail;
        else {
          this.held.add(tail);
          const whole = this.held.join();
          this.held.clear();
          yield whole;
        }
      } else {
        at = this.between(chunk, at);
      }
    }
  }

  /** @throws {BadAnswer} if the list is cut or is none */
  end(): ListEnvelope {
    if (!this.ended) throw new BadAnswer('the answer ends in the middle of a list');
    const { apiVersion, kind, metadata } = this.parsed('');
    if (typeof kind !== 'string' || typeof apiVersion !== 'string') throw new BadAnswer('the answer is no list');
    const { resourceVersion } = (metadata ?? {}) as Record<string, unknown>;
    return {
      apiVersion,
      kind,
      resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
      next: nextIn(metadata),
    };
  }

  /** @param rest what closes the envelope */
  private parsed(rest: string): Record<string, unknown> {
    try {
      return JSON.parse(`${this.envelope.join().toString('utf8')}${rest}`) as Record<string, unknown>;
    } catch {
      throw new BadAnswer('the text around the items of a list is not JSON');
    }
  }

  private readEnvelope(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === BACKSLASH) this.escaped = true;
        else if (byte === QUOTE) this.inString = false;
        else if (this.depth === 1 && this.key.length < 8) this.key += String.fromCharCode(byte);
        continue;
      }
      if (isBlank(byte)) continue;
      if (this.ended) throw new BadAnswer('something follows the list');
      if (this.depth === 0 && byte !== OPEN_BRACE) throw new BadAnswer('the answer is not JSON');
      const opensItems = this.opensItems;
      this.opensItems = false;
      if (byte === QUOTE) {
        this.inString = true;
        if (this.depth === 1) this.key = '';
      } else if (byte === COLON) {
        this.opensItems = this.depth === 1 && this.key === 'items';
      } else if (byte === OPEN_BRACKET && opensItems) {
        if (this.hadItems) throw new BadAnswer('a list has items twice');
        this.hadItems = true;
        this.envelope.add(chunk.subarray(from, at + 1));
        this.nextPage = nextIn(this.parsed(']}')['metadata']);
        this.state = 'element-or-end';
        return at + 1;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        this.depth += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.depth -= 1;
        if (this.depth === 0) this.ended = true;
      }
    }
    this.envelope.add(chunk.subarray(from));
    return chunk.length;
  }

  private between(chunk: Buffer, at: number): number {
    const byte = chunk[at]!;
    if (isBlank(byte)) return at + 1;
    if (byte === CLOSE_BRACKET && this.state !== 'element') {
      this.state = 'envelope';
      this.key = '';
      this.envelope.add(chunk.subarray(at, at + 1));
      return at + 1;
    }
    if (byte === COMMA && this.state === 'after-item') {
      this.state = 'element';
      return at + 1;
    }
    if (byte === OPEN_BRACE && this.state !== 'after-item') {
      this.state = 'item';
      this.itemDepth = 0;
      return at;
    }
    throw new BadAnswer('the items of a list are not objects');
  }

  /** The index after the item, or -1 if it does not end in this chunk. */
  private itemEnd(chunk: Buffer, from: number): number {
    const { length } = chunk;
    let { itemDepth, inString, escaped } = this;
    for (let at = from; at < length; at += 1) {
      let byte = chunk[at]!;
      if (inString) {
        if (escaped) {
          escaped = false;
          continue;
        }
        while (byte !== QUOTE && byte !== BACKSLASH) {
          at += 1;
          if (at >= length) break;
          byte = chunk[at]!;
        }
        if (at >= length) break;
        if (byte === BACKSLASH) escaped = true;
        else inString = false;
      } else if (byte === QUOTE) {
        inString = true;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        itemDepth += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        itemDepth -= 1;
        if (itemDepth === 0) {
          this.inString = false;
          this.escaped = false;
          return at + 1;
        }
      }
    }
    this.itemDepth = itemDepth;
    this.inString = inString;
    this.escaped = escaped;
    return -1;
  }
}

/** The token in the metadata of a list. */
function nextIn(metadata: unknown): string | undefined {
  const { continue: next } = (metadata ?? {}) as Record<string, unknown>;
  return typeof next === 'string' && next !== '' ? next : undefined;
}

/** Bytes that arrive in parts, up to a number. */
export class Parts {
  private parts: Buffer[] = [];
  length = 0;

  constructor(
    private readonly most: number,
    private readonly what: string,
  ) {}

  add(bytes: Buffer): void {
    this.length += bytes.length;
    if (this.length > this.most) throw new BadAnswer(`${this.what} has more than ${this.most} bytes`);
    this.parts.push(bytes);
  }

  join(): Buffer {
    if (this.parts.length !== 1) this.parts = [Buffer.concat(this.parts)];
    return this.parts[0]!;
  }

  clear(): void {
    this.parts = [];
    this.length = 0;
  }
}
