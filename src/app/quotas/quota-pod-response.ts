import type { quotaPod } from '../../contract/quotas/quota.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';
import type { Quantity } from '../../core/kubernetes/quantity.js';
import { PodCharges } from '../../core/quota/pod-charge.js';
import type { QuotaPod } from '../../core/quota/quota-pods.js';
import { scopesOutside } from '../../core/quota/scope-meaning.js';

type QuotaPodResponse = Response<typeof quotaPod>;

type QuotaPodCounting = QuotaPodResponse['counting'];

const NOTHING: QuotaPod['charged'] = new Map();
const NANOSECONDS = 1_000_000n;
/** The latest time that a Date can represent. */
const LAST_MOMENT = 8_640_000_000_000_000n;

/** Explains how a quota counts the pods of its namespace. */
export class QuotaPodRenderer {
  private readonly charges: PodCharges;
  private readonly within: ReadonlyMap<number, QuotaPod>;

  /** @param pods in the scopes of the quota */
  constructor(
    private readonly state: ClusterState,
    private readonly quota: ResourceQuota,
    pods: readonly QuotaPod[],
    private readonly now: number,
  ) {
    this.charges = new PodCharges(state);
    this.within = new Map(pods.map((pod) => [pod.pod, pod]));
  }

  countingOf(pod: number): QuotaPodCounting {
    return this.within.get(pod)?.counting ?? 'outside';
  }

  /** @param pod index into `state.pods` */
  view(pod: number): QuotaPodResponse {
    const { pods } = this.state;
    const known = this.within.get(pod);
    const outside = known === undefined ? scopesOutside(this.quota, this.charges.of(pod).facts) : [];
    const { countsUntil } = this.charges.standingOf(pod, this.now);
    const counting = known?.counting ?? 'outside';
    const until = dateOf(countsUntil);
    return {
      name: pods.name(pod),
      phase: pods.phase(pod),
      counting,
      why: whyOf(counting, outside, until),
      countsUntil: until,
      outside,
      charged: amounts(known?.charged ?? NOTHING),
      released: amounts(known?.released ?? NOTHING),
      beyondSpec: amounts(known?.beyondSpec ?? NOTHING),
    };
  }
}

function whyOf(counting: QuotaPodCounting, outside: readonly string[], until: Date | null): string {
  const moment = until === null ? '' : ` (${until.toISOString()})`;
  switch (counting) {
    case 'counts':
      return 'counted with its requests and limits';
    case 'deleting':
      return `being deleted, and counted until its deletion is overdue by its grace period${moment}`;
    case 'finished':
      return 'ended: only count/pods counts it';
    case 'overdue':
      return `its deletion is overdue by more than its grace period${moment}: only count/pods counts it`;
    case 'outside':
      return `not in the scope ${outside.join(', nor ')}`;
  }
}

function dateOf(nanoseconds: bigint | undefined): Date | null {
  if (nanoseconds === undefined) return null;
  const milliseconds = nanoseconds / NANOSECONDS;
  return milliseconds > LAST_MOMENT || milliseconds < -LAST_MOMENT ? null : new Date(Number(milliseconds));
}

function amounts(list: ReadonlyMap<string, Quantity>): Readonly<Record<string, string>> {
  return Object.fromEntries([...list].map(([name, amount]) => [name, amount.toString()]));
}
