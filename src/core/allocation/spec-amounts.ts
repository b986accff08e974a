import type { ClusterState } from '../cluster/cluster-state.js';
import { int64 } from '../cluster/resource-table.js';
import { defined } from '../collections/defined.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { QuantityError } from '../kubernetes/quantity.js';
import { amountInUnits } from './allocation-table.js';
import { podAmounts, type PodAmounts } from './pod-share.js';

/** Amounts by resource, in milliCPU for cpu, otherwise in bytes or a count. */
export type Amounts = readonly (readonly [resource: string, amount: Int64])[];

/** The amounts that depend only on a pod's spec. */
export interface SpecShare {
  /** The amounts that kubectl adds up. */
  readonly counted: PodAmounts['counted'];
  /** Empty if the pod has none. */
  readonly overhead: Amounts;
}

const NOTHING: PodAmounts['counted'] = { requests: new Map(), limits: new Map() };

/** The amounts of the pods of one state, computed once per spec. A pod with an invalid quantity counts as empty. */
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

/** The same as `podAmounts`, but empty for an invalid quantity. */
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

/** The result of `read`, or `otherwise` for an invalid quantity, which the API server would have refused. */
export function readable<Result>(read: () => Result, otherwise: Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof QuantityError) return otherwise;
    throw error;
  }
}
