import { aggregateText } from './error-aggregate.js';
import { invalid, notSupported, type FieldError } from './field-error.js';
import { FieldPath } from './field-path.js';
import type { Labels } from './objects/meta.js';
import type { Node } from './objects/node.js';
import type { PodSpec, PreferredSchedulingTerm } from './objects/pod.js';
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from './objects/selectors.js';
import { newRequirement, stringList, type Requirement, type SelectionOperator } from './requirement.js';
import { selectorFromSet, type Selector } from './selector.js';

/** A requirement on a field of the node. Only `metadata.name` exists; any other field is the empty string. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A term that is not empty: all requirements are ANDed. A term with errors matches nothing. */
export interface CompiledNodeSelectorTerm {
  /** The index of the term in its original list. */
  readonly index: number;
  readonly labels: readonly Requirement[];
  readonly fields: readonly FieldRequirement[];
  readonly errors: readonly FieldError[];
}

/** Whether the node matches; if not, with the errors of invalid terms and Kubernetes' message about them. */
export type NodeSelectorMatch =
  | { readonly matches: true }
  | { readonly matches: false; readonly errors?: readonly FieldError[]; readonly message?: string };

/** A compiled node selector: terms are ORed, and empty terms are omitted. */
export interface CompiledNodeSelector {
  readonly terms: readonly CompiledNodeSelectorTerm[];
}

/**
 * Compiles a node selector. Invalid terms remain, with their errors, because another term may match.
 *
 * Source: k8s.io/component-helpers v0.36.2, scheduling/corev1/nodeaffinity, `NewLazyErrorNodeSelector`.
 */
export function compileNodeSelector(selector: NodeSelector, path?: FieldPath): CompiledNodeSelector {
  const at = path?.child('nodeSelectorTerms') ?? FieldPath.of('nodeSelectorTerms');
  const terms = (selector.nodeSelectorTerms ?? []).flatMap((term, index) => {
    const compiled = compileTerm(term, index, at.index(index));
    return compiled === undefined ? [] : [compiled];
  });
  return { terms };
}

/**
 * Whether a node matches one of the terms. Errors are returned only if no term matches.
 *
 * Source: k8s.io/component-helpers v0.36.2, scheduling/corev1/nodeaffinity, `LazyErrorNodeSelector.Match`.
 */
export function matchCompiledNodeSelector(selector: CompiledNodeSelector, node: Node): NodeSelectorMatch {
  const labels = node.metadata.labels ?? {};
  if (selector.terms.some((term) => matchesTerm(term, node.metadata.name, labels))) return { matches: true };
  const errors = selector.terms.flatMap((term) => term.errors);
  return errors.length === 0 ? { matches: false } : { matches: false, errors, message: aggregateText(errors) };
}

/** `corev1.MatchNodeSelectorTerms`: compiles the selector and matches it. */
export function matchNodeSelector(selector: NodeSelector, node: Node): NodeSelectorMatch {
  return matchCompiledNodeSelector(compileNodeSelector(selector), node);
}

/** Whether a node with this name and these labels matches a term. */
export function matchesTerm(term: CompiledNodeSelectorTerm, name: string, labels: Labels): boolean {
  return (
    term.errors.length === 0 &&
    term.labels.every((requirement) => requirement.matches(labels)) &&
    // A node without a name has no fields, and upstream then ignores field requirements.
    (name === '' || term.fields.every((requirement) => matchesField(requirement, name)))
  );
}

/** Whether the node with this name (never empty) meets a requirement on a field. */
export function matchesField({ field, operator, value }: FieldRequirement, name: string): boolean {
  const given = field === 'metadata.name' ? name : '';
  return (given === value) === (operator === '=');
}

/**
 * A pod's requirements on its node: `spec.nodeSelector`, and the required terms of its node affinity. A node must meet both.
 */
export interface RequiredNodeAffinity {
  readonly nodeSelector: Selector | undefined;
  readonly affinity: CompiledNodeSelector | undefined;
}

/** `nodeaffinity.GetRequiredNodeAffinity`. The node selector's labels are not validated. */
export function requiredNodeAffinity(pod: { readonly spec: PodSpec }): RequiredNodeAffinity {
  const { nodeSelector = {}, affinity } = pod.spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    nodeSelector: Object.keys(nodeSelector).length === 0 ? undefined : selectorFromSet(nodeSelector),
    affinity: required === undefined ? undefined : compileNodeSelector(required),
  };
}

/** `RequiredNodeAffinity.Match`: if a node does not match the node selector, errors of the affinity are not reported. */
export function matchRequiredNodeAffinity(required: RequiredNodeAffinity, node: Node): NodeSelectorMatch {
  if (required.nodeSelector?.matches(node.metadata.labels ?? {}) === false) return { matches: false };
  return required.affinity === undefined ? { matches: true } : matchCompiledNodeSelector(required.affinity, node);
}

export interface CompiledPreferredTerm {
  readonly term: CompiledNodeSelectorTerm;
  readonly weight: number;
}

/**
 * Compiles preferred terms. Terms with weight 0 and empty terms are skipped without validation. One invalid term makes the
 * whole list invalid.
 *
 * Source: k8s.io/component-helpers v0.36.2, scheduling/corev1/nodeaffinity, `NewPreferredSchedulingTerms`.
 */
export function compilePreferredTerms(
  terms: readonly PreferredSchedulingTerm[],
  path?: FieldPath,
):
  | { readonly terms: readonly CompiledPreferredTerm[] }
  | { readonly errors: readonly FieldError[]; readonly message: string } {
  const compiled = terms.flatMap(({ weight, preference }, index) => {
    const term =
      weight === 0 ? undefined : compileTerm(preference, index, path?.index(index) ?? FieldPath.of(`[${index}]`));
    return term === undefined ? [] : [{ term, weight }];
  });
  const errors = compiled.flatMap(({ term }) => term.errors);
  return errors.length > 0 ? { errors, message: aggregateText(errors) } : { terms: compiled };
}

const OPERATORS: ReadonlyMap<string, SelectionOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
]);

function compileTerm(term: NodeSelectorTerm, index: number, path: FieldPath): CompiledNodeSelectorTerm | undefined {
  const expressions = term.matchExpressions ?? [];
  const matchFields = term.matchFields ?? [];
  if (expressions.length === 0 && matchFields.length === 0) return undefined;
  const labels: Requirement[] = [];
  const fields: FieldRequirement[] = [];
  const errors: FieldError[] = [];
  for (const [position, expression] of expressions.entries()) {
    const result = compileExpression(expression, path.child('matchExpressions').index(position));
    if ('requirement' in result) labels.push(result.requirement);
    else errors.push(...result.errors);
  }
  for (const [position, expression] of matchFields.entries()) {
    const result = compileField(expression, path.child('matchFields').index(position));
    if ('requirement' in result) fields.push(result.requirement);
    else errors.push(result.error);
  }
  return { index, labels, fields, errors };
}

function compileExpression(
  { key, operator, values }: NodeSelectorRequirement,
  path: FieldPath,
): ReturnType<typeof newRequirement> {
  const known = OPERATORS.get(operator);
  if (known === undefined) return { errors: [notSupported(path.child('operator'), operator, [...OPERATORS.keys()])] };
  return newRequirement(key, known, values, path);
}

function compileField(
  { key, operator, values }: NodeSelectorRequirement,
  path: FieldPath,
): { readonly requirement: FieldRequirement } | { readonly error: FieldError } {
  if (operator !== 'In' && operator !== 'NotIn') {
    return { error: notSupported(path.child('operator'), operator, ['In', 'NotIn']) };
  }
  const [value, ...more] = values ?? [];
  if (value === undefined || more.length > 0) {
    return { error: invalid(path.child('values'), { text: stringList(values) }, 'must have one element') };
  }
  return { requirement: { field: key, operator: operator === 'In' ? '=' : '!=', value } };
}
