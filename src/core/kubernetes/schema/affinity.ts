import type {
  Affinity,
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  PreferredSchedulingTerm,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from '../objects/pod.js';
import { list, object } from './containers.js';
import { labelSelector, nodeSelector, nodeSelectorTerm } from './metadata.js';
import { int32, string } from './scalars.js';
import { required } from './schema.js';

/** `v1.PreferredSchedulingTerm`. */
const preferredSchedulingTerm = object<PreferredSchedulingTerm>({
  preference: required(nodeSelectorTerm),
  weight: required(int32),
});

/** `v1.NodeAffinity`. */
const nodeAffinity = object<NodeAffinity>({
  preferredDuringSchedulingIgnoredDuringExecution: list(preferredSchedulingTerm),
  requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
});

/** `v1.PodAffinityTerm`. */
const podAffinityTerm = object<PodAffinityTerm>({
  labelSelector,
  matchLabelKeys: list(string),
  mismatchLabelKeys: list(string),
  namespaceSelector: labelSelector,
  namespaces: list(string),
  topologyKey: required(string),
});

/** `v1.WeightedPodAffinityTerm`. */
const weightedPodAffinityTerm = object<WeightedPodAffinityTerm>({
  podAffinityTerm: required(podAffinityTerm),
  weight: required(int32),
});

/** `v1.PodAffinity`. */
const podAffinity = object<PodAffinity>({
  preferredDuringSchedulingIgnoredDuringExecution: list(weightedPodAffinityTerm),
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
});

/** `v1.PodAntiAffinity`. */
const podAntiAffinity = object<PodAffinity>({
  preferredDuringSchedulingIgnoredDuringExecution: list(weightedPodAffinityTerm),
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
});

/** `v1.Affinity`. */
export const affinity = object<Affinity>({
  nodeAffinity,
  podAffinity,
  podAntiAffinity,
});

/** `v1.TopologySpreadConstraint`. */
export const topologySpreadConstraint = object<TopologySpreadConstraint>({
  labelSelector,
  matchLabelKeys: list(string),
  maxSkew: required(int32),
  minDomains: int32,
  nodeAffinityPolicy: string,
  nodeTaintsPolicy: string,
  topologyKey: required(string),
  whenUnsatisfiable: required(string),
});
