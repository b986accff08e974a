import type { PodTable } from '../../../cluster/pod-table.js';
import { int64 } from '../../../cluster/resource-table.js';
import type { Int64 } from '../../../kubernetes/objects/meta.js';
import type { Demand } from './demand.js';

/** What pods hold of each demand, in the order of the demands; worked out once for pods with equal requests. */
export class HeldAmounts {
  private readonly known = new Map<number, readonly Int64[]>();

  constructor(
    private readonly pods: PodTable,
    private readonly demands: readonly Demand[],
  ) {}

  of(pod: number): readonly Int64[] {
    const id = this.pods.requestId(pod);
    let amounts = this.known.get(id);
    if (amounts === undefined) this.known.set(id, (amounts = this.read(pod)));
    return amounts;
  }

  private read(pod: number): readonly Int64[] {
    const { milliCPU, memory, ephemeralStorage, scalars } = this.pods.requests(pod);
    const byName: ReadonlyMap<string, bigint> = new Map([
      ...scalars,
      ['cpu', milliCPU],
      ['memory', memory],
      ['ephemeral-storage', ephemeralStorage],
    ]);
    return this.demands.map(({ resource }) => int64(byName.get(resource) ?? 0n));
  }
}
