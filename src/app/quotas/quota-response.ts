import type { quota, quotaResource } from '../../contract/quotas/quota.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';
import type { Quantity } from '../../core/kubernetes/quantity.js';
import type { QuotaPod } from '../../core/quota/quota-pods.js';
import {
  knownUsage,
  resourceStanding,
  whyUnknown,
  worstStanding,
  type QuotaStanding,
} from '../../core/quota/quota-standing.js';
import type { QuotaUsage } from '../../core/quota/quota-usage.js';
import { scopeMeanings } from '../../core/quota/scope-meaning.js';
import { explainUsage, type ExplainedUsage } from '../../core/quota/usage-difference.js';

export type QuotaResponse = Response<typeof quota>;
type QuotaResourceResponse = Response<typeof quotaResource>;

/** The status of a quota, without its pods. */
export function standingOf(usage: QuotaUsage, state: ClusterState, threshold: number): QuotaStanding {
  return worstStanding(
    usage.resources().map((resource) => resourceStanding(knownUsage(resource, state), threshold).standing),
  );
}

/** @param pods the quota's pods, as `stepQuotaPods` returns them for the state and time of the usage */
export function quotaResponse(
  usage: QuotaUsage,
  pods: readonly QuotaPod[],
  state: ClusterState,
  threshold: number,
): QuotaResponse {
  const { quota } = usage;
  const resources = explainUsage(usage, pods).map((explained) => resourceResponse(quota, explained, state, threshold));
  return {
    namespace: quota.metadata.namespace ?? '',
    name: quota.metadata.name,
    standing: worstStanding(resources.map(({ standing }) => standing)),
    scopes: scopeMeanings(quota),
    pods: usage.pods,
    resources,
  };
}

function resourceResponse(
  quota: ResourceQuota,
  explained: ExplainedUsage,
  state: ClusterState,
  threshold: number,
): QuotaResourceResponse {
  const { resource, hard, reported, finished, overdue, deleting, beyondSpec } = explained;
  const known = knownUsage(explained, state);
  const { standing, taken, percent } = resourceStanding(known, threshold);
  const isKnown = known.used !== undefined;
  const reason = isKnown ? explained.reason : 'unknown';
  return {
    resource,
    hard: hard.toString(),
    enforced: enforcedOf(quota, resource),
    used: textOf(known.used),
    reported: textOf(reported),
    left: textOf(taken === undefined ? undefined : hard.sub(taken)),
    percent: percent ?? null,
    standing,
    difference: isKnown ? textOf(explained.difference) : null,
    reason,
    why: isKnown ? whyDifferent(explained) : `unknown: ${whyUnknown(quota, resource, state)}`,
    finished: finished.toString(),
    overdue: overdue.toString(),
    deleting: deleting.toString(),
    beyondSpec: beyondSpec.toString(),
  };
}

const textOf = (quantity: Quantity | undefined): string | null => quantity?.toString() ?? null;

function enforcedOf({ status }: ResourceQuota, resource: string): string | null {
  const hard = status?.hard ?? {};
  return Object.hasOwn(hard, resource) ? String(hard[resource]) : null;
}

/** Explains a difference between `status.used` and the counted usage. */
function whyDifferent({ reason, finished, overdue, beyondSpec, difference }: ExplainedUsage): string {
  switch (reason) {
    case 'none':
      return 'status.used equals the usage counted from the objects of the namespace';
    case 'unreported':
      return 'status.used does not contain the resource: the controller has not counted it yet';
    case 'finished': {
      const alone = difference === undefined || difference.cmp(finished) === 0;
      const late = alone ? '' : `, and pods whose deletion is overdue: ${overdue.toString()}`;
      return `status.used still counts pods that have ended: ${finished.toString()}${late}`;
    }
    case 'overdue':
      return `status.used still counts pods whose deletion is overdue: ${overdue.toString()}`;
    case 'resized':
      return `pods are being resized in place and are charged ${beyondSpec.toString()} more than their specs`;
    case 'stale':
      return `status.used is outdated, ${(difference?.sign() ?? 0) > 0 ? 'too high' : 'too low'}: the controller recounts when pods are created, deleted or end, and every 5 minutes`;
    case 'unknown':
      return 'unknown';
  }
}
