import type { ClusterState } from '../cluster/cluster-state.js';
import { int64 } from '../cluster/resource-table.js';
import { defined } from '../collections/defined.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { QuantityError } from '../kubernetes/quantity.js';
import { amountInUnits } from './allocation-table.js';
import { podAmounts, type PodAmounts } from './pod-share.js';

/** Amounts by resource, in milliCPU for cpu, else in bytes or a count. */
export type Amounts = readonly (readonly [resource: string, amount: Int64])[];

/** What follows from a pod's spec alone. */
export interface SpecShare {
  /** What kubectl sums up. */
  readonly counted: PodAmounts['counted'];
  /** Empty where the pod has none. */
  readonly overhead: Amounts;
}

const NOTHING: PodAmounts['counted'] = { requests: new Map(), limits: new Map() };

/**
 * What the pods of one state hold, worked out once for each spec. A quantity that cannot be read counts for nothing, and its
 * pod with it.
 */
export class SpecAmounts {
  private readonly known = new Map<number, SpecShare>();

  constructor(private readonly pods: ClusterState['pods']) {}

  of(pod: number): SpecShare {
    const specId = this.pods.specId(pod);
    let share = this.known.get(specId);
    if (share === undefined) {
      const spec = this.pods.specOf(specId);
      share = { counted: readable(() => podAmounts({ spec }).counted, NOTHING), overhead: overheadAmounts(spec) };
      this.known.set(specId, share);
    }
    return share;
  }
}

/** As `podAmounts`; nothing where a quantity cannot be read. */
export function readablePodAmounts({ spec, status }: Pick<Pod, 'spec' | 'status'>): PodAmounts {
  const pod = { spec, ...defined({ status }) };
  return readable(() => podAmounts(pod), { shown: NOTHING, counted: NOTHING });
}

function overheadAmounts({ overhead }: PodSpec): Amounts {
  const amounts = readable(() => parseResourceList(overhead), new Map<string, never>());
  return [...amounts]
    .map(([resource, quantity]) => [resource, int64(amountInUnits(resource, quantity))] as const)
    .filter(([, amount]) => amount !== 0);
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
