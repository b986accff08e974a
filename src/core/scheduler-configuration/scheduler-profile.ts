import { defined } from '../collections/defined.js';
import type { JsonValue } from '../json/json-value.js';
import { encodeGo } from '../kubernetes/go-encoding.js';
import { EXTENSION_POINTS, type ExtensionPoint } from '../placement/extension-point.js';
import { argumentsOf, readArguments, type PluginArguments } from '../placement/plugin-arguments.js';
import type { BuiltProfile } from './build-profile.js';
import { defaultArguments } from './configuration-defaults.js';
import type { DefaultedProfile, PluginConfig, WeightedName } from './configuration-types.js';
import { CONFIGURATION_VERSION } from './decode-configuration.js';
import { FORMER_PLUGINS, pointsOf } from './plugin-registry.js';

/** A plugin whose rules are not known: out-of-tree, or formerly in-tree (`former`). */
export interface OutOfTreePlugin {
  readonly name: string;
  readonly former: boolean;
  /**
   * The points at which it is called. A plugin enabled for all points is assumed to be at every one except queue sort
   * and bind.
   */
  readonly points: readonly ExtensionPoint[];
}

/** The profile by which the pods of a scheduler are placed. */
export interface SchedulerProfile {
  readonly schedulerName: string;
  /** The filters in calling order, including out-of-tree ones. */
  readonly filters: readonly string[];
  /** The scores in calling order with their weights, including out-of-tree ones. */
  readonly scores: readonly WeightedName[];
  /** The plugins of every point in calling order. */
  readonly enabled: Readonly<Record<ExtensionPoint, readonly string[]>>;
  readonly args: PluginArguments;
  /** The arguments of every plugin that has some, by plugin name, after defaulting and in Kubernetes' notation. */
  readonly written: ReadonlyMap<string, JsonValue>;
  readonly outOfTree: readonly OutOfTreePlugin[];
  /** The percentage that kube-scheduler would check; the service checks every node. */
  readonly percentageOfNodesToScore?: number;
}

/** @param ignored resources that extenders manage, replacing NodeResourcesFit's own `ignoredResources` */
export function schedulerProfile(
  profile: DefaultedProfile,
  built: BuiltProfile,
  ignored: readonly string[],
): SchedulerProfile {
  const { schedulerName, percentageOfNodesToScore, pluginConfig } = profile;
  const { enabled, weights } = built;
  return {
    schedulerName,
    filters: enabled.filter,
    scores: enabled.score.map((name) => ({ name, weight: weights.get(name) ?? 1 })),
    enabled,
    args: argumentsIn(pluginConfig, ignored),
    written: new Map(pluginConfig.flatMap(writtenArguments)),
    outOfTree: outOfTreeIn(enabled),
    ...defined({ percentageOfNodesToScore }),
  };
}

/** The profile without plugins whose rules are not known. */
export function inTreeOnly(profile: SchedulerProfile): SchedulerProfile {
  const names = new Set(profile.outOfTree.map(({ name }) => name));
  if (names.size === 0) return profile;
  const known = (list: readonly string[]): readonly string[] => list.filter((name) => !names.has(name));
  const points = EXTENSION_POINTS.map((point) => [point, known(profile.enabled[point])]);
  return {
    ...profile,
    filters: known(profile.filters),
    scores: profile.scores.filter(({ name }) => !names.has(name)),
    enabled: Object.fromEntries(points) as SchedulerProfile['enabled'],
    outOfTree: [],
  };
}

function outOfTreeIn(enabled: BuiltProfile['enabled']): readonly OutOfTreePlugin[] {
  const points = new Map<string, ExtensionPoint[]>();
  for (const point of EXTENSION_POINTS) {
    for (const name of enabled[point]) {
      if (pointsOf(name) === undefined) points.set(name, [...(points.get(name) ?? []), point]);
    }
  }
  return [...points].map(([name, at]) => ({ name, former: FORMER_PLUGINS.has(name), points: at }));
}

function writtenArguments(config: PluginConfig): readonly (readonly [string, JsonValue])[] {
  if (!config.known) return config.args === undefined ? [] : [[config.name, config.args]];
  const type = argumentsOf(config.name)?.type;
  if (type === undefined) return [];
  const given = { ...config.args, apiVersion: CONFIGURATION_VERSION, kind: `${config.name}Args` };
  return [[config.name, encodeGo(given, type)]];
}

/** @param ignored resources that extenders manage */
function argumentsIn(pluginConfig: readonly PluginConfig[], ignored: readonly string[]): PluginArguments {
  const args = readArguments((owner) => {
    const config = pluginConfig.find(({ name }) => name === owner);
    return config?.known === true ? config.args : defaultArguments(owner, {});
  });
  if (ignored.length === 0) return args;
  return { ...args, nodeResourcesFit: { ...args.nodeResourcesFit, ignoredResources: ignored } };
}
