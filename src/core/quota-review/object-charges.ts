import type { Refusal } from '../admission/admission-chain.js';
import { quoteGo } from '../kubernetes/go-text.js';
import { KINDS } from '../kubernetes/kinds.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { quotaFit } from '../quota/quota-match.js';
import { scopesOf } from '../quota/scopes.js';
import type { QuotaRaise } from './quota-room.js';

const ONE = Quantity.of(1);

/** Counts with an older short name besides `count/`. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([['ReplicationController', 'replicationcontrollers']]);

/** An object other than a pod, charged to the quotas of its namespace, or refused by one. */
export type ObjectReview =
  | { readonly outcome: 'admitted'; readonly quotas: readonly ResourceQuota[] }
  | { readonly outcome: 'refused'; readonly refusal: Refusal; readonly raises: readonly QuotaRaise[] };

/**
 * Whether the quotas of a namespace admit one more object of a kind: only quotas without scopes that count the kind
 * apply.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/resourcequota/controller.go, and
 * pkg/quota/v1/generic/evaluator.go, `objectCountEvaluator`.
 */
export function reviewObject(quotas: readonly ResourceQuota[], kind: string, name: string): ObjectReview {
  const info = KINDS.find((known) => known.kind === kind);
  const [version = ''] = info?.apiVersions ?? [];
  const group = version.includes('/') ? `.${version.slice(0, version.indexOf('/'))}` : '';
  const resource = `${info?.plural ?? ''}${group}`;
  const short = SHORT_NAMES.get(kind);
  const charge = new Map([`count/${resource}`, ...(short === undefined ? [] : [short])].map((one) => [one, ONE]));
  const after = new Map<ResourceQuota, ResourceQuota>();
  const refused = (reason: string, raises: readonly QuotaRaise[]): ObjectReview => ({
    outcome: 'refused',
    refusal: {
      by: 'ResourceQuota',
      status: 403,
      message: `${resource} ${quoteGo(name)} is forbidden: ${reason}`,
      causes: [],
    },
    raises,
  });
  const applying = quotas.filter((quota) => {
    const hard = quota.status?.hard ?? {};
    return scopesOf(quota).length === 0 && [...charge.keys()].some((counted) => Object.hasOwn(hard, counted));
  });
  for (const quota of applying) {
    const bounded = [...charge.keys()].filter((counted) => Object.hasOwn(quota.status?.hard ?? {}, counted)).sort();
    if (bounded.some((counted) => !Object.hasOwn(quota.status?.used ?? {}, counted))) {
      return refused(`status unknown for quota: ${quota.metadata.name}, resources: ${bounded.join(',')}`, []);
    }
  }
  for (const quota of applying) {
    const { requested, used, exceeded } = quotaFit(quota, charge);
    if (exceeded.length > 0) return refused(...overdrawn(quota, requested, exceeded));
    const texts = Object.fromEntries([...used].map(([counted, amount]) => [counted, amount.toString()]));
    after.set(quota, { ...quota, status: { ...quota.status, used: texts } });
  }
  return { outcome: 'admitted', quotas: quotas.map((quota) => after.get(quota) ?? quota) };
}

function overdrawn(
  { metadata: { name }, status }: ResourceQuota,
  requested: ReadonlyMap<string, Quantity>,
  exceeded: readonly string[],
): [string, readonly QuotaRaise[]] {
  const [used, hard] = [parseResourceList(status?.used), parseResourceList(status?.hard)];
  const list = (amounts: ReadonlyMap<string, Quantity>): string =>
    exceeded.map((resource) => `${resource}=${(amounts.get(resource) ?? Quantity.ZERO).toString()}`).join(',');
  const raises = exceeded.map((resource) => ({
    quota: name,
    resource,
    from: hard.get(resource) ?? Quantity.ZERO,
    to: (used.get(resource) ?? Quantity.ZERO).add(ONE),
  }));
  return [
    `exceeded quota: ${name}, requested: ${list(requested)}, used: ${list(used)}, limited: ${list(hard)}`,
    raises,
  ];
}
