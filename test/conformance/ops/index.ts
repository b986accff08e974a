import type { Op } from '../op.js';
import { admitPod } from './admit-pod.js';
import { admissionPolicy } from './admission-policy.js';
import { admitTolerations } from './admit-tolerations.js';
import { cgroup } from './cgroup.js';
import { daemonPod } from './daemon-pod.js';
import { declaredFeatures } from './declared-features.js';
import { describeNode } from './describe-node.js';
import { describeTaints } from './describe-taints.js';
import { describeTolerations } from './describe-tolerations.js';
import { deviceEviction } from './device-eviction.js';
import { deviceTolerates } from './device-tolerates.js';
import { draFilter } from './dra-filter.js';
import { drain } from './drain.js';
import { evictionRank } from './eviction-rank.js';
import { evictionTime } from './eviction-time.js';
import { filterCluster } from './filter-cluster.js';
import { filterNode } from './filter-node.js';
import { labelSelector } from './label-selector.js';
import { limitRanger } from './limit-ranger.js';
import { minTolerationTime } from './min-toleration-time.js';
import { nodeSelector } from './node-selector.js';
import { pdb } from './pdb.js';
import { podDefaults } from './pod-defaults.js';
import { podLimits } from './pod-limits.js';
import { podNodeSelector } from './pod-node-selector.js';
import { podRequests } from './pod-requests.js';
import { podSecurity } from './pod-security.js';
import { podTolerationRestriction } from './pod-toleration-restriction.js';
import { preempt } from './preempt.js';
import { priority } from './priority.js';
import { qos } from './qos.js';
import { quantity } from './quantity.js';
import { quotaConstraints } from './quota-constraints.js';
import { quotaMatches } from './quota-matches.js';
import { quotaScopes } from './quota-scopes.js';
import { quotaUsage } from './quota-usage.js';
import { runtimeClass } from './runtime-class.js';
import { scheduleSequence } from './schedule-sequence.js';
import { schedulerConfig } from './scheduler-config.js';
import { scoreCluster, scoreNodes } from './score-nodes.js';
import { selectorString } from './selector-string.js';
import { tolerates } from './tolerates.js';
import { untolerated } from './untolerated.js';
import { validateLimitRange } from './validate-limit-range.js';
import { validateNode } from './validate-node.js';
import { validatePDB } from './validate-pdb.js';
import { validatePod } from './validate-pod.js';
import { validateResourceQuota } from './validate-resource-quota.js';
import { validateRuntimeClass } from './validate-runtime-class.js';
import { validateTaints } from './validate-taints.js';
import { validateTolerations } from './validate-tolerations.js';
import { volumeFilters } from './volume-filters.js';
import { workload } from './workload.js';

/** Every op of the vectors that this project implements, by name. */
export const ops: ReadonlyMap<string, Op> = new Map<string, Op>([
  ['admitPod', admitPod],
  ['admissionPolicy', admissionPolicy],
  ['admitTolerations', admitTolerations],
  ['cgroup', cgroup],
  ['daemonPod', daemonPod],
  ['declaredFeatures', declaredFeatures],
  ['describeNode', describeNode],
  ['describeTaints', describeTaints],
  ['describeTolerations', describeTolerations],
  ['deviceEviction', deviceEviction],
  ['deviceTolerates', deviceTolerates],
  ['draFilter', draFilter],
  ['drain', drain],
  ['evictionRank', evictionRank],
  ['evictionTime', evictionTime],
  ['filterCluster', filterCluster],
  ['filterNode', filterNode],
  ['labelSelector', labelSelector],
  ['limitRanger', limitRanger],
  ['minTolerationTime', minTolerationTime],
  ['nodeSelector', nodeSelector],
  ['pdb', pdb],
  ['podDefaults', podDefaults],
  ['podLimits', podLimits],
  ['podNodeSelector', podNodeSelector],
  ['podRequests', podRequests],
  ['podSecurity', podSecurity],
  ['podTolerationRestriction', podTolerationRestriction],
  ['preempt', preempt],
  ['priority', priority],
  ['qos', qos],
  ['quantity', quantity],
  ['quotaConstraints', quotaConstraints],
  ['quotaMatches', quotaMatches],
  ['quotaScopes', quotaScopes],
  ['quotaUsage', quotaUsage],
  ['runtimeClass', runtimeClass],
  ['scheduleSequence', scheduleSequence],
  ['schedulerConfig', schedulerConfig],
  ['scoreCluster', scoreCluster],
  ['scoreNodes', scoreNodes],
  ['selectorString', selectorString],
  ['tolerates', tolerates],
  ['untolerated', untolerated],
  ['validateLimitRange', validateLimitRange],
  ['validateNode', validateNode],
  ['validatePDB', validatePDB],
  ['validatePod', validatePod],
  ['validateResourceQuota', validateResourceQuota],
  ['validateRuntimeClass', validateRuntimeClass],
  ['validateTaints', validateTaints],
  ['validateTolerations', validateTolerations],
  ['volumeFilters', volumeFilters],
  ['workload', workload],
]);
