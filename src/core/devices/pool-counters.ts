import type { Counter, Device } from '../kubernetes/objects/dra.js';
import { parseQuantity, type Quantity } from '../kubernetes/quantity.js';
import { isAllocated, type PoolUse } from './allocated-devices.js';

/** What a device consumes, by the numbers of counters. */
interface Consumption {
  readonly counters: readonly number[];
  readonly amounts: readonly Quantity[];
}

/** What devices that are allocated leave of each counter. */
export interface Free {
  /** What is in use of the pool. */
  readonly use: PoolUse | undefined;
  readonly amounts: readonly Quantity[];
  /** Less than nothing is left of a counter, so that no device of the pool can be allocated. */
  readonly isOverdrawn: boolean;
}

/** The counters of a pool, numbered. */
export class PoolCounters {
  /** Whether a device gives instead of taking. */
  hasNegative = false;
  private readonly numbers = new Map<string, Map<string, number>>();
  private readonly totals: Quantity[] = [];
  private readonly consumptions = new Map<Device, Consumption>();
  private free: Free | undefined;

  constructor(sets: ReadonlyMap<string, Readonly<Record<string, Counter>>>) {
    for (const [name, counters] of sets) {
      const numbers = new Map<string, number>();
      this.numbers.set(name, numbers);
      for (const [counter, { value }] of Object.entries(counters)) {
        numbers.set(counter, this.totals.push(parseQuantity(value)) - 1);
      }
    }
  }

  /** What a device consumes of these counters; others do not count. */
  consumptionOf(device: Device): Consumption {
    let known = this.consumptions.get(device);
    if (known === undefined) this.consumptions.set(device, (known = this.read(device)));
    return known;
  }

  /**
   * What is left with what is in use of the pool; counted once for each.
   *
   * @param devices all of the pool
   */
  freeOf(use: PoolUse | undefined, devices: () => Iterable<Device>): Free {
    if (this.free === undefined || this.free.use !== use) {
      const amounts = use === undefined ? this.totals : this.freeBut(use, devices());
      this.free = { use, amounts, isOverdrawn: amounts.some((amount) => amount.sign() < 0) };
    }
    return this.free;
  }

  private freeBut(use: PoolUse, devices: Iterable<Device>): readonly Quantity[] {
    const free = [...this.totals];
    for (const device of devices) {
      if (!isAllocated(use, device.name)) continue;
      const { counters, amounts } = this.consumptionOf(device);
      for (const [at, counter] of counters.entries()) free[counter] = free[counter]!.sub(amounts[at]!);
    }
    return free;
  }

  /** The sets of which devices consume more than is left. */
  setsExceededBy(devices: readonly Device[], { amounts: free }: Free): readonly string[] {
    const left = [...free];
    for (const device of devices) {
      const { counters, amounts } = this.consumptionOf(device);
      for (const [at, counter] of counters.entries()) left[counter] = left[counter]!.sub(amounts[at]!);
    }
    return [...this.numbers]
      .filter(([, numbers]) => [...numbers.values()].some((number) => left[number]!.sign() < 0))
      .map(([name]) => name);
  }

  private read({ consumesCounters = [] }: Device): Consumption {
    const counters: number[] = [];
    const amounts: Quantity[] = [];
    for (const { counterSet, counters: consumed = {} } of consumesCounters) {
      const numbers = this.numbers.get(counterSet);
      for (const [name, { value }] of Object.entries(consumed)) {
        const number = numbers?.get(name);
        if (number === undefined) continue;
        const amount = parseQuantity(value);
        if (amount.sign() < 0) this.hasNegative = true;
        counters.push(number);
        amounts.push(amount);
      }
    }
    return { counters, amounts };
  }
}
