/** How long computations may block one turn of the event loop, in milliseconds. */
const TURN_MS = 8;
/**
 * How long a long one may, if no other work took longer. A request passes through several turns, between which it waits for the database:
 * each may find a slice in its way, and nobody waits for a few more milliseconds of what takes long.
 */
export const LONG_MS = 2;
/** A computation in the background gets this part of the time that other work takes, so that requests which need most of a processor do not queue up. */
const PART_OF_BACKGROUND = 1 / 3;
/** Computations that have used more slices than this are long. */
const MOST_OF_SHORT = 12;
/** How many of them at most are resumed in one turn. */
const MOST_A_TURN = 8;
/** While both wait, one in this many turns goes to a long computation. */
const SHARE_OF_LONG = 4;

/** A computation as the event loop sees it. */
export interface Computation {
  /** Smaller for those that began earlier. */
  readonly order: number;
  /** How many slices it has used so far. */
  readonly used: number;
  /** Whether nobody waits for it as for a response: it counts as long, and other work goes first. */
  readonly inBackground?: boolean;
}

interface Waiting {
  readonly computation: Computation;
  readonly resume: (ms: number) => void;
}

const isLong = ({ used, inBackground }: Computation): boolean => used > MOST_OF_SHORT || inBackground === true;

/** How long a computation may block a turn after other work of so many milliseconds. */
function sliceOf(computation: Computation, others: number): number {
  if (!isLong(computation)) return TURN_MS;
  const part = computation.inBackground === true ? others * PART_OF_BACKGROUND : others;
  return Math.min(TURN_MS, Math.max(LONG_MS, part));
}

/** Calls back in the next turn of the event loop. */
type NextTurn = (callback: () => void) => void;

/**
 * The turns of the event loop that long computations share. One computation is resumed in each turn, so that a request that
 * needs no computation waits for one slice, however many computations wait; more only after other work took as long. Short computations go on in the order in which
 * they began: sharing the turns equally would delay all of them until the last is done. Long ones take turns with each other.
 */
export class Turns {
  /** In the order in which they began. */
  private readonly short: Waiting[] = [];
  /** In the order in which they paused. */
  private readonly long: Waiting[] = [];
  private sinceLong = 0;
  private isScheduled = false;
  private ends: number | undefined;
  /** When the last turn began for other work: what has come over the network, for one. */
  private left: number | undefined;
  private begun = 0;

  constructor(
    private readonly nextTurn: NextTurn,
    private readonly now: () => number,
  ) {}

  /** A number for a computation that begins now. */
  begin(): number {
    return this.begun++;
  }

  /** Whether computations have blocked this turn of the event loop for long enough. */
  isOver(now: number): boolean {
    if (this.ends === undefined) {
      this.ends = now + TURN_MS;
      this.schedule();
    }
    return now >= this.ends;
  }

  /** Resolves when it is the turn of a computation. @returns how long it may block it, in milliseconds */
  next(computation: Computation): Promise<number> {
    return new Promise((resume) => {
      const waiting = { computation, resume };
      if (isLong(computation)) this.long.push(waiting);
      else this.short.splice(this.placeOf(computation.order), 0, waiting);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.nextTurn(() => {
      this.isScheduled = false;
      this.turn();
    });
  }

  private turn(): void {
    const now = this.now();
    this.ends = undefined;
    // If other work takes long, computations get as much time as it: each of them one slice.
    const others = this.left === undefined ? 0 : now - this.left;
    const share = Math.min(MOST_A_TURN, Math.max(1, Math.round(others / TURN_MS)));
    const resumed = Array.from({ length: share }, () => this.take()).filter((next) => next !== undefined);
    if (resumed.length === 0) {
      this.left = undefined;
      return;
    }
    const slices = resumed.map(({ computation }) => sliceOf(computation, others));
    this.ends = now + slices.reduce((sum, ms) => sum + ms, 0);
    this.left = this.ends;
    this.schedule();
    for (const [index, next] of resumed.entries()) next.resume(slices[index]!);
  }

  private take(): Waiting | undefined {
    const { short, long } = this;
    if (short.length === 0 || long.length === 0) return short.shift() ?? long.shift();
    this.sinceLong = (this.sinceLong + 1) % SHARE_OF_LONG;
    return this.sinceLong === 0 ? long.shift() : short.shift();
  }

  /** Where a computation that began as the given one belongs among the short ones. */
  private placeOf(order: number): number {
    let [from, to] = [0, this.short.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.short[middle]!.computation.order < order) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Turns of the event loop between two slices, at most. */
const MOST_TURNS = 8;
/** A turn of the event loop that took longer, in milliseconds, had other work; an empty one takes a few thousandths. */
const EMPTY_MS = 0.1;

/**
 * Calls back after a turn of the event loop without other work. The request of a new connection is read a turn after it is accepted, and libuv
 * accepts one connection in a turn (since 1.45): with a slice in each turn, clients that connect at once would wait for one slice each.
 */
function afterOtherWork(callback: () => void, most = MOST_TURNS): void {
  const began = performance.now();
  setImmediate(() => {
    if (most > 1 && performance.now() - began > EMPTY_MS) afterOtherWork(callback, most - 1);
    else callback();
  });
}

/** Those of this thread. */
export const turns = new Turns(afterOtherWork, () => performance.now());
