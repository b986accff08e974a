import { CelUnsupported } from '../cel/errors.js';
import type { Device } from '../kubernetes/objects/dra.js';
import type { Candidate } from './device-pools.js';
import { Selector, type SelectorVerdict } from './device-selectors.js';
import type { SelectorColumn, SelectorColumns } from './selector-columns.js';

/** Devices that are tried for one node, and for all nodes together. Upstream searches for ten seconds on each node (`filterTimeout`). */
const MAX_STEPS_OF_NODE = 200_000;
const MAX_STEPS = 4_000_000;
/** What the selectors that one pod asks may cost in all, in the units of the Common Expression Language. */
const MAX_COST = 5_000_000;

/** What is not computed here; the message says why. */
export class NotComputed extends Error {
  override readonly name: string = 'NotComputed';
}

/** A search takes longer than is searched here. */
export class TooMuchWork extends NotComputed {
  override readonly name = 'TooMuchWork';
}

/** Bounds what the selectors of one question may cost. */
class SelectorBudget {
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

/** Selectors that are asked about devices, within one budget. */
export class BoundedSelectors {
  private readonly budget = new SelectorBudget();
  private readonly selectors = new Map<string, Selector>();

  /** @param knowsShares as for selectors */
  constructor(private readonly knowsShares = true) {}

  /**
   * @throws {TooMuchWork}
   * @throws {CelUnsupported} for an expression that is not evaluated here
   */
  selects(expression: string, driver: string, device: Device): SelectorVerdict {
    const selector = this.selectors.get(expression) ?? new Selector(expression, this.knowsShares);
    this.selectors.set(expression, selector);
    this.budget.check();
    const isKnown = selector.ofAll !== undefined;
    try {
      const verdict = selector.selects(driver, device);
      this.budget.spend(isKnown ? 0 : verdict.cost);
      return verdict;
    } catch (error) {
      if (error instanceof CelUnsupported) this.budget.spend(error.cost);
      throw error;
    }
  }
}

/** A selector of the pod's, and the devices for which the pod has been charged. */
export interface PodSelector {
  readonly column: SelectorColumn;
  /** By the number of the device. */
  readonly charged: Uint8Array;
  /** Whether the pod has been charged for what is evaluated once for all devices. */
  isChargedForAll: boolean;
}

/** Bounds what is done to find the devices of one pod. */
export class AllocationWork {
  private readonly selectors = new Map<SelectorColumn, PodSelector>();
  private readonly budget = new SelectorBudget();
  private steps = 0;
  private stepsOfNode = 0;

  constructor(
    private readonly columns: SelectorColumns,
    private readonly mostSteps = MAX_STEPS,
  ) {}

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
    if (this.steps > this.mostSteps) throw new TooMuchWork(`the search takes more than ${MAX_STEPS_OF_NODE} steps`);
    this.budget.repeat(cost);
  }

  /** @throws {TooMuchWork} */
  step(): void {
    this.steps += 1;
    this.stepsOfNode += 1;
    if (this.stepsOfNode > MAX_STEPS_OF_NODE || this.steps > this.mostSteps) {
      throw new TooMuchWork(`the search takes more than ${MAX_STEPS_OF_NODE} steps`);
    }
  }

  selector(expression: string): PodSelector {
    const column = this.columns.of(expression);
    let selector = this.selectors.get(column);
    if (selector === undefined) {
      selector = { column, charged: new Uint8Array(this.columns.devices), isChargedForAll: false };
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
    selector: PodSelector,
    { index, pool, device }: Candidate,
  ): boolean | Extract<SelectorVerdict, { readonly fault: string }> {
    const { column, charged } = selector;
    if (charged[index] === 0) {
      this.budget.check();
      const cost = column.ask(index, pool.driver, device);
      const isCharged = column.isForAll && selector.isChargedForAll;
      this.budget.spend(isCharged ? 0 : cost);
      if (cost > 0) selector.isChargedForAll = true;
      charged[index] = 1;
    }
    return column.answer(index);
  }
}
