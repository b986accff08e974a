import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../kubernetes/objects/quota.js';
import { matchesScope, QuotaScopeError, scopeFault, scopesOf, scopeText, type ScopeFacts } from './scopes.js';

/** What a scope of a quota takes in: some pods; nothing that there is; or what no snapshot tells. */
export type ScopeTakesIn = 'pods' | 'nothing' | 'unknown';

/** A scope of a quota, and what it means. */
export interface ScopeMeaning {
  readonly scope: string;
  /** `Exists` for those under `spec.scopes`. */
  readonly operator: string;
  readonly values: readonly string[];
  /** As Go prints it: `{PriorityClass In [high]}`. */
  readonly text: string;
  readonly takesIn: ScopeTakesIn;
  readonly meaning: string;
}

/** No pod in particular. */
const ANY: ScopeFacts = {
  terminating: false,
  bestEffort: false,
  priorityClassName: '',
  crossNamespaceAffinity: false,
};

/** The scopes of a quota in their order, `spec.scopes` first; a pod has to be within all of them. */
export function scopeMeanings(quota: Pick<ResourceQuota, 'spec'>): readonly ScopeMeaning[] {
  return scopesOf(quota).map((scope) => {
    const { scopeName, operator, values = [] } = scope;
    return { scope: scopeName, operator, values, text: scopeText(scope), ...meaningOf(scope) };
  });
}

/** The scopes of a quota that a pod is not within, as Go prints them; one that cannot be matched takes in no pod. */
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
        meaning: 'claims by their VolumeAttributesClass, which no snapshot keeps; no pod is within it',
      };
    default:
      return { takesIn: 'nothing', meaning: 'a scope that Kubernetes v1.36 does not have: no pod is within it' };
  }
}

/** Scopes whose operator nobody looks at. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['Terminating', 'pods with spec.activeDeadlineSeconds; that a pod is being deleted has nothing to do with it'],
  ['NotTerminating', 'pods without spec.activeDeadlineSeconds'],
  ['BestEffort', 'pods of the quality of service BestEffort: no container requests or limits cpu or memory'],
  ['NotBestEffort', 'pods of the quality of service Burstable or Guaranteed'],
  [
    'CrossNamespacePodAffinity',
    'pods with a term of pod affinity or anti-affinity that names namespaces, or selects them',
  ],
]);

function priorityMeaning(scope: ScopedResourceSelectorRequirement): Pick<ScopeMeaning, 'takesIn' | 'meaning'> {
  try {
    matchesScope(ANY, scope);
  } catch (error) {
    if (!(error instanceof QuotaScopeError)) throw error;
    return {
      takesIn: 'nothing',
      meaning: `cannot be matched: the controller counts no pod, and admission answers 500: ${scopeFault(scope, error)}`,
    };
  }
  const list = (scope.values ?? []).join(', ');
  switch (scope.operator) {
    case 'In':
      return { takesIn: 'pods', meaning: `pods whose priorityClassName is one of ${list}` };
    case 'NotIn':
      return {
        takesIn: 'pods',
        meaning: `pods whose priorityClassName is none of ${list}, those without one among them`,
      };
    case 'Exists':
      return { takesIn: 'pods', meaning: 'pods with a priorityClassName' };
    default:
      return { takesIn: 'pods', meaning: 'pods without a priorityClassName' };
  }
}
