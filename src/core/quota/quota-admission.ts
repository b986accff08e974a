import { defined } from '../collections/defined.js';
import { AdmissionRefusal, podForbidden } from '../kubernetes/admission-refusal.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../kubernetes/objects/quota.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { podQuotaUsage } from './pod-usage.js';
import { quotaConstraints } from './quota-constraints.js';
import { quotaApplies, quotaFit } from './quota-match.js';
import { podQuotaResources } from './quota-resources.js';
import {
  isTerminating,
  matchesScope,
  QuotaScopeError,
  type ScopeFacts,
  scopeFactsOf,
  scopeFault,
  scopesOf,
  scopeText,
} from './scopes.js';

export const NAME = 'ResourceQuota';

/** A pod to be admitted; `resize` is an update of the subresource of that name. */
export type QuotaRequest =
  | { readonly operation: 'create'; readonly pod: Pod }
  | { readonly operation: 'update' | 'resize'; readonly pod: Pod; readonly oldPod: Pod };

/**
 * Resources of pods that may be consumed only if a quota covers them (`LimitedResource` of the plugin's configuration).
 */
export interface LimitedResource {
  /** Substrings of resource names. */
  readonly matchContains?: readonly string[];
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[];
}

export interface QuotaAdmissionOptions {
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** None by default, as upstream. */
  readonly limited?: readonly LimitedResource[];
  /** The newest by default. */
  readonly rules: KubernetesRules;
}

/** The excess of a request over a quota's limit, for each exceeded resource. */
export interface ExceededQuota {
  readonly quota: string;
  readonly requested: ResourceAmounts;
  readonly used: ResourceAmounts;
  readonly hard: ResourceAmounts;
}

export type QuotaReview =
  | {
      readonly outcome: 'admitted';
      /** All quotas in the given order, with the request charged to their `status.used`. */
      readonly quotas: readonly ResourceQuota[];
      /** Names of the charged quotas. */
      readonly charged: readonly string[];
    }
  | {
      readonly outcome: 'refused';
      readonly refusal: AdmissionRefusal;
      /**
       * The quota that refused; absent if no quota covers a resource that must be covered, and if the pod's usage is
       * negative.
       */
      readonly quota?: string;
      /** Present if raising the quota would help. */
      readonly exceeded?: ExceededQuota;
    };

/**
 * Whether the quotas of its namespace admit a pod, and their usage afterwards (`CheckRequest`, k8s.io/apiserver
 * v0.36.2, pkg/admission/plugin/resourcequota/controller.go).
 *
 * Only the first quota that refuses is reported; upstream checks them in an undefined order, this function in the given
 * order. For a changed pod the difference is charged, and a charge is never lowered: the controller does that. An
 * update is checked only if it moves a pod into or out of the scope Terminating, and before 1.33 not at all.
 *
 * @param quotas every quota of the pod's namespace
 * @throws QuantityError for an invalid quantity
 */
export function reviewQuotas(
  quotas: readonly ResourceQuota[],
  request: QuotaRequest,
  options: QuotaAdmissionOptions,
): QuotaReview {
  const unchanged: QuotaReview = { outcome: 'admitted', quotas, charged: [] };
  const { limited = [], now, rules } = options;
  if (!isHandled(request, rules)) return unchanged;
  const { pod } = request;
  const facts = scopeFactsOf(pod);
  let limitedScopes: readonly ScopedResourceSelectorRequirement[];
  try {
    limitedScopes = limited.flatMap(({ matchScopes = [] }) =>
      matchScopes.filter((scope) => matchesScope(facts, scope)),
    );
  } catch (error) {
    // As upstream: an invalid configuration limits nothing, quotas included.
    if (error instanceof QuotaScopeError) return unchanged;
    throw error;
  }

  const applying = applyingQuotas(quotas, pod, facts, rules);
  if ('outcome' in applying) return applying;
  const usage = podQuotaUsage(pod, now, rules);
  const negative = [...usage].filter(([, amount]) => amount.sign() < 0).map(([name]) => name);
  if (negative.length > 0) {
    return refused(pod, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  }
  const charges = chargesOf(applying.quotas, request, usage, { now, rules });
  if (charges.every((charge) => charge.size === 0)) return unchanged;

  const uncovered = uncoveredResources(usage, limited, applying.covered);
  if (uncovered.length > 0) return refused(pod, `insufficient quota to consume: ${uncovered.join(',')}`);
  const open = limitedScopes.filter(({ scopeName }) => !applying.scopeNames.has(scopeName));
  if (open.length > 0) {
    return failed(`insufficient quota to match these scopes: [${open.map(scopeText).join(' ')}]`);
  }
  return charged(quotas, applying.quotas, charges, pod);
}

function isHandled(request: QuotaRequest, { minor }: KubernetesRules): boolean {
  if (request.operation !== 'update') return true;
  return minor >= 33 && isTerminating(request.oldPod.spec) !== isTerminating(request.pod.spec);
}

interface ApplyingQuotas {
  readonly quotas: readonly ResourceQuota[];
  /** The resources that they limit. */
  readonly covered: ReadonlySet<string>;
  /** The scopes, of these and other quotas, that the pod matches. */
  readonly scopeNames: ReadonlySet<string>;
}

function applyingQuotas(
  quotas: readonly ResourceQuota[],
  pod: Pod,
  facts: ScopeFacts,
  rules: KubernetesRules,
): ApplyingQuotas | (QuotaReview & { readonly outcome: 'refused' }) {
  const applying: ResourceQuota[] = [];
  const covered = new Set<string>();
  const scopeNames = new Set<string>();
  for (const quota of quotas) {
    const { name } = quota.metadata;
    for (const scope of scopesOf(quota)) {
      try {
        if (matchesScope(facts, scope)) scopeNames.add(scope.scopeName);
      } catch (error) {
        if (!(error instanceof QuotaScopeError)) throw error;
        return failed(`error matching scopes of quota ${name}, err: ${scopeFault(scope, error)}`, name);
      }
    }
    if (!quotaApplies(quota, facts, rules)) continue;
    const bounded = podQuotaResources(Object.keys(quota.status?.hard ?? {}), rules);
    const missing = quotaConstraints(pod, bounded);
    if (missing !== undefined) return refused(pod, `failed quota: ${name}: ${missing}`, name);
    const used = quota.status?.used ?? {};
    if (bounded.some((resource) => !Object.hasOwn(used, resource))) {
      return refused(pod, `status unknown for quota: ${name}, resources: ${bounded.sort().join(',')}`, name);
    }
    applying.push(quota);
    for (const resource of bounded) covered.add(resource);
  }
  return { quotas: applying, covered, scopeNames };
}

/**
 * The charge to each of the quotas, without zeros; if no quota applies, the only entry is the charge to a hypothetical
 * one.
 */
function chargesOf(
  applying: readonly ResourceQuota[],
  request: QuotaRequest,
  usage: ResourceAmounts,
  { now, rules }: { readonly now: number; readonly rules: KubernetesRules },
): readonly ResourceAmounts[] {
  const whole = withoutZeros(usage);
  if (request.operation === 'create') return applying.length === 0 ? [whole] : applying.map(() => whole);
  const { oldPod } = request;
  const former = podQuotaUsage(oldPod, now, rules);
  const added = withoutZeros(
    new Map([...usage].map(([name, amount]) => [name, risen(amount, former.get(name) ?? Quantity.ZERO)])),
  );
  const formerFacts = scopeFactsOf(oldPod);
  // A quota that the pod did not match before is charged in full.
  return applying.length === 0
    ? [added]
    : applying.map((quota) => (quotaApplies(quota, formerFacts, rules) ? added : whole));
}

const risen = (now: Quantity, before: Quantity): Quantity => {
  const difference = now.sub(before);
  return difference.sign() > 0 ? difference : Quantity.ZERO;
};

const withoutZeros = (amounts: ResourceAmounts): ResourceAmounts =>
  new Map([...amounts].filter(([, amount]) => !amount.isZero()));

function uncoveredResources(
  usage: ResourceAmounts,
  limited: readonly LimitedResource[],
  covered: ReadonlySet<string>,
): readonly string[] {
  const parts = limited.flatMap(({ matchContains = [] }) => matchContains);
  return [...usage]
    .filter(([name, amount]) => amount.sign() > 0 && parts.some((part) => name.includes(part)) && !covered.has(name))
    .map(([name]) => name)
    .sort();
}

function charged(
  quotas: readonly ResourceQuota[],
  applying: readonly ResourceQuota[],
  charges: readonly ResourceAmounts[],
  pod: Pod,
): QuotaReview {
  const after = new Map<ResourceQuota, ResourceQuota>();
  for (const [index, quota] of applying.entries()) {
    const charge = charges[index]!;
    if (charge.size === 0) continue;
    const { requested, used, exceeded } = quotaFit(quota, charge);
    if (exceeded.length > 0) return overdrawn(quota, requested, exceeded, pod);
    if (requested.size > 0) after.set(quota, { ...quota, status: { ...quota.status, used: listOf(used) } });
  }
  return {
    outcome: 'admitted',
    quotas: quotas.map((quota) => after.get(quota) ?? quota),
    charged: [...after.keys()].map(({ metadata }) => metadata.name),
  };
}

function overdrawn(
  { metadata: { name }, status }: ResourceQuota,
  requested: ResourceAmounts,
  resources: readonly string[],
  pod: Pod,
): QuotaReview {
  const among = (amounts: ResourceAmounts): ResourceAmounts =>
    new Map(resources.flatMap((resource) => (amounts.has(resource) ? [[resource, amounts.get(resource)!]] : [])));
  const exceeded: ExceededQuota = {
    quota: name,
    requested: among(requested),
    used: among(parseResourceList(status?.used)),
    hard: among(parseResourceList(status?.hard)),
  };
  const reason =
    `exceeded quota: ${name}, requested: ${amountsText(exceeded.requested)}, ` +
    `used: ${amountsText(exceeded.used)}, limited: ${amountsText(exceeded.hard)}`;
  return { ...refused(pod, reason, name), exceeded };
}

const amountsText = (amounts: ResourceAmounts): string =>
  [...amounts].map(([name, amount]) => `${name}=${amount.toString()}`).join(',');

function listOf(amounts: ResourceAmounts): ResourceList {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]));
}

function refused(pod: Pod, reason: string, quota?: string): QuotaReview & { readonly outcome: 'refused' } {
  const name = pod.metadata.name === '' ? (pod.metadata.generateName ?? 'Unknown') : pod.metadata.name;
  return {
    outcome: 'refused',
    refusal: podForbidden(NAME, name, reason),
    ...defined({ quota }),
  };
}

/** An error that upstream does not report as forbidden: the API server responds with status 500 and only this text. */
function failed(message: string, quota?: string): QuotaReview & { readonly outcome: 'refused' } {
  return {
    outcome: 'refused',
    refusal: new AdmissionRefusal(NAME, 500, message, message),
    ...defined({ quota }),
  };
}
