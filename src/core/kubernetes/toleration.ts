import { DEFAULT_RULES, type KubernetesRules } from './kubernetes-rules.js';
import type { Taint, Toleration } from './objects/taints.js';
import { parseInt64 } from './parse-int64.js';
import { isDecimalInteger } from './validation/names.js';

/** The feature gates that affect how tolerations match. */
export interface TolerationGates {
  /** `TaintTolerationComparisonOperators`, off by default: whether `Lt` and `Gt` match anything. */
  readonly comparisonOperators: boolean;
  /** The rules of the API server and the scheduler that these gates are set on. */
  readonly rules: KubernetesRules;
}

const gatesByRules = new Map<KubernetesRules, Record<'on' | 'off', TolerationGates>>();

/**
 * The gates of a cluster's rules; the same object each time. `TaintTolerationComparisonOperators` is as the rules have it unless
 * another value is wanted, and does not exist before 1.35.
 */
export function gatesOf(
  rules: KubernetesRules,
  wanted: boolean = rules.featureGates.TaintTolerationComparisonOperators,
): TolerationGates {
  let gates = gatesByRules.get(rules);
  if (gates === undefined) {
    gates = { on: { comparisonOperators: rules.minor >= 35, rules }, off: { comparisonOperators: false, rules } };
    gatesByRules.set(rules, gates);
  }
  return wanted ? gates.on : gates.off;
}

/** The defaults of these feature gates in the newest version. */
export const DEFAULT_GATES: TolerationGates = gatesOf(DEFAULT_RULES);

/** The rules that gates are set on. */
export const rulesOfGates = ({ rules }: TolerationGates): KubernetesRules => rules;

/**
 * Whether a toleration matches a taint.
 *
 * An empty effect matches every effect, and an empty key matches every key, whatever the operator: that an empty key requires
 * `Exists` is a rule of validation only. An empty operator means `Equal`; an unknown one matches nothing. `Gt` matches if the
 * value of the **taint** is greater.
 *
 * Source: k8s.io/api v0.36.2, core/v1/toleration.go, `Toleration.ToleratesTaint`.
 */
export function toleratesTaint(toleration: Toleration, taint: Taint, gates: TolerationGates): boolean {
  if (isSet(toleration.effect) && toleration.effect !== taint.effect) return false;
  if (isSet(toleration.key) && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? '') {
    case '':
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '');
    case 'Exists':
      return true;
    case 'Lt':
      return gates.comparisonOperators && comparison(taint, toleration) < 0;
    case 'Gt':
      return gates.comparisonOperators && comparison(taint, toleration) > 0;
    default:
      return false;
  }
}

/** The index of the first toleration that matches the taint, or -1. */
export function indexOfTolerating(tolerations: readonly Toleration[], taint: Taint, gates: TolerationGates): number {
  return tolerations.findIndex((toleration) => toleratesTaint(toleration, taint, gates));
}

/**
 * The first taint that no toleration matches, among those with one of the effects (or among all taints, without effects).
 *
 * Source: k8s.io/component-helpers v0.36.2, scheduling/corev1/helpers.go, `FindMatchingUntoleratedTaint`.
 */
export function findUntolerated(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
  effects: readonly string[] | undefined,
  gates: TolerationGates,
): Taint | undefined {
  return taints.find(
    (taint) =>
      (effects === undefined || effects.includes(taint.effect)) && indexOfTolerating(tolerations, taint, gates) === -1,
  );
}

/**
 * Whether two tolerations are the same to Kubernetes: key, operator, effect and value are compared as written,
 * `tolerationSeconds` is not (`Toleration.MatchToleration`). An empty operator and `Equal` are different.
 */
export function matchesToleration(a: Toleration, b: Toleration): boolean {
  return (
    (a.key ?? '') === (b.key ?? '') &&
    (a.effect ?? '') === (b.effect ?? '') &&
    (a.operator ?? '') === (b.operator ?? '') &&
    (a.value ?? '') === (b.value ?? '')
  );
}

/**
 * The list with a toleration added. If the list has tolerations that are the same to Kubernetes, it replaces each of them,
 * including `tolerationSeconds`; otherwise it is appended. Upstream intends to skip unchanged tolerations, but replaces them,
 * too, because it compares a pointer with a value.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/helper/helpers.go, `AddOrUpdateTolerationInPod`.
 */
export function addOrUpdateToleration(tolerations: readonly Toleration[], added: Toleration): readonly Toleration[] {
  return tolerations.some((own) => matchesToleration(own, added))
    ? tolerations.map((own) => (matchesToleration(own, added) ? added : own))
    : [...tolerations, added];
}

const isSet = (text: string | undefined): boolean => text !== undefined && text !== '';

/**
 * The sign of the taint's value minus the toleration's; NaN (for which every comparison is false) if either is not an integer.
 */
function comparison(taint: Taint, toleration: Toleration): number {
  const wanted = canonicalInt64(toleration.value ?? '');
  const given = canonicalInt64(taint.value ?? '');
  if (wanted === undefined || given === undefined) return NaN;
  return given < wanted ? -1 : given > wanted ? 1 : 0;
}

function canonicalInt64(text: string): bigint | undefined {
  if (isDecimalInteger(text).length > 0) return undefined;
  const parsed = parseInt64(text);
  return 'value' in parsed ? parsed.value : undefined;
}
