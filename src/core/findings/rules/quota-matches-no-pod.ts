import { admissionConfigurationIn } from '../../admission/surroundings-in.js';
import { FieldPath } from '../../kubernetes/field-path.js';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../kubernetes/objects/quota.js';
import { matchesScopes, QuotaScopeError, scopesOf, scopeText, type ScopeFacts } from '../../quota/scopes.js';
import type { ClusterRule } from '../cluster-rule.js';

/** Scopes that do not select pods. */
const OF_OTHER_KINDS = 'VolumeAttributesClass';

/**
 * A ResourceQuota whose scopes contradict each other: no pod can match all of them, so the quota limits nothing. Quotas
 * with a scope of claims are skipped. Tested by every combination of what scopes read of a pod.
 */
export const quotaMatchesNoPod: ClusterRule = ({ state }) => {
  if (!admissionConfigurationIn(state).plugins.includes('ResourceQuota')) return [];
  return (state.objects('ResourceQuota') as readonly ResourceQuota[]).flatMap((quota) => {
    const scopes = scopesOf(quota);
    if (scopes.some(({ scopeName }) => scopeName === OF_OTHER_KINDS) || isMatchable(scopes)) return [];
    const { namespace = 'default', name } = quota.metadata;
    const at = FieldPath.of('spec', quota.spec?.scopeSelector === undefined ? 'scopes' : 'scopeSelector');
    return [
      {
        code: 'quota-matches-no-pod',
        severity: 'warning',
        subject: { kind: 'ResourceQuota', namespace, name },
        field: at.toString(),
        pointer: at.toPointer(),
        message: `No pod can match all scopes of the quota (${scopes.map(scopeText).join(', ')}): it limits nothing.`,
        suggestions: [{ text: 'Remove one of the scopes, or use a quota for each.' }],
      },
    ];
  });
};

/** Whether some pod matches all scopes; also true if a scope is invalid, which is no contradiction. */
function isMatchable(scopes: readonly ScopedResourceSelectorRequirement[]): boolean {
  try {
    for (const facts of everyPod(scopes)) if (matchesScopes(facts, scopes)) return true;
    return false;
  } catch (error) {
    if (error instanceof QuotaScopeError) return true;
    throw error;
  }
}

/** Every combination of facts that scopes tell apart: of class names, those they list, none, and one that none lists. */
function* everyPod(scopes: readonly ScopedResourceSelectorRequirement[]): Generator<ScopeFacts> {
  const listed = new Set(scopes.flatMap(({ values = [] }) => values));
  let other = 'other';
  while (listed.has(other)) other += '-';
  const both = [false, true];
  for (const priorityClassName of ['', other, ...listed]) {
    for (const terminating of both) {
      for (const bestEffort of both) {
        for (const crossNamespaceAffinity of both) {
          yield { terminating, bestEffort, priorityClassName, crossNamespaceAffinity };
        }
      }
    }
  }
}
