import type { Candidate } from './device-pools.js';
import type { SelectorVerdict } from './device-selectors.js';
import type { SelectorColumn, SelectorColumns } from './selector-columns.js';

/** Devices that are tried for one node, and for all nodes together. Upstream searches for ten seconds on each node (`filterTimeout`). */
const MAX_STEPS_OF_NODE = 200_000;
const MAX_STEPS = 4_000_000;
/** What the selectors that one pod asks may cost in all, in the units of the Common Expression Language. */
const MAX_COST = 5_000_000;

/** A search takes longer than is searched here. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/** Bounds what the selectors of one question may cost. */
export class SelectorBudget {
  private spent = 0;

  get cost(): number {
    return this.spent;
  }

  /** @throws {TooMuchWork} if nothing is left */
  check(): void {
    if (this.spent > MAX_COST) throw new TooMuchWork(`the selectors cost more than ${MAX_COST}`);
  }

  /** Asking costs something even where the expression does not. */
  spend(cost: number): void {
    this.spent += cost + 1;
  }

  /** Spends again what was spent before. */
  repeat(cost: number): void {
    this.spent += cost;
    this.check();
  }
}

/** A selector of the pod's, and the devices for which the pod has been charged. */
export interface PodSelector {
  readonly column: SelectorColumn;
  /** By the number of the device. */
  readonly charged: Uint8Array;
}

/** Bounds what is done to find the devices of one pod. */
export class AllocationWork {
  private readonly selectors = new Map<SelectorColumn, PodSelector>();
  private readonly budget = new SelectorBudget();
  private steps = 0;
  private stepsOfNode = 0;

  constructor(private readonly columns: SelectorColumns) {}

  beginNode(): void {
    this.stepsOfNode = 0;
  }

  /** What has been done so far. */
  get spent(): { readonly steps: number; readonly cost: number } {
    return { steps: this.steps, cost: this.budget.cost };
  }

  /**
   * Counts what a search took that is not done again, so that what is too much does not depend on what is remembered.
   *
   * @throws {TooMuchWork}
   */
  count({ steps, cost }: { readonly steps: number; readonly cost: number }): void {
    this.steps += steps;
    if (this.steps > MAX_STEPS) throw new TooMuchWork(`the search takes more than ${MAX_STEPS_OF_NODE} steps`);
    this.budget.repeat(cost);
  }

  /** @throws {TooMuchWork} */
  step(): void {
    this.steps += 1;
    this.stepsOfNode += 1;
    if (this.stepsOfNode > MAX_STEPS_OF_NODE || this.steps > MAX_STEPS) {
      throw new TooMuchWork(`the search takes more than ${MAX_STEPS_OF_NODE} steps`);
    }
  }

  selector(expression: string): PodSelector {
    const column = this.columns.of(expression);
    let selector = this.selectors.get(column);
    if (selector === undefined) {
      selector = { column, charged: new Uint8Array(this.columns.devices) };
      this.selectors.set(column, selector);
    }
    return selector;
  }

  /**
   * What a selector says of a device. The pod is charged once for each, whether the answer was known or not.
   *
   * @throws {TooMuchWork}
   * @throws {CelUnsupported} for an expression that is not evaluated here
   */
  selects(
    { column, charged }: PodSelector,
    { index, pool, device }: Candidate,
  ): boolean | Extract<SelectorVerdict, { readonly fault: string }> {
    if (charged[index] === 0) {
      this.budget.check();
      this.budget.spend(column.ask(index, pool.driver, device));
      charged[index] = 1;
    }
    return column.answer(index);
  }
}
