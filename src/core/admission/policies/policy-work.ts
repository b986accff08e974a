import { CelUnsupported } from '../../cel/errors.js';

/**
 * What the expressions of policies and webhooks may cost in one request, in the units of Kubernetes. That is twice what the API server
 * grants the expressions of one policy for one object, and thousands of times what common policies cost.
 */
export const MOST_COST = 20_000_000;

/** What may be evaluated before other requests have their turn. */
const SLICE = 200_000;

/** Objects of which the results are kept. */
const MOST_KEPT = 256;

/** Enough was evaluated for one turn; not an error. */
export class SliceUsed extends Error {
  override readonly name = 'SliceUsed';
}

/**
 * The expressions that are evaluated for one request: what they have cost, and what they came to. An expression that was evaluated for an
 * object is not evaluated for it again, so what was interrupted goes on where it stopped when it is started again.
 */
export class PolicyWork<Kept extends object = object> {
  /** Programs that were evaluated. */
  evaluations = 0;
  private left: number;
  private slice: number | undefined;
  private readonly kept = new Map<string, Map<object, Kept>>();

  /** @param most what all may cost; what comes after is not known */
  constructor(private readonly most = MOST_COST) {
    this.left = most;
  }

  /** The same thing for the same content and owner. */
  keep<T extends Kept>(content: string, owner: object, make: () => T): T {
    let ofContent = this.kept.get(content);
    if (ofContent === undefined) {
      if (this.kept.size >= MOST_KEPT) {
        const [oldest] = this.kept.keys();
        this.kept.delete(oldest!);
      }
      this.kept.set(content, (ofContent = new Map<object, Kept>()));
    }
    let known = ofContent.get(owner);
    if (known === undefined) ofContent.set(owner, (known = make()));
    return known as T;
  }

  /**
   * Before a program is evaluated.
   *
   * @throws {CelUnsupported} all that is evaluated for one request has been
   * @throws {SliceUsed}
   */
  begin(): void {
    if (this.left <= 0) throw new CelUnsupported(`expressions that cost more than ${this.most} in one request`);
    if (this.slice !== undefined && this.slice <= 0) throw new SliceUsed();
    this.evaluations += 1;
  }

  spend(cost: number): void {
    this.left -= cost;
    if (this.slice !== undefined) this.slice -= cost;
  }

  /** Runs something that evaluates expressions, from its start and again whenever a slice is used, until it comes to its end. */
  *steps<T>(run: () => T): Generator<undefined, T> {
    for (;;) {
      this.slice = SLICE;
      try {
        return run();
      } catch (error) {
        if (!(error instanceof SliceUsed)) throw error;
      } finally {
        this.slice = undefined;
      }
      yield undefined;
    }
  }
}
