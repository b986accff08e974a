import type { ScopedResourceSelectorRequirement } from '../../../src/core/kubernetes/objects/quota.js';
import { matchesScope, QuotaScopeError, scopeFactsOf, scopeFault } from '../../../src/core/quota/scopes.js';
import type { Op } from '../op.js';
import { podInVector } from './pod-in-vector.js';

/** The scopes to test if a vector names none. */
const ALL: readonly ScopedResourceSelectorRequirement[] = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
].map((scopeName) => ({ scopeName, operator: 'Exists' }));

/** `{pod, scopes}` -> for each scope whether the pod is within it, or `{error}`. */
export const quotaScopes: Op = {
  answer: (input) => {
    const facts = scopeFactsOf(podInVector(input));
    const scopes = (input['scopes'] ?? ALL) as readonly ScopedResourceSelectorRequirement[];
    return scopes.map((scope) => {
      try {
        return matchesScope(facts, scope);
      } catch (error) {
        if (error instanceof QuotaScopeError) return { error: scopeFault(scope, error) };
        throw error;
      }
    });
  },
};
