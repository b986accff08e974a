import type { Value } from './values.js';

/** An evaluation costs more than it may. */
export class CostExceeded extends Error {
  override readonly name = 'CostExceeded';
}

/** One evaluation of one expression. */
export class Run {
  cost = 0;
  /** Whether it went through a map of several entries, whose order is random upstream. */
  sawOrder = false;

  constructor(
    /** The value of a declared variable. */
    readonly variable: (name: string) => Value,
    readonly limit: number,
    /** Whether maps are gone through backwards. */
    readonly isReversed: boolean,
  ) {}

  /** @throws {CostExceeded} */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostExceeded();
  }
}

/** The variables that can be seen from a place in an expression. */
export interface Scope {
  readonly run: Run;
  find(name: string): Value;
}

/** The declared variables. */
export class RootScope implements Scope {
  constructor(readonly run: Run) {}

  find(name: string): Value {
    return this.run.variable(name);
  }
}

/** A list that a comprehension adds to in place. */
export class GrowingList extends Array<Value> {}

/** The variables of a comprehension, in front of those around it. */
export class FoldScope implements Scope {
  readonly run: Run;
  first: Value = null;
  second: Value = null;
  /** From then on, only the accumulator can be seen. */
  isDone = false;
  private accumulated: Value | undefined;

  constructor(
    private readonly outer: Scope,
    private readonly names: {
      readonly accumulator: string;
      readonly variable: string;
      readonly secondVariable?: string;
    },
    private readonly init: () => Value,
  ) {
    this.run = outer.run;
  }

  accumulate(value: Value): void {
    this.accumulated = value;
  }

  find(name: string): Value {
    if (name === this.names.accumulator) {
      // Not before it is asked for: a name that is bound and not used is not evaluated.
      this.accumulated ??= this.init();
      return this.accumulated;
    }
    if (!this.isDone && name === this.names.variable) return this.first;
    if (!this.isDone && name === this.names.secondVariable) return this.second;
    return this.outer.find(name);
  }
}
