import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../kubernetes/objects/quota.js';
import { matchesScope, QuotaScopeError, scopeFault, scopesOf, scopeText, type ScopeFacts } from './scopes.js';

/** What a scope of a quota selects: some pods; nothing; or something that snapshots do not keep. */
export type ScopeTakesIn = 'pods' | 'nothing' | 'unknown';

/** A scope of a quota, and what it means. */
export interface ScopeMeaning {
  readonly scope: string;
  /** `Exists` for scopes from `spec.scopes`. */
  readonly operator: string;
  readonly values: readonly string[];
  /** In Go's notation: `{PriorityClass In [high]}`. */
  readonly text: string;
  readonly takesIn: ScopeTakesIn;
  readonly meaning: string;
}

/** A placeholder pod. */
const ANY: ScopeFacts = {
  terminating: false,
  bestEffort: false,
  priorityClassName: '',
  crossNamespaceAffinity: false,
};

/** The scopes of a quota in order, `spec.scopes` first; a pod must match all of them. */
export function scopeMeanings(quota: Pick<ResourceQuota, 'spec'>): readonly ScopeMeaning[] {
  return scopesOf(quota).map((scope) => {
    const { scopeName, operator, values = [] } = scope;
    return { scope: scopeName, operator, values, text: scopeText(scope), ...meaningOf(scope) };
  });
}

/** The scopes of a quota that a pod does not match, in Go's notation; an invalid scope matches no pod. */
export function scopesOutside(quota: Pick<ResourceQuota, 'spec'>, facts: ScopeFacts): readonly string[] {
  return scopesOf(quota)
    .filter((scope) => {
      try {
        return !matchesScope(facts, scope);
      } catch (error) {
        if (error instanceof QuotaScopeError) return true;
        throw error;
      }
    })
    .map(scopeText);
}

function meaningOf(scope: ScopedResourceSelectorRequirement): Pick<ScopeMeaning, 'takesIn' | 'meaning'> {
  const plain = PLAIN.get(scope.scopeName);
  if (plain !== undefined) return { takesIn: 'pods', meaning: plain };
  switch (scope.scopeName) {
    case 'PriorityClass':
      return priorityMeaning(scope);
    case 'VolumeAttributesClass':
      return {
        takesIn: 'unknown',
        meaning: 'claims by their VolumeAttributesClass, which snapshots do not keep; matches no pod',
      };
    default:
      return { takesIn: 'nothing', meaning: 'a scope that Kubernetes v1.36 does not have; matches no pod' };
  }
}

/** Scopes whose operator is ignored. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['Terminating', 'pods with spec.activeDeadlineSeconds, regardless of whether they are being deleted'],
  ['NotTerminating', 'pods without spec.activeDeadlineSeconds'],
  ['BestEffort', 'pods of QoS class BestEffort: no container has a request or limit for cpu or memory'],
  ['NotBestEffort', 'pods of QoS class Burstable or Guaranteed'],
  ['CrossNamespacePodAffinity', 'pods with a pod affinity or anti-affinity term that names or selects namespaces'],
]);

function priorityMeaning(scope: ScopedResourceSelectorRequirement): Pick<ScopeMeaning, 'takesIn' | 'meaning'> {
  try {
    matchesScope(ANY, scope);
  } catch (error) {
    if (!(error instanceof QuotaScopeError)) throw error;
    return {
      takesIn: 'nothing',
      meaning: `invalid: the controller counts no pod, and admission fails with status 500: ${scopeFault(scope, error)}`,
    };
  }
  const list = (scope.values ?? []).join(', ');
  switch (scope.operator) {
    case 'In':
      return { takesIn: 'pods', meaning: `pods whose priorityClassName is one of ${list}` };
    case 'NotIn':
      return {
        takesIn: 'pods',
        meaning: `pods whose priorityClassName is none of ${list}, and pods without one`,
      };
    case 'Exists':
      return { takesIn: 'pods', meaning: 'pods with a priorityClassName' };
    default:
      return { takesIn: 'pods', meaning: 'pods without a priorityClassName' };
  }
}
