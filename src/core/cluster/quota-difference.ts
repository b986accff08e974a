import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../kubernetes/objects/quota.js';
import { scopesOf, scopeText } from '../kubernetes/quota-scopes.js';
import { amountChanges, objectChange, type NamedChange, type ObjectChange } from './object-change.js';

/** How the spec of one ResourceQuota differs. Of a quota that was added or removed everything counts as added or removed. */
export interface QuotaDifference {
  readonly namespace: string;
  readonly name: string;
  readonly change: ObjectChange;
  /** Amounts in `spec.hard`, by resource; amounts that differ only in notation are the same. */
  readonly hard: readonly NamedChange[];
  /** In Go's notation, `{PriorityClass In [high]}`, `spec.scopes` first. The order of scopes and values is not compared. */
  readonly scopesAdded: readonly string[];
  readonly scopesRemoved: readonly string[];
}

/** The difference of a quota in two states, at least one of which has it; undefined if the specs mean the same. */
export function quotaDifference(
  before: ResourceQuota | undefined,
  after: ResourceQuota | undefined,
): QuotaDifference | undefined {
  if (before === after) return undefined;
  const { namespace = 'default', name } = (after ?? before)!.metadata;
  const [former, present] = [before, after].map((quota) => scopesByMeaning(quota));
  const difference: QuotaDifference = {
    namespace,
    name,
    change: objectChange(before, after),
    hard: amountChanges(before?.spec?.hard, after?.spec?.hard),
    scopesAdded: missing(present!, former!),
    scopesRemoved: missing(former!, present!),
  };
  const { change, hard, scopesAdded, scopesRemoved } = difference;
  const same = hard.length + scopesAdded.length + scopesRemoved.length === 0;
  return change === 'changed' && same ? undefined : difference;
}

const scopesByMeaning = (quota: ResourceQuota | undefined): ReadonlyMap<string, ScopedResourceSelectorRequirement> =>
  new Map(
    scopesOf(quota ?? {}).map((scope) => [
      JSON.stringify([scope.scopeName, scope.operator, [...(scope.values ?? [])].sort()]),
      scope,
    ]),
  );

const missing = (
  from: ReadonlyMap<string, ScopedResourceSelectorRequirement>,
  among: ReadonlyMap<string, unknown>,
): string[] => [...from].filter(([key]) => !among.has(key)).map(([, scope]) => scopeText(scope));
