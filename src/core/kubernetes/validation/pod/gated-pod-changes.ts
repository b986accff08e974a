import { invalid, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import { jsonGo, mapGo } from '../../go-text.js';
import type { Affinity } from '../../objects/pod.js';
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../../objects/selectors.js';

/** `validateNodeSelectorMutation`. Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go. */
export function validateNodeSelectorChange(
  now: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
  path: FieldPath,
): FieldError[] {
  const kept = Object.entries(before).every(([key, value]) => Object.hasOwn(now, key) && now[key] === value);
  if (kept) return [];
  const rule = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalid(path, { text: Object.keys(now).length === 0 ? 'null' : mapGo(now) }, rule)];
}

/**
 * `validateNodeAffinityMutation`: the number of required terms must not change, and requirements may only be appended to a
 * term. Preferred terms may change freely.
 */
export function validateNodeAffinityChange(
  now: Affinity | undefined,
  before: Affinity | undefined,
  path: FieldPath,
): FieldError[] {
  const at = path.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  const old = requiredTerms(before);
  const terms = requiredTerms(now);
  if (old.length > 0 && old.length !== terms.length) {
    const shown = { text: terms.length === 0 ? 'null' : `[${terms.map(termGo).join(',')}]` };
    return [invalid(at, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  }
  return old.flatMap((term, index) => {
    const next = terms[index] ?? {};
    if (hasOnlyAdditions(next, term)) return [];
    const rule = 'only additions are allowed (no mutations or deletions)';
    return [invalid(at.index(index), { text: termGo(next) }, rule)];
  });
}

const requiredTerms = (affinity: Affinity | undefined): readonly NodeSelectorTerm[] =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];

/** An empty term, which matches nothing, must remain empty. */
function hasOnlyAdditions(now: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const lists = (['matchExpressions', 'matchFields'] as const).map((name) => [now[name] ?? [], before[name] ?? []]);
  if (lists.every(([, old = []]) => old.length === 0)) return lists.every(([list = []]) => list.length === 0);
  return lists.every(([list = [], old = []]) =>
    old.every((requirement, index) => {
      const next = list[index];
      return next !== undefined && identity(next) === identity(requirement);
    }),
  );
}

const identity = ({ key, operator, values = [] }: NodeSelectorRequirement): string =>
  JSON.stringify([key, operator, values]);

/** A term in Go's JSON of the internal type. */
const termGo = ({ matchExpressions, matchFields }: NodeSelectorTerm): string =>
  jsonGo({
    MatchExpressions: matchExpressions?.map(requirementGo) ?? null,
    MatchFields: matchFields?.map(requirementGo) ?? null,
  });

const requirementGo = ({ key, operator, values }: NodeSelectorRequirement): object => ({
  Key: key,
  Operator: operator,
  Values: values ?? null,
});
