import type { TolerationGates } from '../kubernetes/toleration.js';
import { COSCHEDULING, coschedulingFilter } from '../placement/coscheduling-filter.js';
import { outOfTreeFilter } from '../placement/out-of-tree-filter.js';
import type { FilterPlugin } from '../placement/plugin.js';
import { inTreePlugin } from '../placement/plugins/in-tree-plugins.js';
import type { WeightedScore } from '../placement/rank-nodes.js';
import type { ScorePlugin } from '../placement/score-plugin.js';
import type { OutOfTreePlugin, SchedulerProfile } from '../scheduler-configuration/scheduler-profile.js';
import type { SchedulingProfile } from './schedule-pod.js';

/** A profile with its plugins, as pods are scheduled by it. */
export interface ProfilePlugins extends SchedulingProfile {
  readonly schedulerName: string;
  /**
   * Plugins whose rules are not known: the results of their filters are unknown, and their scores make a ranking uncertain.
   */
  readonly outOfTree: readonly OutOfTreePlugin[];
}

/** Extension points at which a plugin can refuse a pod or a node before a node is chosen. */
const REFUSING = ['preEnqueue', 'preFilter', 'filter'] as const;

/**
 * The filters and scores of a profile in calling order, with its arguments.
 *
 * A filter that is not in the profile is not called: without TaintToleration, taints keep no pod off a node. An out-of-tree
 * plugin is never left out silently; `inTreeOnly` removes it from a profile.
 */
export function profilePlugins(profile: SchedulerProfile, gates: TolerationGates): ProfilePlugins {
  let ofProfile = known.get(profile);
  if (ofProfile === undefined) known.set(profile, (ofProfile = new WeakMap()));
  let plugins = ofProfile.get(gates);
  if (plugins === undefined) ofProfile.set(gates, (plugins = pluginsOf(profile, gates)));
  return plugins;
}

/** What is remembered for a profile is found again by the object. */
const known = new WeakMap<SchedulerProfile, WeakMap<TolerationGates, ProfilePlugins>>();

function pluginsOf(profile: SchedulerProfile, gates: TolerationGates): ProfilePlugins {
  const { schedulerName, args, outOfTree, enabled } = profile;
  const outOfTreeNames = new Map(outOfTree.map((plugin) => [plugin.name, plugin]));
  const filters = profile.filters.flatMap((name): FilterPlugin[] => {
    const own = inTreePlugin(name)?.filter;
    if (own !== undefined) return [own.configure?.(args) ?? own.plugin];
    if (name === COSCHEDULING && outOfTreeNames.has(name)) return [coschedulingFilter];
    return outOfTreeNames.has(name) ? [outOfTreeFilter(name, outOfTreeNames.get(name)?.former === true)] : [];
  });
  // A plugin without a filter can still refuse the pod on all nodes.
  for (const { name, former } of outOfTree) {
    if (profile.filters.includes(name)) continue;
    if (!REFUSING.some((point) => enabled[point].includes(name)) && name !== COSCHEDULING) continue;
    filters.push(name === COSCHEDULING ? coschedulingFilter : outOfTreeFilter(name, former));
  }
  const scores = profile.scores.flatMap(({ name, weight }): WeightedScore[] => {
    const own = inTreePlugin(name);
    if (own === undefined) return [{ plugin: outOfTreeScore(name), weight }];
    return own.score === undefined ? [] : [{ plugin: own.score.plugin, weight }];
  });
  return { schedulerName, filters, scores, args, gates, outOfTree };
}

const outOfTreeScore = (name: string): ScorePlugin => ({
  name,
  score: () => ({ outcome: 'Unknown', message: `${name} is an out-of-tree plugin: its scores are not known` }),
});
