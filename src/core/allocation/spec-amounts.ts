import type { ClusterState } from '../cluster/cluster-state.js';
import { int64 } from '../cluster/resource-table.js';
import type { Int64, ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { QuantityError } from '../kubernetes/quantity.js';
import { parseResourceList, type ResourceAmounts } from '../resources/resource-amounts.js';
import { amountInUnits } from './allocation-table.js';
import { podAmounts, type PodAmounts } from './pod-share.js';

/** Amounts by resource, in milliCPU for cpu, else in bytes or a count. */
export type Amounts = readonly (readonly [resource: string, amount: Int64])[];

const NOTHING = { requests: new Map(), limits: new Map() };

/**
 * What the pods of one state hold, worked out once for each spec and status. A quantity that cannot be read counts for
 * nothing, and its pod with it.
 */
export class SpecAmounts {
  private readonly bySpec = new Map<number, PodAmounts['counted']>();
  private readonly overheads = new Map<number, Amounts>();

  constructor(private readonly state: ClusterState) {}

  /** What kubectl sums up for the pod, by its spec alone. */
  counted(pod: number): PodAmounts['counted'] {
    const specId = this.state.pods.specId(pod);
    let counted = this.bySpec.get(specId);
    if (counted === undefined) {
      counted = readable(() => podAmounts({ spec: this.state.pods.specOf(specId) }).counted, NOTHING);
      this.bySpec.set(specId, counted);
    }
    return counted;
  }

  /** What kubectl shows of the pod and what it sums up. */
  of({ spec, status }: Pick<Pod, 'spec' | 'status'>): PodAmounts {
    const pod = { spec, ...(status !== undefined && { status }) };
    return readable(() => podAmounts(pod), { shown: NOTHING, counted: NOTHING });
  }

  /** The pod's overhead; empty where it has none. */
  overhead(pod: number): Amounts {
    const specId = this.state.pods.specId(pod);
    let overhead = this.overheads.get(specId);
    if (overhead === undefined) {
      const amounts = readableAmounts(this.state.pods.specOf(specId).overhead);
      overhead = [...amounts]
        .map(([resource, quantity]) => [resource, int64(amountInUnits(resource, quantity))] as const)
        .filter(([, amount]) => amount !== 0);
      this.overheads.set(specId, overhead);
    }
    return overhead;
  }
}

/** A resource list; without anything where a quantity of it cannot be read. */
function readableAmounts(list: ResourceList | undefined): ResourceAmounts {
  return readable(() => parseResourceList(list), new Map<string, never>());
}

/** What `read` gives, or `otherwise` where a quantity cannot be read, which the API server would have refused. */
export function readable<Result>(read: () => Result, otherwise: Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof QuantityError) return otherwise;
    throw error;
  }
}
