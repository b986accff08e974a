import { parseJson, stringifyJson } from '../core/json/lossless-json.js';
import { Decoding } from '../core/kubernetes/schema/decoding.js';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LETTER_E,
  MINUS,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  PADDING,
  passed,
  POINT,
  QUOTE,
  skipBlanks,
  skipBoolean,
  skipDigits,
  skipName,
  skipNull,
  skipString,
  skipValue,
  SPACE,
  startsWith,
  UNSURE,
  ZERO,
} from './json-bytes.js';
import { copyBytes } from './source-memo.js';
import { NodeType, type SourceField, type SourceNode } from './source-schema.js';

const LETTER_N = 0x6e;
const LETTER_Z = 0x5a;
/** The fields of a segment: the length of its key or its rank, its start and its end. */
const SEGMENT = 3;
const MAX_SEGMENTS = 4096;

/**
 * Converts objects directly from source bytes to canonical JSON, without building values: validates everything, keeps
 * the fields that the schema keeps, and counts the dropped fields.
 *
 * It handles only the common case. For anything else, such as an error, an unknown field, a duplicate name or an
 * unusual number, it returns UNSURE, and the parser and decoder must read the object. For accepted objects, the
 * canonical form and the count equal those of `decodeObject`.
 */
export class SourceReader {
  /** The text, followed by NUL bytes. */
  bytes: Buffer = Buffer.alloc(64 * 1024);
  limit = 0;
  /** The canonical form written so far. */
  out: Buffer = Buffer.alloc(16 * 1024);
  length = 0;
  droppedFields = 0;
  readonly captured: (string | undefined)[] = [];

  private readonly segments = new Int32Array(SEGMENT * MAX_SEGMENTS);
  private top = 0;
  private flagged = false;

  /** @param depth the maximum nesting of objects and arrays in a value without a schema */
  constructor(private readonly depth: number) {}

  /** Copies the text to read from now on. */
  load(text: Uint8Array): void {
    if (this.bytes.length < text.length + PADDING) this.bytes = Buffer.alloc(2 * text.length + PADDING);
    this.bytes.set(text);
    this.bytes.fill(0, text.length, text.length + PADDING);
    this.limit = text.length;
  }

  /**
   * The index after the object at `at`; `out`, `length`, `droppedFields` and `captured` then contain the result. UNSURE
   * also if the text ends before the object does.
   */
  readObject(node: SourceNode, at: number): number {
    this.length = 0;
    this.droppedFields = 0;
    this.top = 0;
    this.captured.fill(undefined);
    return this.read(node, at);
  }

  /** The index after the value at `at`, whose canonical form is written if it is kept; or UNSURE. */
  private read(node: SourceNode, at: number): number {
    switch (node.type) {
      case NodeType.string:
        return this.string(at, node.keep);
      case NodeType.boolean:
        return this.verbatim(at, skipBoolean(this.bytes, at), node.keep);
      case NodeType.int32:
        return this.integer(at, 10, node.keep);
      case NodeType.int64:
        return this.integer(at, 15, node.keep);
      case NodeType.quantity:
        return this.quantity(node, at);
      case NodeType.time:
        return this.time(node, at);
      case NodeType.intOrString:
        return this.bytes[at] === QUOTE ? this.string(at, node.keep) : this.integer(at, 10, node.keep);
      case NodeType.anything:
        return node.keep ? UNSURE : skipValue(this.bytes, at, this.depth);
      case NodeType.constant:
        if (!startsWith(this.bytes, at, node.text)) return UNSURE;
        return this.verbatim(at, at + node.text.length, node.keep);
      case NodeType.never:
        return UNSURE;
      default:
        return node.memo === undefined ? this.container(node, at) : this.remembered(node, at);
    }
  }

  private container(node: SourceNode, at: number): number {
    if (node.type === NodeType.object) return this.object(node, at);
    if (node.type === NodeType.list) return this.list(node, at);
    return node.type === NodeType.map ? this.map(node, at) : this.refined(node, at);
  }

  private remembered(node: SourceNode, at: number): number {
    const memo = node.memo!;
    const known = memo.find(this.bytes, at, this.limit);
    if (known !== undefined) {
      this.droppedFields += known.droppedFields;
      passed.lineFeeds += known.lineFeeds;
      if (known.canonicalLength > 0) this.write(known.canonical, 0, known.canonicalLength);
      return at + known.sourceLength;
    }
    const { length, droppedFields } = this;
    const { lineFeeds } = passed;
    const end = this.container(node, at);
    if (end === UNSURE) return UNSURE;
    const dropped = this.droppedFields - droppedFields;
    memo.add(this.bytes, at, end, this.out, length, this.length, dropped, passed.lineFeeds - lineFeeds);
    return end;
  }

  private object(node: SourceNode, start: number): number {
    const { bytes } = this;
    const { keep } = node;
    if (bytes[start] !== OPEN_BRACE) return UNSURE;
    const begin = this.length;
    const base = this.top;
    let low = 0;
    let high = 0;
    let filled = 0;
    let lastRank = -1;
    let sorted = true;
    let last = node.start;
    let at = start + 1;
    if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
    if (bytes[at] === CLOSE_BRACE) return this.finishObject(node, at + 1, begin, base, 0, true);
    for (;;) {
      let field: SourceField | undefined = last.next;
      if (!startsWith(bytes, at, field.quoted) || field.index < 0) {
        const end = skipName(bytes, at);
        if (end === UNSURE) return UNSURE;
        field = node.fields.get(bytes.toString('latin1', at + 1, end - 1));
        if (field === undefined) return UNSURE;
        last.next = field;
      }
      last = field;
      at += field.quoted.length;
      if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
      if (bytes[at] !== COLON) return UNSURE;
      at++;
      if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
      if (keep) {
        const bit = 1 << (field.index & 31);
        if (field.index < 32) {
          if ((low & bit) !== 0) return UNSURE;
          low |= bit;
        } else {
          if ((high & bit) !== 0) return UNSURE;
          high |= bit;
        }
        if (bytes[at] === LETTER_N) {
          at = skipNull(bytes, at);
        } else {
          if (field.index < 32) filled |= bit;
          const from = this.length;
          const end = this.field(field, at);
          if (end === UNSURE) return UNSURE;
          if (this.length > from) {
            const rank = field.derive === undefined ? field.rank : field.derive.into.rank;
            if (!this.addSegment(rank, from)) return UNSURE;
            if (rank < lastRank) sorted = false;
            lastRank = rank;
          }
          at = end;
        }
      } else {
        at = bytes[at] === LETTER_N ? skipNull(bytes, at) : this.read(field.node, at);
      }
      if (at === UNSURE) return UNSURE;
      if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
      if (bytes[at] === CLOSE_BRACE) return this.finishObject(node, at + 1, begin, base, filled, sorted);
      if (bytes[at] !== COMMA) return UNSURE;
      at++;
      if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
    }
  }

  /** Reads a field of a kept object; writes a comma, the name and the value, or nothing. */
  private field(field: SourceField, at: number): number {
    const begin = this.length;
    if (field.node.keep) {
      this.write(field.label, 0, field.label.length);
      const value = this.length;
      const end = this.read(field.node, at);
      if (end === UNSURE) return UNSURE;
      if (this.length === value) this.length = begin;
      else if (field.capture >= 0) this.captured[field.capture] = this.out.toString('utf8', value, this.length);
      if (field.flagged) this.flagged = true;
      return end;
    }
    this.droppedFields++;
    const end = this.read(field.node, at);
    if (end !== UNSURE && field.capture >= 0) this.captured[field.capture] = this.bytes.toString('utf8', at, end);
    if (end === UNSURE || field.derive === undefined) return end;
    const derived = field.derive.valueOf(this.bytes.toString('utf8', at, end));
    if (derived !== undefined) {
      this.write(field.derive.into.label, 0, field.derive.into.label.length);
      this.writeText(stringifyJson(derived, { sortKeys: true }));
    }
    return end;
  }

  private finishObject(
    node: SourceNode,
    end: number,
    begin: number,
    base: number,
    filled: number,
    inOrder: boolean,
  ): number {
    if (!node.keep) return end;
    let sorted = inOrder;
    for (const field of node.always) {
      if ((filled & (1 << field.index)) !== 0) continue;
      const from = this.length;
      this.write(field.zero, 0, field.zero.length);
      if (!this.addSegment(field.rank, from)) return UNSURE;
      sorted = false;
    }
    if (!sorted) this.sortByRank(begin, base);
    this.top = base;
    if (!node.sparse || this.length > begin) this.closeObject(begin);
    return end;
  }

  /** Turns the members written from `begin` on into an object. */
  private closeObject(begin: number): void {
    this.reserve(2);
    if (this.length === begin) this.out[this.length++] = OPEN_BRACE;
    else this.out[begin] = OPEN_BRACE;
    this.out[this.length++] = CLOSE_BRACE;
  }

  private list(node: SourceNode, start: number): number {
    const { bytes } = this;
    const { keep } = node;
    const inner = node.inner!;
    if (bytes[start] !== OPEN_BRACKET) return UNSURE;
    const begin = this.length;
    let at = start + 1;
    if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
    if (bytes[at] === CLOSE_BRACKET) {
      at++;
    } else {
      for (;;) {
        if (keep) {
          this.reserve(2);
          this.out[this.length++] = COMMA;
        }
        const from = this.length;
        at = bytes[at] === LETTER_N && !keep ? skipNull(bytes, at) : this.read(inner, at);
        if (at === UNSURE || (keep && this.length === from)) return UNSURE;
        if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
        const byte = bytes[at++];
        if (byte === CLOSE_BRACKET) break;
        if (byte !== COMMA) return UNSURE;
        if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
      }
    }
    if (!keep) return at;
    this.reserve(2);
    if (this.length === begin) this.out[this.length++] = OPEN_BRACKET;
    else this.out[begin] = OPEN_BRACKET;
    this.out[this.length++] = CLOSE_BRACKET;
    return at;
  }

  private map(node: SourceNode, start: number): number {
    const { bytes } = this;
    const { keep, keeps, inner } = node;
    if (bytes[start] !== OPEN_BRACE) return UNSURE;
    const begin = this.length;
    const base = this.top;
    const seen = keep && keeps !== undefined ? new Set<string>() : undefined;
    let sorted = true;
    let at = start + 1;
    if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
    if (bytes[at] === CLOSE_BRACE) {
      if (keep && seen === undefined) this.closeObject(begin);
      return at + 1;
    }
    for (;;) {
      const name = at;
      at = skipName(bytes, at);
      if (at === UNSURE) return UNSURE;
      const nameEnd = at;
      let kept = keep;
      if (seen !== undefined) {
        const key = bytes.toString('latin1', name + 1, nameEnd - 1);
        if (seen.has(key)) return UNSURE;
        seen.add(key);
        kept = keeps!(key);
        if (!kept) this.droppedFields++;
      }
      if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
      if (bytes[at] !== COLON) return UNSURE;
      at++;
      if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
      const from = this.length;
      if (kept) {
        this.reserve(2);
        this.out[this.length++] = COMMA;
        this.write(bytes, name, nameEnd);
        this.reserve(2);
        this.out[this.length++] = COLON;
      }
      if (bytes[at] === LETTER_N && !keep) at = skipNull(bytes, at);
      else at = inner === undefined ? this.string(at, kept) : this.read(inner, at);
      if (at === UNSURE) return UNSURE;
      if (kept) {
        if (!this.addSegment(nameEnd - name - 2, from)) return UNSURE;
        if (sorted && this.top > base + SEGMENT)
          sorted = this.compareKeys(this.top - 2 * SEGMENT, this.top - SEGMENT) < 0;
      }
      if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
      const byte = bytes[at++];
      if (byte === CLOSE_BRACE) break;
      if (byte !== COMMA) return UNSURE;
      if (bytes[at]! <= SPACE) at = skipBlanks(bytes, at);
    }
    if (!keep || (seen !== undefined && this.length === begin)) return at;
    if (!sorted && !this.sortByKey(begin, base)) return UNSURE;
    this.top = base;
    this.closeObject(begin);
    return at;
  }

  private refined(node: SourceNode, start: number): number {
    const begin = this.length;
    this.flagged = false;
    const end = this.object(node.inner!, start);
    if (end === UNSURE || !this.flagged) return end;
    const value = parseJson(this.out.toString('utf8', begin, this.length));
    this.length = begin;
    this.writeText(stringifyJson(node.refine!(value as never), { sortKeys: true }));
    return end;
  }

  private string(at: number, keep: boolean): number {
    const { bytes } = this;
    const end = skipString(bytes, at);
    if (end === UNSURE || !keep) return end;
    const from = this.length;
    this.reserve(end - at);
    const { out } = this;
    if (end - at > 64) {
      this.write(bytes, at, end);
      if (!out.subarray(from, this.length).includes(BACKSLASH)) return end;
    } else {
      let escaped = false;
      let to = from;
      for (let index = at; index < end; index++) {
        const byte = bytes[index]!;
        if (byte === BACKSLASH) escaped = true;
        out[to++] = byte;
      }
      this.length = to;
      if (!escaped) return end;
    }
    // A character has one spelling in the canonical form, but may have several in the source.
    this.length = from;
    this.writeText(JSON.stringify(JSON.parse(bytes.toString('utf8', at, end))));
    return end;
  }

  /** Reads an integer in plain notation; with 10 digits, only one that fits in 32 bits. */
  private integer(start: number, mostDigits: number, keep: boolean): number {
    const { bytes } = this;
    const negative = bytes[start] === MINUS;
    const at = negative ? start + 1 : start;
    const end = skipDigits(bytes, at);
    const digits = end - at;
    if (digits === 0 || digits > mostDigits) return UNSURE;
    if (bytes[at] === ZERO && (digits > 1 || negative)) return UNSURE;
    const next = bytes[end]!;
    if (next === POINT || (next | 0x20) === LETTER_E) return UNSURE;
    if (mostDigits === 10 && digits === 10) {
      let value = 0;
      for (let index = at; index < end; index++) value = value * 10 + bytes[index]! - ZERO;
      if (value > 0x7fffffff) return UNSURE;
    }
    return this.verbatim(start, end, keep);
  }

  private quantity(node: SourceNode, at: number): number {
    const { bytes } = this;
    if (bytes[at] !== QUOTE) return UNSURE;
    const end = skipString(bytes, at);
    if (end === UNSURE) return UNSURE;
    return isPlainQuantity(bytes, at + 1, end - 1) ? this.verbatim(at, end, node.keep) : this.decoded(node, at, end);
  }

  private time(node: SourceNode, at: number): number {
    const { bytes } = this;
    if (isPlainTime(bytes, at)) return this.verbatim(at, at + 22, node.keep);
    const end = skipString(bytes, at);
    return end === UNSURE ? UNSURE : this.decoded(node, at, end);
  }

  /** Decodes a string with its own schema. Returns UNSURE for negative quantities, whose rules are not checked here. */
  private decoded(node: SourceNode, at: number, end: number): number {
    const decoding = new Decoding(false, false);
    const value = node.schema.decode(JSON.parse(this.bytes.toString('utf8', at, end)) as string, decoding, true);
    if (decoding.errors.length > 0 || typeof value !== 'string' || value.startsWith('-')) return UNSURE;
    if (node.keep) this.writeText(JSON.stringify(value));
    return end;
  }

  private verbatim(at: number, end: number, keep: boolean): number {
    if (keep && end !== UNSURE) this.write(this.bytes, at, end);
    return end;
  }

  private write(from: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    copyBytes(from, start, end, this.out, this.length);
    this.length += end - start;
  }

  private writeText(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.out.write(text, this.length);
  }

  private reserve(size: number): void {
    if (this.length + size <= this.out.length) return;
    const grown = Buffer.alloc(Math.max(this.out.length * 2, this.length + size));
    grown.set(this.out.subarray(0, this.length));
    this.out = grown;
  }

  /** Records the bytes from `from` to the current position as a member; false if there are too many. */
  private addSegment(key: number, from: number): boolean {
    const { segments, top } = this;
    if (top >= segments.length) return false;
    segments[top] = key;
    segments[top + 1] = from;
    segments[top + 2] = this.length;
    this.top = top + SEGMENT;
    return true;
  }

  private sortByRank(begin: number, base: number): void {
    const { segments, top } = this;
    for (let next = base + SEGMENT; next < top; next += SEGMENT) {
      for (let at = next; at > base && segments[at]! < segments[at - SEGMENT]!; at -= SEGMENT) this.swap(at);
    }
    this.rewrite(begin, base);
  }

  /** Returns false for a duplicate key, or if there are too many keys for an insertion sort. */
  private sortByKey(begin: number, base: number): boolean {
    const { top } = this;
    if (top - base > 200 * SEGMENT) return false;
    for (let next = base + SEGMENT; next < top; next += SEGMENT) {
      for (let at = next; at > base; at -= SEGMENT) {
        const order = this.compareKeys(at, at - SEGMENT);
        if (order === 0) return false;
        if (order > 0) break;
        this.swap(at);
      }
    }
    this.rewrite(begin, base);
    return true;
  }

  private swap(at: number): void {
    const { segments } = this;
    for (let part = at; part < at + SEGMENT; part++) {
      const before = segments[part - SEGMENT]!;
      segments[part - SEGMENT] = segments[part]!;
      segments[part] = before;
    }
  }

  /** Compares the keys of two segments of a map, which start after a comma and a quote. */
  private compareKeys(a: number, b: number): number {
    const { segments, out } = this;
    const left = segments[a + 1]! + 2;
    const right = segments[b + 1]! + 2;
    const shorter = Math.min(segments[a]!, segments[b]!);
    for (let index = 0; index < shorter; index++) {
      const difference = out[left + index]! - out[right + index]!;
      if (difference !== 0) return difference;
    }
    return segments[a]! - segments[b]!;
  }

  /** Rewrites the members from `begin` on in the order of their segments. */
  private rewrite(begin: number, base: number): void {
    const { segments, top, length } = this;
    this.reserve(length - begin);
    const { out } = this;
    let to = length;
    for (let segment = base; segment < top; segment += SEGMENT) {
      const from = segments[segment + 1]!;
      const end = segments[segment + 2]!;
      copyBytes(out, from, end, out, to);
      to += end - from;
    }
    out.copyWithin(begin, length, to);
  }
}

/** Whether a quantity consists of up to 15 digits and a common suffix, which needs no parser. */
function isPlainQuantity(bytes: Uint8Array, start: number, end: number): boolean {
  const at = skipDigits(bytes, start);
  const digits = at - start;
  if (digits === 0 || digits > 15) return false;
  if (at === end) return true;
  const suffix = bytes[at];
  const large = suffix === 0x4d || suffix === 0x47 || suffix === 0x54;
  if (at + 1 === end) return large || suffix === 0x6d || suffix === 0x6b;
  return at + 2 === end && bytes[at + 1] === 0x69 && (large || suffix === 0x4b);
}

/**
 * Whether a time has the form that Kubernetes writes, `2006-01-02T15:04:05Z` in quotes, with a day that every month
 * has.
 */
function isPlainTime(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== QUOTE || bytes[at + 21] !== QUOTE || bytes[at + 20] !== LETTER_Z) return false;
  if (bytes[at + 5] !== MINUS || bytes[at + 8] !== MINUS || bytes[at + 11] !== 0x54) return false;
  if (bytes[at + 14] !== 0x3a || bytes[at + 17] !== 0x3a) return false;
  const month = twoDigits(bytes, at + 6);
  const day = twoDigits(bytes, at + 9);
  return (
    twoDigits(bytes, at + 1) >= 0 &&
    twoDigits(bytes, at + 3) >= 0 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 28 &&
    isBelow(twoDigits(bytes, at + 12), 24) &&
    isBelow(twoDigits(bytes, at + 15), 60) &&
    isBelow(twoDigits(bytes, at + 18), 60)
  );
}

const isBelow = (value: number, limit: number): boolean => value >= 0 && value < limit;

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]!;
  const units = bytes[at + 1]!;
  return tens >= ZERO && tens <= NINE && units >= ZERO && units <= NINE ? (tens - ZERO) * 10 + units - ZERO : -1;
}
