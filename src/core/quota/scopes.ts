import { aggregateText } from '../kubernetes/error-aggregate.js';
import { quoteGo } from '../kubernetes/field-error.js';
import type { Affinity, Pod, PodAffinityTerm, PodSpec } from '../kubernetes/objects/pod.js';
import type { ScopedResourceSelectorRequirement } from '../kubernetes/objects/quota.js';
import { scopeText } from '../kubernetes/quota-scopes.js';
import { newRequirement, type SelectionOperator } from '../kubernetes/requirement.js';
import { podQos } from '../resources/qos.js';

export { scopesOf, scopeText } from '../kubernetes/quota-scopes.js';

/** An invalid scope, such as PriorityClass with an unknown operator. */
export class QuotaScopeError extends Error {
  override readonly name = 'QuotaScopeError';
}

/** The fields of a pod that scopes read. */
export interface ScopeFacts {
  /** `spec.activeDeadlineSeconds` is set and not negative; whether the pod is being deleted does not matter. */
  readonly terminating: boolean;
  /** The QoS class in the status, or else the computed one. */
  readonly bestEffort: boolean;
  /** Empty if there is none. */
  readonly priorityClassName: string;
  /** Whether a term of its pod affinity or anti-affinity, required or preferred, names or selects namespaces. */
  readonly crossNamespaceAffinity: boolean;
}

/**
 * The fields of a pod that scopes of quotas read, computed once.
 *
 * @throws QuantityError for an invalid quantity
 */
export function scopeFactsOf(pod: Pick<Pod, 'spec' | 'status'>): ScopeFacts {
  return {
    terminating: isTerminating(pod.spec),
    bestEffort: podQos(pod) === 'BestEffort',
    priorityClassName: pod.spec.priorityClassName ?? '',
    crossNamespaceAffinity: usesOtherNamespaces(pod.spec.affinity),
  };
}

/** Whether the scope Terminating matches a pod (`IsTerminating`). */
export function isTerminating({ activeDeadlineSeconds }: PodSpec): boolean {
  return activeDeadlineSeconds !== undefined && activeDeadlineSeconds >= 0;
}

/**
 * Whether a pod matches a scope (`podMatchesScopeFunc`, k8s.io/kubernetes v1.36.2,
 * pkg/quota/v1/evaluator/core/pods.go).
 *
 * Only PriorityClass evaluates the operator: `BestEffort` with `DoesNotExist` matches best-effort pods. A scope that
 * does not apply to pods, such as VolumeAttributesClass, matches none.
 *
 * @throws QuotaScopeError if PriorityClass has no valid operator, or values that do not fit it
 */
export function matchesScope(facts: ScopeFacts, scope: ScopedResourceSelectorRequirement): boolean {
  switch (scope.scopeName) {
    case 'Terminating':
      return facts.terminating;
    case 'NotTerminating':
      return !facts.terminating;
    case 'BestEffort':
      return facts.bestEffort;
    case 'NotBestEffort':
      return !facts.bestEffort;
    case 'PriorityClass':
      return matchesPriorityClass(facts.priorityClassName, scope);
    case 'CrossNamespacePodAffinity':
      return facts.crossNamespaceAffinity;
    default:
      return false;
  }
}

/**
 * Whether a pod matches all scopes; without scopes every pod matches.
 *
 * @throws QuotaScopeError as `matchesScope`, regardless of the other scopes
 */
export function matchesScopes(facts: ScopeFacts, scopes: readonly ScopedResourceSelectorRequirement[]): boolean {
  let matches = true;
  for (const scope of scopes) if (!matchesScope(facts, scope)) matches = false;
  return matches;
}

/** The error of `MatchingScopes` for an invalid scope. */
export const scopeFault = (scope: ScopedResourceSelectorRequirement, error: QuotaScopeError): string =>
  `error on matching scope ${scopeText(scope)}: ${error.message}`;

const OPERATORS: ReadonlyMap<string, SelectionOperator> = new Map<string, SelectionOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** A pod without a class is `NotIn` any list, as with labels. */
function matchesPriorityClass(className: string, scope: ScopedResourceSelectorRequirement): boolean {
  // Exists ignores values.
  if (scope.operator === 'Exists') return className !== '';
  const operator = OPERATORS.get(scope.operator);
  const fail = (reason: string): never => {
    throw new QuotaScopeError(`failed to parse and convert selector: ${reason}`);
  };
  if (operator === undefined) return fail(`${quoteGo(scope.operator)} is not a valid scope selector operator`);
  const checked = newRequirement(scope.scopeName, operator, scope.values);
  if ('errors' in checked) return fail(aggregateText(checked.errors));
  return checked.requirement.matchesValue(className === '' ? undefined : className);
}

function usesOtherNamespaces({ podAffinity, podAntiAffinity }: Affinity = {}): boolean {
  const names = ({ namespaces = [], namespaceSelector }: PodAffinityTerm): boolean =>
    namespaces.length > 0 || namespaceSelector !== undefined;
  return [podAffinity, podAntiAffinity].some(
    (affinity) =>
      (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(names) ||
      (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).some(({ podAffinityTerm }) =>
        names(podAffinityTerm),
      ),
  );
}
