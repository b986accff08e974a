import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity, QuantityError } from '../kubernetes/quantity.js';
import { activePodUsage, countsForQuotaUntil, endedPodUsage, isPast } from './pod-usage.js';
import { scopeFactsOf, type ScopeFacts } from './scopes.js';

/** What quotas ask of a stored pod, but for when it ends. Pods that are equal in that share one. */
export interface PodCharge {
  readonly facts: ScopeFacts;
  /** What it is charged, or would be if it had not ended. */
  readonly usage: ResourceAmounts;
  /** In phase Succeeded or Failed. */
  readonly ended: boolean;
}

/**
 * How a pod counts: all of it; all of it though it is being deleted; or its place in storage alone, because it has ended, or
 * because its deletion is overdue.
 */
export type QuotaCounting = 'counts' | 'deleting' | 'finished' | 'overdue';

export interface PodStanding {
  readonly counting: QuotaCounting;
  /** Given of a pod whose deletion ends that it counts, whether it has or not. */
  readonly countsUntil: bigint | undefined;
}

/** Whether a pod that stands so is charged with more than its place in storage. */
export const isCharged = ({ counting }: Pick<PodStanding, 'counting'>): boolean =>
  counting === 'counts' || counting === 'deleting';

/** More statuses than a state can have; times as many specs it is a safe integer still. */
const MOST_STATUSES = 2 ** 26;

/** The charges of the pods of one state, worked out once for each spec and status. */
export class PodCharges {
  private readonly known = new Map<number, PodCharge>();

  constructor(private readonly pods: ClusterState['pods']) {}

  of(pod: number): PodCharge {
    const { pods } = this;
    const specId = pods.specId(pod);
    const statusId = pods.statusId(pod);
    const key = specId * MOST_STATUSES + statusId;
    let charge = this.known.get(key);
    if (charge === undefined) {
      const status = pods.statusOf(statusId);
      charge = chargeOf({ spec: pods.specOf(specId), ...defined({ status }) });
      this.known.set(key, charge);
    }
    return charge;
  }

  /**
   * How a pod counts at a moment, and until when where its deletion ends that, in nanoseconds since the epoch.
   *
   * @param now in milliseconds since the epoch
   */
  standingOf(pod: number, now: number): PodStanding {
    if (this.of(pod).ended) return { counting: 'finished', countsUntil: undefined };
    const { pods } = this;
    if (!pods.terminating(pod)) return COUNTS;
    const deletionGracePeriodSeconds = pods.deletionGracePeriodSeconds(pod);
    const countsUntil = countsForQuotaUntil({
      deletionTimestamp: pods.deletionTimestamp(pod),
      ...defined({ deletionGracePeriodSeconds }),
    });
    return { counting: isPast(countsUntil, now) ? 'overdue' : 'deleting', countsUntil };
  }
}

const COUNTS: PodStanding = { counting: 'counts', countsUntil: undefined };

function chargeOf(pod: Pick<Pod, 'spec' | 'status'>): PodCharge {
  const phase = pod.status?.phase;
  const ended = phase === 'Succeeded' || phase === 'Failed';
  try {
    return { facts: scopeFactsOf(pod), usage: activePodUsage(pod), ended };
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    // The API server would have refused it; what cannot be read adds nothing.
    const facts = scopeFactsOf({ ...pod, spec: { ...pod.spec, containers: [], initContainers: [], resources: {} } });
    return { facts, usage: endedPodUsage().set('pods', Quantity.of(1)), ended };
  }
}
