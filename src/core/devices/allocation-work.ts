import type { Device } from '../kubernetes/objects/dra.js';
import { selects, type SelectorVerdict } from './device-selectors.js';

/** Devices that are tried for one node, and for all nodes together. Upstream searches for ten seconds on each node (`filterTimeout`). */
const MAX_STEPS_OF_NODE = 200_000;
const MAX_STEPS = 4_000_000;
/** What the selectors that one pod asks may cost in all, in the units of the Common Expression Language. */
const MAX_COST = 5_000_000;

/** A search takes longer than is searched here. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/** Bounds what is done to find the devices of one pod, and keeps what selectors say of devices. */
export class AllocationWork {
  private readonly verdicts = new Map<string, Map<Device, SelectorVerdict>>();
  private steps = 0;
  private stepsOfNode = 0;
  private cost = 0;

  /** @param select `selects`, or what remembers its answers */
  constructor(private readonly select: typeof selects = selects) {}

  beginNode(): void {
    this.stepsOfNode = 0;
  }

  /** What has been done so far. */
  get spent(): { readonly steps: number; readonly cost: number } {
    return { steps: this.steps, cost: this.cost };
  }

  /**
   * Counts what a search took that is not done again, so that what is too much does not depend on what is remembered.
   *
   * @throws {TooMuchWork}
   */
  count({ steps, cost }: { readonly steps: number; readonly cost: number }): void {
    this.steps += steps;
    this.cost += cost;
    if (this.steps > MAX_STEPS) throw new TooMuchWork(`the search takes more than ${MAX_STEPS_OF_NODE} steps`);
    if (this.cost > MAX_COST) throw new TooMuchWork(`the selectors cost more than ${MAX_COST}`);
  }

  /** @throws {TooMuchWork} */
  step(): void {
    this.steps += 1;
    this.stepsOfNode += 1;
    if (this.stepsOfNode > MAX_STEPS_OF_NODE || this.steps > MAX_STEPS) {
      throw new TooMuchWork(`the search takes more than ${MAX_STEPS_OF_NODE} steps`);
    }
  }

  /**
   * @throws {TooMuchWork}
   * @throws {CelUnsupported} for an expression that is not evaluated here
   */
  selects(expression: string, driver: string, device: Device): SelectorVerdict {
    const key = `${driver} ${expression}`;
    const known = this.verdicts.get(key) ?? new Map<Device, SelectorVerdict>();
    this.verdicts.set(key, known);
    let verdict = known.get(device);
    if (verdict === undefined) {
      if (this.cost > MAX_COST) throw new TooMuchWork(`the selectors cost more than ${MAX_COST}`);
      known.set(device, (verdict = this.select(expression, driver, device)));
      this.cost += verdict.cost + 1;
    }
    return verdict;
  }
}
