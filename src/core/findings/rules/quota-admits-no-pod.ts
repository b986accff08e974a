import type { KubernetesRules } from '../../kubernetes/kubernetes-rules.js';
import { admissionConfigurationIn } from '../../admission/surroundings-in.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import { FieldPath } from '../../kubernetes/field-path.js';
import { defaultLimitRangeItem } from '../../kubernetes/limit-range-defaults.js';
import type { LimitRange, LimitRangeItem, ResourceQuota } from '../../kubernetes/objects/quota.js';
import { Quantity, QuantityError } from '../../kubernetes/quantity.js';
import { parseResourceList } from '../../kubernetes/pod-resources/resource-amounts.js';
import { podQuotaResources } from '../../quota/quota-resources.js';
import { matchesScope, QuotaScopeError, scopeFault, scopesOf, type ScopeFacts } from '../../quota/scopes.js';
import type { ClusterRule } from '../cluster-rule.js';
import type { Finding } from '../finding.js';

/** The least that a LimitRange lets a pod be charged. */
interface Minimum {
  readonly limitRange: string;
  readonly type: string;
  /** The resource in `min`. */
  readonly resource: string;
  readonly amount: Quantity;
  /** The resources of quotas that are charged at least as much. */
  readonly charged: readonly string[];
}

const ONE = Quantity.of(1);

const ANY_POD: ScopeFacts = {
  terminating: false,
  bestEffort: false,
  priorityClassName: '',
  crossNamespaceAffinity: false,
};

/**
 * A ResourceQuota that refuses every new pod that it applies to: it allows less than one pod; less than a LimitRange of
 * its namespace requires of every pod; or it has an invalid scope, with which admission fails for every pod of the
 * namespace. Amounts of 0 alone are no finding: a pod can request 0 of everything but `pods` and `count/pods`. Nor is a
 * quota with scopes that allows no pods, which is the usual way to forbid the pods that match them.
 */
export const quotaAdmitsNoPod: ClusterRule = ({ state }) => {
  const { plugins } = admissionConfigurationIn(state);
  if (!plugins.includes('ResourceQuota')) return [];
  const minimums = plugins.includes('LimitRanger') ? minimumsByNamespace(state) : new Map<string, readonly Minimum[]>();
  return (state.objects('ResourceQuota') as readonly ResourceQuota[]).flatMap((quota) => {
    const invalid = invalidScope(quota);
    return invalid === undefined
      ? tooLittle(quota, minimums.get(quota.metadata.namespace ?? 'default') ?? [], state.rules)
      : [invalid];
  });
};

function invalidScope(quota: ResourceQuota): Finding | undefined {
  for (const scope of scopesOf(quota)) {
    try {
      matchesScope(ANY_POD, scope);
    } catch (error) {
      if (!(error instanceof QuotaScopeError)) throw error;
      return {
        ...about(quota, FieldPath.of('spec', 'scopeSelector')),
        severity: 'warning',
        message: `Admission fails with status 500 for every new pod of the namespace: ${scopeFault(scope, error)}.`,
        suggestions: [{ text: 'Correct the operator or the values of the scope.' }],
      };
    }
  }
  return undefined;
}

function tooLittle(quota: ResourceQuota, minimums: readonly Minimum[], rules: KubernetesRules): readonly Finding[] {
  const hard = amountsOf(quota.spec?.hard);
  const scoped = scopesOf(quota).length > 0;
  return podQuotaResources(hard.keys(), rules).flatMap((name): readonly Finding[] => {
    const allowed = hard.get(name)!;
    const at = FieldPath.of('spec', 'hard').key(name);
    if (name === 'pods' || name === 'count/pods') {
      if (scoped || allowed.cmp(ONE) >= 0) return [];
      return [
        {
          ...about(quota, at),
          severity: 'info',
          message: `The quota allows ${allowed.toString()} ${name}: every new pod of the namespace is refused.`,
          suggestions: [{ text: 'Raise it, unless the namespace is meant to have no pods.' }],
        },
      ];
    }
    const above = minimums.filter(({ charged, amount }) => charged.includes(name) && amount.cmp(allowed) > 0);
    const largest = above.reduce<Minimum | undefined>(
      (most, minimum) => (most === undefined || minimum.amount.cmp(most.amount) > 0 ? minimum : most),
      undefined,
    );
    if (largest === undefined) return [];
    const { type, resource, amount, limitRange } = largest;
    const each = type === 'Pod' ? 'pod' : 'container';
    return [
      {
        ...about(quota, at),
        severity: 'warning',
        message: `The quota allows ${allowed.toString()} of ${name}, but LimitRange ${limitRange} requires every ${each} to request at least ${amount.toString()} of ${resource}: every new pod that the quota applies to is refused.`,
        suggestions: [
          { text: `Raise ${name} to at least ${amount.toString()}, or lower the minimum of the LimitRange.` },
        ],
      },
    ];
  });
}

function about({ metadata }: ResourceQuota, at: FieldPath) {
  const { namespace = 'default', name } = metadata;
  return {
    code: 'quota-admits-no-pod',
    subject: { kind: 'ResourceQuota', namespace, name },
    field: at.toString(),
    pointer: at.toPointer(),
  } as const;
}

function minimumsByNamespace(state: ClusterState): ReadonlyMap<string, readonly Minimum[]> {
  const found = new Map<string, Minimum[]>();
  for (const { metadata, spec } of state.objects('LimitRange') as readonly LimitRange[]) {
    const { namespace = 'default', name } = metadata;
    const minimums = found.get(namespace) ?? [];
    found.set(namespace, minimums);
    for (const item of spec?.limits ?? []) minimums.push(...minimumsOf(name, item));
  }
  return found;
}

/**
 * What an item requires of every pod. A minimum requires a request of at least as much, of each container or of the sum
 * (`PodValidateLimitFunc`); a maximum also requires a limit, which is no lower than the request.
 */
function minimumsOf(limitRange: string, given: LimitRangeItem): readonly Minimum[] {
  if (given.type !== 'Container' && given.type !== 'Pod') return [];
  const { type, min, max } = rounded(given);
  return [...amountsOf(min)].map(([resource, amount]) => ({
    limitRange,
    type,
    resource,
    amount,
    charged: [resource, `requests.${resource}`, ...(Object.hasOwn(max ?? {}, resource) ? [`limits.${resource}`] : [])],
  }));
}

function rounded(item: LimitRangeItem): LimitRangeItem {
  try {
    return defaultLimitRangeItem(item);
  } catch (error) {
    if (error instanceof QuantityError) return { type: item.type };
    throw error;
  }
}

/** Amounts; none if one of them is no quantity, which the API server would have refused. */
function amountsOf(list: LimitRangeItem['min']): ReadonlyMap<string, Quantity> {
  try {
    return parseResourceList(list);
  } catch (error) {
    if (error instanceof QuantityError) return new Map();
    throw error;
  }
}
