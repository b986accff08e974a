import type { Container, Pod, PodAffinity, PodSpec, TopologySpreadConstraint } from './objects/pod.js';

/** The parts of a question that a difference of rules may affect. */
export interface RuleSubject {
  readonly pod: Pod;
  /** Whether the pod does not tolerate the taints of some node; if absent, unknown, which counts as true. */
  readonly untoleratedTaints?: boolean;
  /** Whether the response ranks nodes by score. */
  readonly scored?: boolean;
}

/** The stable code of a difference: codes may be added, but never renamed. */
export type RuleDifferenceCode =
  | 'spread-inclusion-policies'
  | 'spread-min-domains'
  | 'spread-match-label-keys'
  | 'scheduling-gates'
  | 'sidecar-containers'
  | 'affinity-match-label-keys'
  | 'in-place-resize'
  | 'pod-level-resources'
  | 'dynamic-resource-allocation'
  | 'message-names-taint'
  | 'comparison-operators'
  | 'declared-features'
  | 'pod-level-resize'
  | 'dra-extended-resources'
  | 'balanced-allocation-score'
  | 'newer-than-rules'
  | 'feature-gate-not-evaluated';

/** A change of a rule in some version. Older versions, with every feature gate at its default, apply another rule. */
export interface RuleChange {
  readonly code: RuleDifferenceCode;
  /** The first minor version with today's rule by default. */
  readonly since: string;
  /** The patch releases of older minor versions that have it, too. */
  readonly backports?: readonly string[];
  readonly message: string;
  readonly touches: (question: RuleSubject) => boolean;
}

/**
 * The changes of scheduling rules up to v1.36 that can affect a response, oldest first. Versions come from k8s.io/kubernetes
 * v1.36.2, pkg/features/kube_features.go; for a change without a gate, from the release notes.
 */
export const ruleChanges: readonly RuleChange[] = [
  {
    code: 'spread-inclusion-policies',
    since: '1.26',
    message:
      'Before 1.26 nodeAffinityPolicy and nodeTaintsPolicy of a topology spread constraint are not read: node affinity is honoured and taints are ignored.',
    touches: ({ pod }) =>
      spreads(pod).some(
        ({ nodeAffinityPolicy, nodeTaintsPolicy }) =>
          nodeAffinityPolicy !== undefined || nodeTaintsPolicy !== undefined,
      ),
  },
  {
    code: 'spread-min-domains',
    since: '1.27',
    message: 'Before 1.27 minDomains of a topology spread constraint is not read by default.',
    touches: ({ pod }) => spreads(pod).some(({ minDomains }) => minDomains !== undefined),
  },
  {
    code: 'spread-match-label-keys',
    since: '1.27',
    message:
      'Before 1.27 matchLabelKeys of a topology spread constraint is not read by default: pods of every revision count.',
    touches: ({ pod }) => spreads(pod).some(({ matchLabelKeys = [] }) => matchLabelKeys.length > 0),
  },
  {
    code: 'scheduling-gates',
    since: '1.27',
    message: 'Before 1.27 scheduling gates are not read by default: the pod is scheduled at once.',
    touches: ({ pod }) => (pod.spec.schedulingGates?.length ?? 0) > 0,
  },
  {
    code: 'sidecar-containers',
    since: '1.29',
    message:
      'Before 1.29 restartPolicy of an init container is not read by default: a sidecar counts as an ordinary init container, so the pod requests less.',
    touches: ({ pod }) => pod.spec.initContainers?.some(({ restartPolicy }) => restartPolicy === 'Always') ?? false,
  },
  {
    code: 'affinity-match-label-keys',
    since: '1.31',
    message: 'Before 1.31 matchLabelKeys and mismatchLabelKeys of pod affinity are not read by default.',
    touches: ({ pod }) =>
      affinityTerms(pod.spec).some(
        ({ matchLabelKeys = [], mismatchLabelKeys = [] }) => matchLabelKeys.length + mismatchLabelKeys.length > 0,
      ),
  },
  {
    code: 'in-place-resize',
    since: '1.33',
    message:
      'Before 1.33 a pod occupies what its spec requests; since then, what the kubelet has allocated counts too while a resize is under way.',
    touches: ({ pod }) =>
      [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].some(
        ({ allocatedResources, resources }) => allocatedResources !== undefined || resources !== undefined,
      ),
  },
  {
    code: 'pod-level-resources',
    since: '1.34',
    message:
      'Before 1.34 requests and limits of the pod as a whole are not read by default: only its containers count.',
    touches: ({ pod }) => pod.spec.resources !== undefined,
  },
  {
    code: 'dynamic-resource-allocation',
    since: '1.34',
    message: 'Before 1.34 resource claims are off by default: the pod is placed, if at all, without regard to them.',
    touches: ({ pod }) => (pod.spec.resourceClaims?.length ?? 0) > 0,
  },
  {
    code: 'message-names-taint',
    since: '1.35',
    backports: ['1.34.2'],
    message:
      "Before 1.35, and before 1.34.2, the scheduler's message names the untolerated taint: node(s) had untolerated taint {key: value}. Since then it says node(s) had untolerated taint(s).",
    touches: ({ untoleratedTaints = true }) => untoleratedTaints,
  },
  {
    code: 'comparison-operators',
    since: '1.35',
    message:
      'Before 1.35 a toleration knows no operators Lt and Gt; since then they are an alpha feature, off by default (TaintTolerationComparisonOperators).',
    touches: ({ pod }) => pod.spec.tolerations?.some(({ operator }) => operator === 'Lt' || operator === 'Gt') ?? false,
  },
  {
    code: 'declared-features',
    since: '1.36',
    message:
      'Before 1.36 the scheduler does not ask, by default, whether a node declares the features that a pod needs.',
    touches: ({ pod }) =>
      containers(pod.spec).some(({ restartPolicyRules = [] }) =>
        restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
      ) ||
      (pod.spec.hostNetwork === true && pod.spec.hostUsers === false),
  },
  {
    code: 'pod-level-resize',
    since: '1.36',
    message:
      'Before 1.36 what was allocated to a pod as a whole does not count while its pod-level resources are resized in place.',
    touches: ({ pod }) => pod.status?.allocatedResources !== undefined || pod.status?.resources !== undefined,
  },
  {
    code: 'dra-extended-resources',
    since: '1.36',
    message:
      'Before 1.36 an extended resource is met by what the node counts as allocatable only; since then also by devices of a DeviceClass that names the resource.',
    touches: ({ pod }) =>
      containers(pod.spec).some(({ resources }) => Object.keys(resources?.requests ?? {}).some(isExtendedResource)),
  },
  {
    code: 'balanced-allocation-score',
    since: '1.36',
    message:
      'Before 1.36 NodeResourcesBalancedAllocation scores how balanced a node would be with the pod; since then, by how much the pod changes that balance.',
    touches: ({ scored = false }) => scored,
  },
];

const spreads = (pod: Pod): readonly TopologySpreadConstraint[] => pod.spec.topologySpreadConstraints ?? [];

const containers = (spec: PodSpec): readonly Container[] => [...(spec.initContainers ?? []), ...spec.containers];

const affinityTerms = ({ affinity }: PodSpec) =>
  [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((part: PodAffinity | undefined) => [
    ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);

/**
 * Whether a resource name has a domain other than Kubernetes' own (k8s.io/component-helpers v0.36.2, IsExtendedResourceName).
 */
function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}
