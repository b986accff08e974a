import type { TolerationGates } from '../kubernetes/toleration.js';
import { DEFAULT_GATES } from '../placement/evaluate-placement.js';
import { foreignFilter } from '../placement/foreign-filter.js';
import type { PluginArguments } from '../placement/plugin-arguments.js';
import type { FilterPlugin } from '../placement/plugin.js';
import { NAME as NODE_AFFINITY, nodeAffinityWith } from '../placement/plugins/node-affinity/node-affinity.js';
import { NAME as FIT, nodeResourcesFitWith } from '../placement/plugins/node-resources-fit/node-resources-fit.js';
import { NAME as SPREAD, podTopologySpreadWith } from '../placement/plugins/pod-topology-spread/pod-topology-spread.js';
import { DEFAULT_FILTERS } from '../placement/profile.js';
import type { WeightedScore } from '../placement/rank-nodes.js';
import { DEFAULT_SCORES } from '../placement/score-profile.js';
import type { ScorePlugin } from '../placement/score-plugin.js';
import type { ForeignPlugin, SchedulerProfile } from '../scheduler-configuration/scheduler-profile.js';
import type { SchedulingProfile } from './schedule-pod.js';

/** A profile as its pods are placed by it. */
export interface ProfilePlugins extends SchedulingProfile {
  readonly schedulerName: string;
  /** Plugins whose rules are not known here: their filters answer unknown, their scores leave a ranking uncertain. */
  readonly foreign: readonly ForeignPlugin[];
}

/** Points at which a plugin may refuse a pod or a node before one is chosen. */
const REFUSING = ['preEnqueue', 'preFilter', 'filter'] as const;

/**
 * Of Kubernetes' own scores, those that say nothing here: VolumeBinding scores only with a feature gate that is off by default
 * (`StorageCapacityScoring`), DynamicResources only pods with claims, of whose nodes nothing is certain anyway.
 */
const SILENT_SCORES: ReadonlySet<string> = new Set(['VolumeBinding', 'DynamicResources']);

/**
 * The filters and scores of a profile, in calling order, as its arguments make them.
 *
 * A filter that the profile does not have is not asked: without TaintToleration, taints keep no pod off. What is not Kubernetes' own is
 * never left out silently; `withoutForeign` of the profile leaves it out.
 */
export function profilePlugins(profile: SchedulerProfile, gates: TolerationGates = DEFAULT_GATES): ProfilePlugins {
  const { schedulerName, args, foreign, enabled } = profile;
  const foreignNames = new Map(foreign.map((plugin) => [plugin.name, plugin]));
  const filters = profile.filters.flatMap((name): FilterPlugin[] => {
    const own = filterNamed(name, args);
    if (own !== undefined) return [own];
    return foreignNames.has(name) ? [foreignFilter(name, foreignNames.get(name)?.former === true)] : [];
  });
  // One that has no filter may still refuse the pod whole.
  for (const { name, former } of foreign) {
    if (profile.filters.includes(name)) continue;
    if (REFUSING.some((point) => enabled[point].includes(name))) filters.push(foreignFilter(name, former));
  }
  const scores = profile.scores.flatMap(({ name, weight }): WeightedScore[] => {
    if (SILENT_SCORES.has(name)) return [];
    const own = DEFAULT_SCORES.find(({ plugin }) => plugin.name === name)?.plugin;
    return [{ plugin: own ?? foreignScore(name), weight }];
  });
  return { schedulerName, filters, scores, args, gates, foreign };
}

/** One of Kubernetes' own filters, as a profile's arguments make it. */
function filterNamed(name: string, args: PluginArguments): FilterPlugin | undefined {
  const usual = DEFAULT_FILTERS.find((filter) => filter.name === name);
  const { addedAffinity } = args.nodeAffinity;
  const { ignoredResources, ignoredResourceGroups } = args.nodeResourcesFit;
  const { defaultingType, defaultConstraints } = args.podTopologySpread;
  if (name === NODE_AFFINITY && addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined) {
    return nodeAffinityWith(addedAffinity.requiredDuringSchedulingIgnoredDuringExecution);
  }
  if (name === FIT && ignoredResources.length + ignoredResourceGroups.length > 0) {
    return nodeResourcesFitWith(args.nodeResourcesFit);
  }
  // The system's own constraints only prefer.
  if (name === SPREAD && defaultingType === 'List' && defaultConstraints.length > 0) {
    return podTopologySpreadWith(defaultConstraints);
  }
  return usual;
}

const foreignScore = (name: string): ScorePlugin => ({
  name,
  score: () => ({ outcome: 'Unknown', message: `${name} is not one of Kubernetes' plugins: its scores are not known` }),
});
