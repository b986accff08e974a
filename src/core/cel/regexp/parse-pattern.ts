import { CelUnsupported } from '../errors.js';
import { LAST, negated, NEW_LINE, normalized, PatternError, PERL, POSIX, type Assertion, type Node } from './syntax.js';

interface Flags {
  readonly foldCase: boolean;
  readonly isMultiLine: boolean;
  readonly dotTakesNewLine: boolean;
  readonly isLazy: boolean;
}

const MAX_REPEAT = 1000;
const MAX_DEPTH = 500;
const GREATEST_ASCII = 0x7f;

/**
 * Reads a regular expression as Go's `regexp.Compile` does.
 *
 * Source: Go, regexp/syntax/parse.go, with the flags of `syntax.Perl`.
 *
 * @throws {PatternError}
 * @throws {CelUnsupported} for Unicode classes, and for `(?i)` beyond ASCII
 */
export const parsePattern = (pattern: string): Node => new PatternParser(pattern).whole();

class PatternParser {
  private at = 0;
  private depth = 0;
  private flags: Flags = { foldCase: false, isMultiLine: false, dotTakesNewLine: false, isLazy: false };
  private readonly points: readonly string[];

  constructor(private readonly pattern: string) {
    this.points = Array.from(pattern);
  }

  whole(): Node {
    const node = this.alternatives();
    if (this.at < this.points.length) throw new PatternError('unexpected )', this.pattern);
    return node;
  }

  private alternatives(): Node {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new CelUnsupported('a regular expression nested so deep');
    const branches = [this.sequence()];
    while (this.takes('|')) branches.push(this.sequence());
    this.depth -= 1;
    return branches.length === 1 ? branches[0]! : { kind: 'one', of: branches };
  }

  private sequence(): Node {
    const parts: Node[] = [];
    while (this.at < this.points.length && this.peek !== '|' && this.peek !== ')') {
      const start = this.at;
      if (this.startsWith('\\Q')) {
        parts.push(...this.quoted());
        continue;
      }
      const repeat = this.repeat(start);
      if (repeat !== undefined) throw new PatternError('missing argument to repetition operator', this.since(start));
      const atom = this.atom();
      if (atom !== undefined) parts.push(this.repeated(atom));
    }
    return { kind: 'all', parts };
  }

  private quoted(): Node[] {
    this.at += 2;
    const nodes: Node[] = [];
    while (this.at < this.points.length && !this.startsWith('\\E')) nodes.push(this.character(this.next()));
    if (this.startsWith('\\E')) this.at += 2;
    if (nodes.length > 0) nodes.push(this.repeated(nodes.pop()!));
    return nodes;
  }

  /** The atom with the repetitions after it. */
  private repeated(atom: Node): Node {
    let node = atom;
    let last: number | undefined;
    for (;;) {
      const start = this.at;
      const bounds = this.repeat(start);
      if (bounds === undefined) return node;
      const isLazy = this.takes('?') !== this.flags.isLazy;
      if (last !== undefined) throw new PatternError('invalid nested repetition operator', this.since(last));
      node = { kind: 'repeat', node, ...bounds, isLazy };
      if (!isRepeatedAtMost(node, MAX_REPEAT)) throw new PatternError('invalid repeat count', this.since(start));
      last = start;
    }
  }

  /** A repetition that stands here; `{` that begins none is a character. */
  private repeat(start: number): { readonly least: number; readonly most: number } | undefined {
    if (this.takes('*')) return { least: 0, most: Infinity };
    if (this.takes('+')) return { least: 1, most: Infinity };
    if (this.takes('?')) return { least: 0, most: 1 };
    const written = /^\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}/.exec(this.points.slice(this.at, this.at + 40).join(''));
    if (written === null) return undefined;
    this.at += written[0].length;
    const least = Number(written[1]);
    const most = written[2] === undefined ? least : written[3] === undefined ? Infinity : Number(written[3]);
    const isFine = least <= MAX_REPEAT && (most === Infinity || (most <= MAX_REPEAT && most >= least));
    if (!isFine) throw new PatternError('invalid repeat count', this.since(start));
    return { least, most };
  }

  private atom(): Node | undefined {
    const start = this.at;
    const character = this.next();
    switch (character) {
      case '(':
        return this.group(start);
      case '[':
        return { kind: 'set', ranges: this.set(start) };
      case '.':
        return { kind: 'set', ranges: this.flags.dotTakesNewLine ? [0, LAST] : negated([NEW_LINE, NEW_LINE]) };
      case '^':
        return assertion(this.flags.isMultiLine ? 'lineStart' : 'textStart');
      case '$':
        return assertion(this.flags.isMultiLine ? 'lineEnd' : 'textEnd');
      case '\\':
        return this.escaped(start);
      default:
        return this.character(character);
    }
  }

  private character(character: string): Node {
    const code = character.codePointAt(0)!;
    return { kind: 'set', ranges: this.flags.foldCase ? folded([code, code]) : [code, code] };
  }

  private group(start: number): Node | undefined {
    const before = this.flags;
    if (this.takes('?')) {
      if (this.startsWith('P<') || this.startsWith('<')) this.groupName(start);
      else if (!this.groupFlags(start)) return undefined;
    }
    const node = this.alternatives();
    if (!this.takes(')')) throw new PatternError('missing closing )', this.pattern);
    this.flags = before;
    return node;
  }

  private groupName(start: number): void {
    this.at += this.peek === 'P' ? 2 : 1;
    const from = this.at;
    while (this.at < this.points.length && this.peek !== '>') this.at += 1;
    const name = this.points.slice(from, this.at).join('');
    if (!this.takes('>')) throw new PatternError('invalid named capture', this.rest(start));
    if (!/^[A-Za-z0-9_]+$/.test(name)) throw new PatternError('invalid named capture', this.since(start));
  }

  /** `(?i)` for what follows, or `(?i:` for a group; whether a group follows. */
  private groupFlags(start: number): boolean {
    let flags = this.flags;
    let isOn = true;
    let isEmpty = true;
    while (this.at < this.points.length) {
      const letter = this.next();
      if (letter === '-' && isOn) {
        isOn = false;
        isEmpty = true;
        continue;
      }
      if (letter === ':' || letter === ')') {
        if (!isOn && isEmpty) break;
        this.flags = flags;
        return letter === ':';
      }
      const name = FLAGS.get(letter);
      if (name === undefined) break;
      flags = { ...flags, [name]: isOn };
      isEmpty = false;
    }
    throw new PatternError(
      this.at < this.points.length || this.points.at(-1) !== '('
        ? 'invalid or unsupported Perl syntax'
        : 'missing argument',
      this.since(start),
    );
  }

  private escaped(start: number): Node {
    const letter = this.peek;
    if (letter === undefined) throw new PatternError('trailing backslash at end of expression', '');
    const place = PLACES.get(letter);
    if (place !== undefined) {
      this.at += 1;
      return assertion(place);
    }
    this.refuseUnicodeClass();
    const ranges = this.perlClass();
    if (ranges !== undefined) return { kind: 'set', ranges };
    return this.character(String.fromCodePoint(this.escapedCode(start)));
  }

  private perlClass(): readonly number[] | undefined {
    const letter = this.peek ?? '';
    const ranges = PERL.get(letter.toLowerCase());
    if (ranges === undefined) return undefined;
    this.at += 1;
    const known = this.flags.foldCase ? folded(ranges) : ranges;
    return letter === letter.toLowerCase() ? known : negated(known);
  }

  private refuseUnicodeClass(): void {
    if (this.peek === 'p' || this.peek === 'P') throw new CelUnsupported('the Unicode class of a regular expression');
  }

  /** The character that an escape after a backslash stands for. */
  private escapedCode(start: number): number {
    const letter = this.next();
    const rest = this.points.slice(this.at, this.at + 10).join('');
    if (/[1-7]/.test(letter) && !/^[0-7]/.test(rest))
      throw new PatternError('invalid escape sequence', this.since(start));
    if (/[0-7]/.test(letter)) {
      const more = /^[0-7]{0,2}/.exec(rest)![0];
      this.at += more.length;
      return parseInt(letter + more, 8);
    }
    if (letter === 'x') {
      const [written, long, short] = /^(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/.exec(rest) ?? [];
      const code = parseInt(long ?? short ?? '', 16);
      if (written === undefined || code > LAST) {
        this.at += Math.min(1, this.points.length - this.at);
        throw new PatternError('invalid escape sequence', this.since(start));
      }
      this.at += written.length;
      return code;
    }
    const control = CONTROLS.get(letter);
    if (control !== undefined) return control;
    const code = letter.codePointAt(0)!;
    if (code > GREATEST_ASCII || /[A-Za-z0-9]/.test(letter)) {
      throw new PatternError('invalid escape sequence', this.since(start));
    }
    return code;
  }

  private set(start: number): readonly number[] {
    const isNegated = this.takes('^');
    const ranges: number[] = [];
    for (let isFirst = true; this.peek !== ']' || isFirst; isFirst = false) {
      if (this.at >= this.points.length) throw new PatternError('missing closing ]', this.rest(start));
      if (this.peek === '-' && !isFirst && this.points[this.at + 1] !== ']') {
        const from = this.at;
        this.at += 1;
        if (this.at >= this.points.length) throw new PatternError('missing closing ]', this.rest(start));
        throw new PatternError('invalid character class range', `-${this.points[from + 1] ?? ''}`);
      }
      ranges.push(...this.setItem(start));
    }
    this.at += 1;
    return isNegated ? negated(ranges) : normalized(ranges);
  }

  private setItem(start: number): readonly number[] {
    if (this.startsWith('[:')) {
      const named = this.posixClass();
      if (named !== undefined) return named;
    }
    if (this.peek === '\\') {
      this.at += 1;
      this.refuseUnicodeClass();
      const ranges = this.perlClass();
      if (ranges !== undefined) return ranges;
      this.at -= 1;
    }
    const from = this.at;
    const low = this.setCharacter(start);
    let high = low;
    if (this.peek === '-' && this.at + 1 < this.points.length && this.points[this.at + 1] !== ']') {
      this.at += 1;
      high = this.setCharacter(start);
      if (high < low) throw new PatternError('invalid character class range', this.since(from));
    }
    return this.flags.foldCase ? folded([low, high]) : [low, high];
  }

  private setCharacter(start: number): number {
    if (this.at >= this.points.length) throw new PatternError('missing closing ]', this.rest(start));
    const from = this.at;
    const character = this.next();
    if (character !== '\\') return character.codePointAt(0)!;
    if (this.at >= this.points.length) throw new PatternError('trailing backslash at end of expression', '');
    return this.escapedCode(from);
  }

  private posixClass(): readonly number[] | undefined {
    const text = this.points.slice(this.at).join('');
    const end = text.indexOf(':]', 2);
    if (end === -1) return undefined;
    const written = text.slice(0, end + 2);
    const isNegated = written.startsWith('[:^');
    const ranges = POSIX.get(written.slice(isNegated ? 3 : 2, -2));
    if (ranges === undefined) throw new PatternError('invalid character class range', written);
    this.at += Array.from(written).length;
    const known = this.flags.foldCase ? folded(ranges) : ranges;
    return isNegated ? negated(known) : known;
  }

  private get peek(): string | undefined {
    return this.points[this.at];
  }

  private next(): string {
    this.at += 1;
    return this.points[this.at - 1]!;
  }

  private takes(character: string): boolean {
    if (this.peek !== character) return false;
    this.at += 1;
    return true;
  }

  private startsWith(text: string): boolean {
    return Array.from(text).every((character, index) => this.points[this.at + index] === character);
  }

  private since(start: number): string {
    return this.points.slice(start, this.at).join('');
  }

  private rest(start: number): string {
    return this.points.slice(start).join('');
  }
}

const assertion = (of: Assertion): Node => ({ kind: 'assertion', of });

const FLAGS: ReadonlyMap<string, keyof Flags> = new Map([
  ['i', 'foldCase'],
  ['m', 'isMultiLine'],
  ['s', 'dotTakesNewLine'],
  ['U', 'isLazy'],
] as const);

const PLACES: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'textStart'],
  ['z', 'textEnd'],
  ['b', 'boundary'],
  ['B', 'noBoundary'],
]);

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
]);

const KELVIN = 0x212a;
const LONG_S = 0x17f;

/** With the letters of the other case. */
function folded(ranges: readonly number[]): number[] {
  const all = [...ranges];
  for (let index = 0; index < ranges.length; index += 2) {
    const [from, to] = [ranges[index]!, ranges[index + 1]!];
    if (to > GREATEST_ASCII) throw new CelUnsupported('(?i) in a regular expression with characters beyond ASCII');
    for (let code = from; code <= to; code += 1) {
      const letter = String.fromCharCode(code);
      if (!/[A-Za-z]/.test(letter)) continue;
      const other = code ^ 0x20;
      all.push(other, other);
      if (/k/i.test(letter)) all.push(KELVIN, KELVIN);
      if (/s/i.test(letter)) all.push(LONG_S, LONG_S);
    }
  }
  return normalized(all);
}

/** Whether bounded repetitions inside each other come to no more than `limit`. */
function isRepeatedAtMost(node: Node, limit: number): boolean {
  switch (node.kind) {
    case 'repeat': {
      const times = node.most === Infinity ? node.least : node.most;
      if (times === 0) return true;
      return times <= limit && isRepeatedAtMost(node.node, times > 1 ? Math.floor(limit / times) : limit);
    }
    case 'all':
      return node.parts.every((part) => isRepeatedAtMost(part, limit));
    case 'one':
      return node.of.every((part) => isRepeatedAtMost(part, limit));
    default:
      return true;
  }
}
