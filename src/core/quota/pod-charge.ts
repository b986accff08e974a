import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity, QuantityError } from '../kubernetes/quantity.js';
import { activePodUsage, countsForQuotaUntil, endedPodUsage, isPast } from './pod-usage.js';
import { scopeFactsOf, type ScopeFacts } from './scopes.js';

/** The fields of a stored pod that quotas read, except when it ends. Pods with equal fields share one. */
export interface PodCharge {
  readonly facts: ScopeFacts;
  /** The pod's charge, or the charge that it would have if it had not ended. */
  readonly usage: ResourceAmounts;
  /** In phase Succeeded or Failed. */
  readonly ended: boolean;
}

/**
 * How a pod counts: in full; in full although it is being deleted; or only as a stored object, because it has ended, or
 * because its deletion is overdue.
 */
export type QuotaCounting = 'counts' | 'deleting' | 'finished' | 'overdue';

export interface PodStanding {
  readonly counting: QuotaCounting;
  /** Set for a pod that stops counting because of its deletion, in the past or in the future. */
  readonly countsUntil: bigint | undefined;
}

/** Whether a pod with this standing is charged more than its stored object. */
export const isCharged = ({ counting }: Pick<PodStanding, 'counting'>): boolean =>
  counting === 'counts' || counting === 'deleting';

/** More statuses than a state can have, while the product with the number of specs is still a safe integer. */
const MAX_STATUSES = 2 ** 26;

/** The charges of the pods of one state, computed once per spec and status. */
export class PodCharges {
  private readonly known = new Map<number, PodCharge>();

  constructor(private readonly state: Pick<ClusterState, 'pods' | 'rules'>) {}

  of(pod: number): PodCharge {
    const { pods } = this.state;
    const specId = pods.specId(pod);
    const statusId = pods.statusId(pod);
    const key = specId * MAX_STATUSES + statusId;
    let charge = this.known.get(key);
    if (charge === undefined) {
      const status = pods.statusOf(statusId);
      charge = podCharge({ spec: pods.specOf(specId), ...defined({ status }) }, this.state.rules);
      this.known.set(key, charge);
    }
    return charge;
  }

  /**
   * How a pod counts at a given time, and until when if its deletion ends that, in nanoseconds since the epoch.
   *
   * @param now in milliseconds since the epoch
   */
  standingOf(pod: number, now: number): PodStanding {
    if (this.of(pod).ended) return { counting: 'finished', countsUntil: undefined };
    const { pods } = this.state;
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

/** The charge of one pod. */
export function podCharge(pod: Pick<Pod, 'spec' | 'status'>, rules: KubernetesRules): PodCharge {
  const phase = pod.status?.phase;
  const ended = phase === 'Succeeded' || phase === 'Failed';
  try {
    return { facts: scopeFactsOf(pod), usage: activePodUsage(pod, rules), ended };
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    // The API server would have refused it; an invalid quantity adds nothing.
    const facts = scopeFactsOf({ ...pod, spec: { ...pod.spec, containers: [], initContainers: [], resources: {} } });
    return { facts, usage: endedPodUsage().set('pods', Quantity.of(1)), ended };
  }
}
