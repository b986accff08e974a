import type { FilterPlugin } from './plugin.js';
import { dynamicResources } from './plugins/dynamic-resources/dynamic-resources.js';
import { interPodAffinity } from './plugins/inter-pod-affinity/inter-pod-affinity.js';
import { nodeAffinity } from './plugins/node-affinity/node-affinity.js';
import { nodeDeclaredFeatures } from './plugins/node-declared-features/node-declared-features.js';
import { nodeName } from './plugins/node-name/node-name.js';
import { nodePorts } from './plugins/node-ports/node-ports.js';
import { nodeResourcesFit } from './plugins/node-resources-fit/node-resources-fit.js';
import { nodeUnschedulable } from './plugins/node-unschedulable/node-unschedulable.js';
import { nodeVolumeLimits } from './plugins/node-volume-limits/node-volume-limits.js';
import { podTopologySpread } from './plugins/pod-topology-spread/pod-topology-spread.js';
import { taintToleration } from './plugins/taint-toleration/taint-toleration.js';
import { volumeBinding } from './plugins/volume-binding/volume-binding.js';
import { volumeRestrictions } from './plugins/volume-restrictions/volume-restrictions.js';
import { volumeZone } from './plugins/volume-zone/volume-zone.js';

/**
 * The filters of the default profile, in the order in which Kubernetes v1.36 calls them: a node's first failing filter is
 * the one that its aggregate message names.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/apis/config/v1/default_plugins.go.
 */
export const DEFAULT_FILTERS: readonly FilterPlugin[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
  dynamicResources,
  nodeDeclaredFeatures,
];

/** A rule was asked for that no plugin has the name of. */
export class UnknownRuleError extends Error {
  readonly code = 'unknown-rule';

  constructor(
    readonly rule: string,
    filters: readonly FilterPlugin[],
  ) {
    super(`unknown rule ${JSON.stringify(rule)}: known are ${filters.map(({ name }) => name).join(', ')}`);
    this.name = 'UnknownRuleError';
  }
}

/**
 * The filters that are asked for, in calling order; all of the profile's where nothing is asked for. One of Kubernetes' own that the
 * profile does not have is known, and not asked.
 *
 * @throws UnknownRuleError
 */
export function filtersNamed(
  rules: readonly string[] | undefined,
  ofProfile: readonly FilterPlugin[] = DEFAULT_FILTERS,
): readonly FilterPlugin[] {
  if (rules === undefined) return ofProfile;
  for (const rule of rules) {
    const isKnown = [DEFAULT_FILTERS, ofProfile].some((filters) => filters.some(({ name }) => name === rule));
    if (!isKnown) throw new UnknownRuleError(rule, ofProfile);
  }
  return ofProfile.filter(({ name }) => rules.includes(name));
}
