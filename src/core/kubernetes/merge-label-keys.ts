import { eachChanged } from '../collections/each-changed.js';
import { withoutNames } from '../collections/without.js';
import { sameValue } from '../json/same-value.js';
import type { KubernetesRules } from './kubernetes-rules.js';
import type { Labels } from './objects/meta.js';
import type { Affinity, Pod, PodAffinity, PodAffinityTerm, PodSpec } from './objects/pod.js';
import type { LabelSelector } from './objects/selectors.js';

/**
 * A new pod's affinity and spread constraints as the API server stores them, with `matchLabelKeys` and `mismatchLabelKeys`
 * merged into their label selectors, using the pod's own labels. A key without a label adds nothing, and an absent selector is
 * unchanged.
 *
 * Up to 1.33 those of spread constraints stay apart, and the scheduler applies them.
 *
 * Source: k8s.io/kubernetes v1.31.14 to v1.36.2, pkg/registry/core/pod/strategy.go. Where the gates MatchLabelKeysInPodAffinity and
 * MatchLabelKeysInPodTopologySpread are off, the keys were dropped before.
 *
 * @example keys `[rev]` of a pod with label `rev=3` add `{key: rev, operator: In, values: ['3']}`
 */
export function mergeLabelKeys<T extends Spec>(
  spec: T,
  labels: Labels | undefined,
  { featureGates }: KubernetesRules,
): T {
  const isSpread = featureGates.MatchLabelKeysInPodTopologySpreadSelectorMerge;
  return withTerms(spec, isSpread, (term) => withRequirements(term, labels));
}

/** A stored pod as it was sent, without what `mergeLabelKeys` has added. */
export const withUnmergedKeys = (pod: Pod): Pod => ({
  ...pod,
  spec: withTerms(pod.spec, true, (term) => withoutRequirements(term, pod.metadata.labels)),
});

/** A spec without the keys of its affinity. */
export const withoutAffinityKeys = <T extends Spec>(spec: T): T =>
  withTerms(spec, false, (term) => withoutNames(term, AFFINITY_KEYS));

const AFFINITY_KEYS: ReadonlySet<string> = new Set(['matchLabelKeys', 'mismatchLabelKeys']);

/** Whether the affinity of a spec has keys. */
export function hasAffinityKeys({ affinity: { podAffinity, podAntiAffinity } = {} }: Spec): boolean {
  const terms = [podAffinity, podAntiAffinity].flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ matchLabelKeys = [], mismatchLabelKeys = [] }) => matchLabelKeys.length + mismatchLabelKeys.length > 0,
  );
}

type Spec = Pick<PodSpec, 'affinity' | 'topologySpreadConstraints'>;
type Term = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>;
type Change = <T extends Term>(term: T) => T;

function withTerms<T extends Spec>(spec: T, isSpread: boolean, change: Change): T {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const affinity =
    spec.affinity === undefined || (podAffinity === undefined && podAntiAffinity === undefined)
      ? undefined
      : inAffinity(spec.affinity, change);
  const topologySpreadConstraints =
    isSpread && spec.topologySpreadConstraints && eachChanged(spec.topologySpreadConstraints, change);
  if (
    affinity === undefined &&
    (!topologySpreadConstraints || topologySpreadConstraints === spec.topologySpreadConstraints)
  )
    return spec;
  return {
    ...spec,
    ...(affinity && { affinity }),
    ...(topologySpreadConstraints && { topologySpreadConstraints }),
  };
}

const inAffinity = (affinity: Affinity, change: Change): Affinity => ({
  ...affinity,
  ...(affinity.podAffinity && { podAffinity: inPodAffinity(affinity.podAffinity, change) }),
  ...(affinity.podAntiAffinity && { podAntiAffinity: inPodAffinity(affinity.podAntiAffinity, change) }),
});

function inPodAffinity(affinity: PodAffinity, change: Change): PodAffinity {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: must,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  } = affinity;
  return {
    ...(must && { requiredDuringSchedulingIgnoredDuringExecution: must.map(change) }),
    ...(preferred && {
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map(({ weight, podAffinityTerm }) => ({
        weight,
        podAffinityTerm: change(podAffinityTerm),
      })),
    }),
  };
}

function withRequirements<T extends Term>(term: T, labels: Labels | undefined): T {
  const { labelSelector } = term;
  const added = requirementsOf(term, labels);
  if (labelSelector === undefined || added.length === 0) return term;
  const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
  return { ...term, labelSelector: { ...labelSelector, matchExpressions } };
}

function withoutRequirements<T extends Term>(term: T, labels: Labels | undefined): T {
  const { labelSelector } = term;
  const added = requirementsOf(term, labels);
  if (added.length === 0 || labelSelector?.matchExpressions === undefined) return term;
  const { matchExpressions, ...rest } = labelSelector;
  if (!sameValue(matchExpressions.slice(-added.length), added)) return term;
  const left = matchExpressions.slice(0, -added.length);
  return { ...term, labelSelector: { ...rest, ...(left.length > 0 && { matchExpressions: left }) } };
}

type Requirements = NonNullable<LabelSelector['matchExpressions']>;

const requirementsOf = ({ matchLabelKeys = [], mismatchLabelKeys = [] }: Term, labels: Labels = {}): Requirements => [
  ...requirements(matchLabelKeys, 'In', labels),
  ...requirements(mismatchLabelKeys, 'NotIn', labels),
];

const requirements = (keys: readonly string[], operator: string, labels: Labels): Requirements =>
  keys.filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key]!] }));
