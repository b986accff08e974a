import { CelUnsupported } from '../errors.js';
import { parsePattern } from './parse-pattern.js';
import { PatternError, type Assertion, type Node } from './syntax.js';

type Instruction =
  | { readonly kind: 'set'; readonly ranges: readonly number[] }
  | { readonly kind: 'assertion'; readonly of: Assertion }
  /** Goes on at `first` rather than at `second`. */
  | { readonly kind: 'split'; first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'match' };

/** Where a match begins and ends, in code points. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

const MAX_INSTRUCTIONS = 20_000;
const REMEMBERED = 256;
const remembered = new Map<string, Pattern | { readonly error: string }>();

/**
 * A regular expression of Go, or what Go says of a text that is none.
 *
 * @throws {CelUnsupported}
 */
export function compilePattern(pattern: string): Pattern | { readonly error: string } {
  const known = remembered.get(pattern);
  if (known !== undefined) return known;
  const compiled = compiledOrError(pattern);
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(pattern, compiled);
  return compiled;
}

function compiledOrError(pattern: string): Pattern | { readonly error: string } {
  try {
    return new Pattern(parsePattern(pattern));
  } catch (error) {
    if (error instanceof PatternError) return { error: error.message };
    throw error;
  }
}

/**
 * Matches in time that grows with the text and the pattern, whatever they are: all ways are followed at once. Of the matches that begin
 * first, the one is found that a backtracking matcher would find, as in Go.
 */
export class Pattern {
  private readonly program: Instruction[] = [];

  constructor(node: Node) {
    this.emit(node);
    this.add({ kind: 'match' });
  }

  isFoundIn(text: string): boolean {
    return this.find(Array.from(text), 0, true) !== undefined;
  }

  /** The first match at or after `from`; with `isAnyEnough`, one that need not be the longest wanted. */
  find(points: readonly string[], from: number, isAnyEnough = false): Match | undefined {
    let current = new Threads(this.program.length);
    let next = new Threads(this.program.length);
    let best: Match | undefined;
    for (let at = from; at <= points.length; at += 1) {
      // Ways that begin later come after all others, and not at all once there is a match.
      if (best === undefined) this.follow(current, 0, at, points, at);
      if (current.size === 0 && best !== undefined) break;
      const code = points[at]?.codePointAt(0);
      for (let index = 0; index < current.size; index += 1) {
        const place = current.places[index]!;
        const instruction = this.program[place]!;
        if (instruction.kind === 'match') {
          best = { start: current.starts[index]!, end: at };
          if (isAnyEnough) return best;
          break;
        }
        if (instruction.kind === 'set' && code !== undefined && has(instruction.ranges, code)) {
          this.follow(next, place + 1, at + 1, points, current.starts[index]!);
        }
      }
      [current, next] = [next, current];
      next.clear();
    }
    return best;
  }

  /** Every match that does not overlap the one before, as `FindAllString`; -1 for all of them. */
  findAll(text: string, most: bigint): string[] {
    const points = Array.from(text);
    const found: string[] = [];
    let previousEnd = -1;
    for (let at = 0; at <= points.length && (most < 0n || BigInt(found.length) < most);) {
      const match = this.find(points, at);
      if (match === undefined) break;
      const isEmpty = match.end === match.start;
      // An empty match right after another one is none.
      if (!isEmpty || match.start !== previousEnd) found.push(points.slice(match.start, match.end).join(''));
      previousEnd = match.end;
      at = isEmpty ? match.end + 1 : match.end;
    }
    return found;
  }

  private follow(threads: Threads, from: number, at: number, points: readonly string[], start: number): void {
    const stack = [from];
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      if (!threads.visit(place)) continue;
      const instruction = this.program[place]!;
      switch (instruction.kind) {
        case 'jump':
          stack.push(instruction.to);
          break;
        case 'split':
          stack.push(instruction.second, instruction.first);
          break;
        case 'assertion':
          if (holds(instruction.of, points, at)) stack.push(place + 1);
          break;
        default:
          threads.push(place, start);
      }
    }
  }

  private add(instruction: Instruction): number {
    if (this.program.length >= MAX_INSTRUCTIONS) throw new CelUnsupported('a regular expression of that size');
    this.program.push(instruction);
    return this.program.length - 1;
  }

  private emit(node: Node): void {
    switch (node.kind) {
      case 'set':
      case 'assertion':
        this.add(node);
        return;
      case 'all':
        for (const part of node.parts) this.emit(part);
        return;
      case 'one':
        this.emitOneOf(node.of);
        return;
      case 'repeat':
        this.emitRepeat(node);
    }
  }

  private emitOneOf(nodes: readonly Node[]): void {
    const jumps: { to: number }[] = [];
    for (const [index, node] of nodes.entries()) {
      if (index === nodes.length - 1) {
        this.emit(node);
        break;
      }
      const split = this.split(false);
      this.emit(node);
      const jump = { kind: 'jump' as const, to: 0 };
      this.add(jump);
      jumps.push(jump);
      split.leave(this.program.length);
    }
    for (const jump of jumps) jump.to = this.program.length;
  }

  private emitRepeat({ node, least, most, isLazy }: Extract<Node, { kind: 'repeat' }>): void {
    for (let count = 0; count < least; count += 1) this.emit(node);
    if (most === Infinity) {
      const split = this.split(isLazy);
      this.emit(node);
      this.add({ kind: 'jump', to: split.place });
      split.leave(this.program.length);
      return;
    }
    const splits: { leave(to: number): void }[] = [];
    for (let count = least; count < most; count += 1) {
      splits.push(this.split(isLazy));
      this.emit(node);
    }
    for (const split of splits) split.leave(this.program.length);
  }

  /** Goes on with what follows, or leaves; a lazy one leaves first. */
  private split(isLazy: boolean): { readonly place: number; leave(to: number): void } {
    const instruction = { kind: 'split' as const, first: 0, second: 0 };
    const place = this.add(instruction);
    if (isLazy) instruction.second = place + 1;
    else instruction.first = place + 1;
    return {
      place,
      leave(to) {
        if (isLazy) instruction.first = to;
        else instruction.second = to;
      },
    };
  }
}

/** Ways through the program that are followed, those first that are wanted first. */
class Threads {
  size = 0;
  readonly places: number[] = [];
  readonly starts: number[] = [];
  private readonly visited: Int32Array;
  private generation = 1;

  constructor(length: number) {
    this.visited = new Int32Array(length);
  }

  /** Whether a place is new. */
  visit(place: number): boolean {
    if (this.visited[place] === this.generation) return false;
    this.visited[place] = this.generation;
    return true;
  }

  push(place: number, start: number): void {
    this.places[this.size] = place;
    this.starts[this.size] = start;
    this.size += 1;
  }

  clear(): void {
    this.size = 0;
    this.generation += 1;
  }
}

function has(ranges: readonly number[], code: number): boolean {
  for (let index = 0; index < ranges.length; index += 2) {
    if (code < ranges[index]!) return false;
    if (code <= ranges[index + 1]!) return true;
  }
  return false;
}

const isWord = (point: string | undefined): boolean => point !== undefined && /^[0-9A-Za-z_]$/.test(point);

function holds(assertion: Assertion, points: readonly string[], at: number): boolean {
  switch (assertion) {
    case 'textStart':
      return at === 0;
    case 'textEnd':
      return at === points.length;
    case 'lineStart':
      return at === 0 || points[at - 1] === '\n';
    case 'lineEnd':
      return at === points.length || points[at] === '\n';
    default:
      return (isWord(points[at - 1]) !== isWord(points[at])) === (assertion === 'boundary');
  }
}
