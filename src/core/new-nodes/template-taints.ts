import type { Taint } from '../kubernetes/objects/taints.js';
import { describeTaintKey } from '../kubernetes/well-known-taints.js';

/** Taints that show the condition of a node, and those that the autoscaler sets itself. */
const IGNORED: ReadonlySet<string> = new Set([
  'ToBeDeletedByClusterAutoscaler',
  'DeletionCandidateOfClusterAutoscaler',
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/network-unavailable',
  'node.kubernetes.io/pid-pressure',
  'node.cloudprovider.kubernetes.io/uninitialized',
  'node.cloudprovider.kubernetes.io/shutdown',
  'cloud.google.com/impending-node-termination',
  'NodeWithImpairedVolumes',
]);

const IGNORED_PREFIXES = ['ignore-taint', 'startup-taint', 'status-taint'].map(
  (name) => `${name}.cluster-autoscaler.kubernetes.io/`,
);

const isIgnored = ({ key }: Taint): boolean =>
  IGNORED.has(key) || IGNORED_PREFIXES.some((prefix) => key.startsWith(prefix));

/** The taints of a template of the cluster autoscaler, by what it makes of them. */
export interface TemplateTaints {
  /** Those that a node keeps. */
  readonly taints: readonly Taint[];
  /** Those that go before pods come. */
  readonly startupTaints: readonly Taint[];
  /** The startup taints that the autoscaler counts nevertheless, unless --startup-taint names them: its flags are not stored. */
  readonly undeclaredTaints: readonly Taint[];
}

/**
 * Sorts the taints of a template. The autoscaler treats one that it has made of a node like one of annotations.
 *
 * Source: kubernetes/autoscaler, cluster-autoscaler 1.36.1, cluster-autoscaler/utils/taints/taints.go, `SanitizeTaints`;
 * cluster-autoscaler/simulator/node_info_utils.go, `SanitizedTemplateNodeInfoFromNodeGroup`.
 */
export function templateTaints(taints: readonly Taint[]): TemplateTaints {
  const undeclared = taints.filter((taint) => !isIgnored(taint) && describeTaintKey(taint.key)?.transient === true);
  return {
    taints: taints.filter((taint) => !isIgnored(taint) && !undeclared.includes(taint)),
    startupTaints: taints.filter((taint) => isIgnored(taint) || undeclared.includes(taint)),
    undeclaredTaints: undeclared,
  };
}
