import type { KubeSchedulerConfiguration, PluginsKey } from './configuration-types.js';
import { ALL, DEFAULT_PLUGINS } from './default-plugins.js';
import { pointsOf } from './plugin-registry.js';
import type { SchedulerProfile } from './scheduler-profile.js';

export type ConfigurationWarningCode =
  /** The scheduler would check only a part of the nodes; the service checks all of them. */
  | 'PercentageOfNodesNotApplied'
  /** The scheduler calls another process, which the service does not. */
  | 'ExtenderNotModelled'
  /** A plugin whose rules are not known. */
  | 'OutOfTreePlugin'
  /** A former plugin of Kubernetes. */
  | 'FormerPlugin'
  /** A weight of 0 does not disable a plugin: it counts as 1. */
  | 'WeightCountsAsOne'
  /** A disabled plugin that is not a default plugin. */
  | 'NothingToDisable'
  /** Arguments of a plugin that is not enabled. */
  | 'ArgumentsUnused'
  /** A kind of configuration that Kubernetes no longer reads. */
  | 'PolicyRemoved'
  /** A name that was never a predicate or priority of Kubernetes. */
  | 'UnknownPredicate'
  | 'UnknownPriority'
  /** A part of a Policy that another plugin now provides. */
  | 'PluginReplaced'
  /** A part of a Policy without an effect in this service. */
  | 'NotModelled';

/** A note about a valid configuration. */
export interface ConfigurationWarning {
  readonly code: ConfigurationWarningCode;
  readonly message: string;
  /** A JSON pointer into the document. */
  readonly pointer: string;
  readonly plugin?: string;
}

/** The warnings for a valid configuration, as written and as built. */
export function configurationWarnings(
  written: KubeSchedulerConfiguration,
  profiles: readonly SchedulerProfile[],
): readonly ConfigurationWarning[] {
  const warnings = [...percentageWarning(written.percentageOfNodesToScore, ''), ...extenderWarnings(written.extenders)];
  const given = written.profiles ?? [];
  profiles.forEach((profile, index) => {
    const { plugins = {}, pluginConfig = [], percentageOfNodesToScore } = given[index] ?? {};
    const pointer = `/profiles/${index}`;
    const weights = new Map(profile.scores.map(({ name, weight }) => [name, weight]));
    for (const warning of percentageWarning(percentageOfNodesToScore, pointer)) warnings.push(warning);
    for (const warning of outOfTreeWarnings(profile, pointer)) warnings.push(warning);
    for (const [point, set] of Object.entries(plugins)) {
      const at = `${pointer}/plugins/${point}`;
      (set.enabled ?? []).forEach(({ name = '', weight }, position) => {
        const warning = weightWarning(point as PluginsKey, name, weight, weights);
        if (warning !== undefined) warnings.push({ ...warning, pointer: `${at}/enabled/${position}` });
      });
      (set.disabled ?? []).forEach(({ name = '' }, position) => {
        if (name === ALL || DEFAULT_PLUGINS.some((plugin) => plugin.name === name)) return;
        const message = `${name} is not a default plugin: disabling it has no effect`;
        warnings.push({ code: 'NothingToDisable', message, pointer: `${at}/disabled/${position}`, plugin: name });
      });
    }
    const enabled = new Set(Object.values(profile.enabled).flat());
    pluginConfig.forEach(({ name = '' }, position) => {
      if (enabled.has(name)) return;
      const message = `${name} is not enabled in profile ${profile.schedulerName}: its arguments have no effect`;
      warnings.push({ code: 'ArgumentsUnused', message, pointer: `${pointer}/pluginConfig/${position}`, plugin: name });
    });
  });
  return warnings;
}

function percentageWarning(percentage: number | undefined, pointer: string): readonly ConfigurationWarning[] {
  if (percentage === undefined) return [];
  const message = `percentageOfNodesToScore of ${percentage} is not applied: every node is evaluated`;
  return [{ code: 'PercentageOfNodesNotApplied', message, pointer: `${pointer}/percentageOfNodesToScore` }];
}

export function extenderWarnings(extenders: KubeSchedulerConfiguration['extenders'] = []): ConfigurationWarning[] {
  return extenders.map(({ urlPrefix = '' }, index) => ({
    code: 'ExtenderNotModelled',
    message: `the extender at ${urlPrefix} is not called: the nodes that it filters, scores, preempts or binds are not known`,
    pointer: `/extenders/${index}`,
  }));
}

/** @param pointer of the profile */
export function outOfTreeWarnings({ outOfTree }: SchedulerProfile, pointer: string): ConfigurationWarning[] {
  return outOfTree.map(({ name, former, points }) => ({
    code: former ? 'FormerPlugin' : 'OutOfTreePlugin',
    message: former
      ? `${name} is no longer an in-tree plugin of Kubernetes: its results are unknown`
      : `${name} is an out-of-tree plugin: its results at ${points.join(', ')} are unknown`,
    pointer,
    plugin: name,
  }));
}

function weightWarning(
  point: PluginsKey,
  name: string,
  weight: number | undefined,
  weights: ReadonlyMap<string, number>,
): Omit<ConfigurationWarning, 'pointer'> | undefined {
  const isScored = point === 'score' || (point === 'multiPoint' && pointsOf(name)?.includes('score') === true);
  if (!isScored || (weight !== undefined && weight !== 0)) return undefined;
  if (weights.get(name) !== 1) return undefined;
  const usual = DEFAULT_PLUGINS.find((plugin) => plugin.name === name)?.weight ?? 0;
  if (weight === undefined && usual <= 1) return undefined;
  const cause = weight === 0 ? 'a weight of 0' : 'a plugin without a weight';
  const instead = usual > 1 ? `, not as its default of ${usual}` : '';
  return { code: 'WeightCountsAsOne', message: `${name}: ${cause} counts as 1${instead}`, plugin: name };
}
