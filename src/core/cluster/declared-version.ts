import { featureGateIn } from '../kubernetes/feature-gates.js';
import { declaredVersionOf, type DeclaredVersion } from '../kubernetes/cluster-version.js';
import { RULE_GATES, type FeatureGates } from '../kubernetes/kubernetes-rules.js';
import type { ClusterState } from './cluster-state.js';
import { THE_ONE } from './setting.js';

/** The version and feature gates that were declared for a cluster; null if none were. */
export const declaredVersionIn = (state: Pick<ClusterState, 'setting'>): DeclaredVersion | null =>
  declaredVersionOf(state.setting('KubernetesVersion', THE_ONE)?.content);

/**
 * Feature gates that can decide whether a pod is admitted, where it can run, or when it leaves, and that no rule reads: the defaults of
 * each version are what is evaluated.
 *
 * Source: k8s.io/kubernetes v1.36.2, the uses of these gates in pkg/scheduler, pkg/registry/core/pod, pkg/apis/core/validation,
 * plugin/pkg/admission and pkg/controller.
 */
const DECIDING = [
  'ClusterTrustBundleProjection',
  'ContainerStopSignals',
  'DRAAdminAccess',
  'DRADeviceBindingConditions',
  'DRAListTypeAttributes',
  'DRANodeAllocatableResources',
  'DRAPrioritizedList',
  'DRAWorkloadResourceClaims',
  'InPlacePodVerticalScalingExclusiveCPUs',
  'InPlacePodVerticalScalingExclusiveMemory',
  'MutableCSINodeAllocatableCount',
  'MutablePodResourcesForSuspendedJobs',
  'MutableSchedulingDirectivesForSuspendedJobs',
  'OpportunisticBatching',
  'PodCertificateRequest',
  'PodLevelResourceManagers',
  'PodTopologyLabelsAdmission',
  'SchedulerQueueingHints',
  'SeparateTaintEvictionController',
  'StorageCapacityScoring',
  'TopologyAwareWorkloadScheduling',
  'UserNamespacesPodSecurityStandards',
  'VolumeCapacityPriority',
  'VolumeLimitScaling',
  'WorkloadAwarePreemption',
] as const;

/** The gates of a declaration that can decide about pods, differ from the default of a version and are not evaluated; with their values. */
export function gatesNotEvaluated(declared: FeatureGates, minor: number): readonly (readonly [string, boolean])[] {
  const evaluated: ReadonlySet<string> = new Set(RULE_GATES);
  return DECIDING.flatMap((name): readonly (readonly [string, boolean])[] => {
    const value = declared[name];
    const gate = featureGateIn(name, minor);
    if (value === undefined || gate === undefined || gate.locked || evaluated.has(name)) return [];
    return value === gate.enabledByDefault ? [] : [[name, value]];
  });
}
