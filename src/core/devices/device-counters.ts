import type { Device } from '../kubernetes/objects/dra.js';
import type { Quantity } from '../kubernetes/quantity.js';
import type { AllocatedDevices } from './allocated-devices.js';
import type { Pool } from './device-pools.js';
import type { Free, PoolCounters } from './pool-counters.js';

/** What a search consumes of the counters of one pool. */
class Ledger {
  private readonly consumed: (Quantity | undefined)[] = [];

  constructor(
    private readonly counters: PoolCounters,
    private readonly free: Free,
  ) {}

  consume(device: Device): boolean {
    const { counters, amounts } = this.counters.consumptionOf(device);
    for (let at = 0; at < counters.length; at++) {
      const counter = counters[at]!;
      this.consumed[counter] = this.consumed[counter]?.add(amounts[at]!) ?? amounts[at]!;
    }
    if (this.areWithin(counters)) return true;
    this.release(device);
    return false;
  }

  release(device: Device): void {
    const { counters, amounts } = this.counters.consumptionOf(device);
    for (let at = 0; at < counters.length; at++) {
      const counter = counters[at]!;
      this.consumed[counter] = this.consumed[counter]!.sub(amounts[at]!);
    }
  }

  /** Whether no counter is exceeded. Only those that have just been consumed can be, as long as devices only take. */
  private areWithin(counters: readonly number[]): boolean {
    if (this.counters.hasNegative) {
      return this.free.amounts.every((amount, counter) => isWithin(this.consumed[counter], amount));
    }
    if (this.free.isOverdrawn) return false;
    for (const counter of counters) if (!isWithin(this.consumed[counter], this.free.amounts[counter]!)) return false;
    return true;
  }
}

const isWithin = (consumed: Quantity | undefined, free: Quantity): boolean =>
  consumed === undefined ? free.sign() >= 0 : free.cmp(consumed) >= 0;

/**
 * The counters of pools that partitionable devices consume, during one search. Like upstream, they are kept by the name of the pool,
 * without its driver.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/incubating, `checkAvailableCounters`.
 */
export class DeviceCounters {
  private readonly ledgers = new Map<string, Ledger>();

  constructor(private readonly allocated: AllocatedDevices) {}

  /** Consumes what the device needs, unless then some counter of the pool would be exceeded. */
  consume(pool: Pool, device: Device): boolean {
    let ledger = this.ledgers.get(pool.name);
    if (ledger === undefined) {
      const free = pool.counters.freeOf(this.allocated[pool.number], () => devicesOf(pool));
      this.ledgers.set(pool.name, (ledger = new Ledger(pool.counters, free)));
    }
    return ledger.consume(device);
  }

  /** The counter sets of a pool of which devices need more than is left. */
  setsExceededBy(pool: Pool, devices: readonly Device[]): readonly string[] {
    const free = pool.counters.freeOf(this.allocated[pool.number], () => devicesOf(pool));
    return pool.counters.setsExceededBy(devices, free);
  }

  release(pool: Pool, device: Device): void {
    this.ledgers.get(pool.name)?.release(device);
  }
}

function* devicesOf({ candidates, elsewhere }: Pool): Generator<Device> {
  for (const { device } of candidates) yield device;
  yield* elsewhere;
}
