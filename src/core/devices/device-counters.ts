import type { Device } from '../kubernetes/objects/dra.js';
import { parseQuantity, Quantity } from '../kubernetes/quantity.js';
import { isAllocated, type AllocatedDevices } from './allocated-devices.js';
import { deviceIdText } from './device-id.js';
import type { Pool } from './device-pools.js';

/** Amounts by counter set and counter. */
type Counters = Map<string, Map<string, Quantity>>;

/**
 * The counters of pools that partitionable devices consume. Like upstream, they are kept by the name of the pool, without its driver.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/incubating, `checkAvailableCounters`.
 */
export class DeviceCounters {
  private readonly available = new Map<string, Counters>();
  private readonly consumed = new Map<string, Counters>();

  constructor(private readonly allocated: AllocatedDevices) {}

  /** Consumes what the device needs, unless then some counter of the pool would be exceeded. */
  consume(pool: Pool, device: Device): boolean {
    const available = this.availableOf(pool);
    let consumed = this.consumed.get(pool.name);
    if (consumed === undefined) this.consumed.set(pool.name, (consumed = new Map<string, Map<string, Quantity>>()));
    for (const { counterSet, counters = {} } of device.consumesCounters ?? []) {
      const set = consumed.get(counterSet) ?? new Map<string, Quantity>();
      consumed.set(counterSet, set);
      for (const [name, { value }] of Object.entries(counters)) {
        const amount = parseQuantity(value);
        set.set(name, set.get(name)?.add(amount) ?? amount);
      }
    }
    for (const [setName, set] of available) {
      for (const [name, amount] of set) {
        if (amount.cmp(consumed.get(setName)?.get(name) ?? Quantity.ZERO) >= 0) continue;
        this.release(pool, device);
        return false;
      }
    }
    return true;
  }

  release(pool: Pool, device: Device): void {
    const consumed = this.consumed.get(pool.name);
    for (const { counterSet, counters = {} } of device.consumesCounters ?? []) {
      const set = consumed?.get(counterSet);
      for (const [name, { value }] of Object.entries(counters)) {
        set?.set(name, (set.get(name) ?? Quantity.ZERO).sub(parseQuantity(value)));
      }
    }
  }

  /** What devices that are allocated leave; it can be negative, and then no device of the pool can be allocated. */
  private availableOf(pool: Pool): Counters {
    const known = this.available.get(pool.name);
    if (known !== undefined) return known;
    const available: Counters = new Map(
      [...pool.counterSets].map(([name, counters]) => [
        name,
        new Map(Object.entries(counters).map(([counter, { value }]) => [counter, parseQuantity(value)] as const)),
      ]),
    );
    const devices = [...pool.candidates.map(({ device }) => device), ...pool.elsewhere];
    for (const device of devices) {
      const id = deviceIdText({ driver: pool.driver, pool: pool.name, device: device.name });
      if (!isAllocated(this.allocated, id)) continue;
      for (const { counterSet, counters = {} } of device.consumesCounters ?? []) {
        const set = available.get(counterSet);
        for (const [name, { value }] of Object.entries(counters)) {
          const before = set?.get(name);
          if (before !== undefined) set!.set(name, before.sub(parseQuantity(value)));
        }
      }
    }
    this.available.set(pool.name, available);
    return available;
  }
}
