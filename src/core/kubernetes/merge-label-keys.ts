import type { Labels } from './objects/meta.js';
import type { Affinity, PodAffinity, PodAffinityTerm, PodSpec } from './objects/pod.js';
import type { LabelSelector } from './objects/selectors.js';

/**
 * A new pod's affinity and spread constraints as the API server stores them, with `matchLabelKeys` and `mismatchLabelKeys`
 * merged into their label selectors, using the pod's own labels. A key without a label adds nothing, and an absent selector is
 * unchanged.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/strategy.go; gates MatchLabelKeysInPodAffinity and
 * MatchLabelKeysInPodTopologySpreadSelectorMerge are on.
 *
 * @example keys `[rev]` of a pod with label `rev=3` add `{key: rev, operator: In, values: ['3']}`
 */
export function mergeLabelKeys<T extends Pick<PodSpec, 'affinity' | 'topologySpreadConstraints'>>(
  spec: T,
  labels: Labels = {},
): T {
  const { affinity, topologySpreadConstraints } = spec;
  return {
    ...spec,
    ...(affinity && { affinity: inAffinity(affinity, labels) }),
    ...(topologySpreadConstraints && {
      topologySpreadConstraints: topologySpreadConstraints.map((constraint) => withSelector(constraint, labels)),
    }),
  };
}

const inAffinity = (affinity: Affinity, labels: Labels): Affinity => ({
  ...affinity,
  ...(affinity.podAffinity && { podAffinity: inPodAffinity(affinity.podAffinity, labels) }),
  ...(affinity.podAntiAffinity && { podAntiAffinity: inPodAffinity(affinity.podAntiAffinity, labels) }),
});

function inPodAffinity(affinity: PodAffinity, labels: Labels): PodAffinity {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: must,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  } = affinity;
  return {
    ...(must && { requiredDuringSchedulingIgnoredDuringExecution: must.map((term) => withSelector(term, labels)) }),
    ...(preferred && {
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map(({ weight, podAffinityTerm }) => ({
        weight,
        podAffinityTerm: withSelector(podAffinityTerm, labels),
      })),
    }),
  };
}

function withSelector<T extends Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>>(
  term: T,
  labels: Labels,
): T {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (labelSelector === undefined || matchLabelKeys.length + mismatchLabelKeys.length === 0) return term;
  const added = [...requirements(matchLabelKeys, 'In', labels), ...requirements(mismatchLabelKeys, 'NotIn', labels)];
  if (added.length === 0) return term;
  const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
  return { ...term, labelSelector: { ...labelSelector, matchExpressions } };
}

const requirements = (
  keys: readonly string[],
  operator: string,
  labels: Labels,
): NonNullable<LabelSelector['matchExpressions']> =>
  keys.filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key]!] }));
