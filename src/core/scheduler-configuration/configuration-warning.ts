import type { KubeSchedulerConfiguration, PluginsKey } from './configuration-types.js';
import { ALL, DEFAULT_PLUGINS } from './default-plugins.js';
import { pointsOf } from './plugin-registry.js';
import type { SchedulerProfile } from './scheduler-profile.js';

export type ConfigurationWarningCode =
  /** The scheduler would look at a part of the nodes only; here all are looked at. */
  | 'PercentageOfNodesNotApplied'
  /** Another process is asked by the scheduler, and not here. */
  | 'ExtenderNotModelled'
  /** A plugin whose rule is not known. */
  | 'OutOfTreePlugin'
  /** A plugin that Kubernetes had once. */
  | 'FormerPlugin'
  /** A weight of 0 is not one that switches off: it counts as 1. */
  | 'WeightCountsAsOne'
  /** A plugin is disabled that is not there. */
  | 'NothingToDisable'
  /** Arguments of a plugin that no point enables. */
  | 'ArgumentsUnused'
  /** The kind of configuration is one that Kubernetes no longer reads. */
  | 'PolicyRemoved'
  /** A name that no predicate or priority of Kubernetes ever had. */
  | 'UnknownPredicate'
  | 'UnknownPriority'
  /** A part of a Policy that another plugin does today. */
  | 'PluginReplaced'
  /** A part of a Policy that changes nothing here. */
  | 'NotModelled';

/** Something that a reader of a configuration should know, although nothing is wrong with it. */
export interface ConfigurationWarning {
  readonly code: ConfigurationWarningCode;
  readonly message: string;
  /** The place in the document, as a JSON pointer. */
  readonly pointer: string;
  readonly plugin?: string;
}

/** What there is to say of a configuration that is read, as it was written and as it was built. */
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
        const message = `${name} is no default plugin: to disable it changes nothing`;
        warnings.push({ code: 'NothingToDisable', message, pointer: `${at}/disabled/${position}`, plugin: name });
      });
    }
    const enabled = new Set(Object.values(profile.enabled).flat());
    pluginConfig.forEach(({ name = '' }, position) => {
      if (enabled.has(name)) return;
      const message = `${name} is enabled nowhere in profile ${profile.schedulerName}: its arguments change nothing`;
      warnings.push({ code: 'ArgumentsUnused', message, pointer: `${pointer}/pluginConfig/${position}`, plugin: name });
    });
  });
  return warnings;
}

function percentageWarning(percentage: number | undefined, pointer: string): readonly ConfigurationWarning[] {
  if (percentage === undefined) return [];
  const message = `percentageOfNodesToScore of ${percentage} is not applied: every node is looked at`;
  return [{ code: 'PercentageOfNodesNotApplied', message, pointer: `${pointer}/percentageOfNodesToScore` }];
}

export function extenderWarnings(extenders: KubeSchedulerConfiguration['extenders'] = []): ConfigurationWarning[] {
  return extenders.map(({ urlPrefix = '' }, index) => ({
    code: 'ExtenderNotModelled',
    message: `the extender at ${urlPrefix} is not asked: what it filters, scores, preempts or binds is not known`,
    pointer: `/extenders/${index}`,
  }));
}

/** @param pointer of the profile */
export function outOfTreeWarnings({ outOfTree }: SchedulerProfile, pointer: string): ConfigurationWarning[] {
  return outOfTree.map(({ name, former, points }) => ({
    code: former ? 'FormerPlugin' : 'OutOfTreePlugin',
    message: former
      ? `${name} is no longer one of Kubernetes' plugins: its answers are unknown`
      : `${name} is an out-of-tree plugin: its answers at ${points.join(', ')} are unknown`,
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
  const cause = weight === 0 ? 'a weight of 0' : 'a plugin that is named without a weight';
  const instead = usual > 1 ? `, not as its default weight of ${usual}` : '';
  return { code: 'WeightCountsAsOne', message: `${name}: ${cause} counts as 1${instead}`, plugin: name };
}
