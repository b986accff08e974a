import type { JsonObject, JsonValue } from '../json/json-value.js';
import { encodeGo } from '../kubernetes/go-encoding.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { NodeAffinity, TopologySpreadConstraint } from '../kubernetes/objects/pod.js';
import type { PluginArguments, ScoringStrategy, WeightedResource } from '../placement/plugin-arguments.js';
import type { BuiltProfile } from './build-profile.js';
import { defaultArguments } from './configuration-defaults.js';
import { argumentsOf } from './configuration-schema.js';
import type {
  ArgumentsOwner,
  DefaultedProfile,
  ExtensionPoint,
  PluginConfig,
  ResourceSpec,
  WeightedName,
  WrittenArguments,
} from './configuration-types.js';
import { EXTENSION_POINTS } from './configuration-types.js';
import { CONFIGURATION_VERSION } from './decode-configuration.js';
import { FORMER_PLUGINS, pointsOf } from './plugin-registry.js';
import { wholePreference, wholeTerm } from './validate-plugin-arguments.js';

/** What all plugins of Kubernetes' own are told, whether a profile enables them or not; spans are nanoseconds. */
export interface ProfileArguments extends PluginArguments {
  readonly defaultPreemption: {
    readonly minCandidateNodesPercentage: number;
    readonly minCandidateNodesAbsolute: number;
  };
  readonly volumeBinding: { readonly bindTimeoutSeconds: Int64 };
  readonly dynamicResources: { readonly filterTimeout: bigint; readonly bindingTimeout: bigint };
}

/** A plugin whose rule is not known here: of somebody else, or one that Kubernetes had once (`former`). */
export interface ForeignPlugin {
  readonly name: string;
  readonly former: boolean;
  /** Where it is called. One that is enabled for all points is taken to be at every one but queue sort and bind. */
  readonly points: readonly ExtensionPoint[];
}

/** A profile as the pods of its scheduler are placed by it. */
export interface SchedulerProfile {
  readonly schedulerName: string;
  /** The filters in calling order, foreign ones in their places. */
  readonly filters: readonly string[];
  /** The scores in calling order with their weights, foreign ones in their places. */
  readonly scores: readonly WeightedName[];
  /** The plugins of every point in calling order. */
  readonly enabled: Readonly<Record<ExtensionPoint, readonly string[]>>;
  readonly args: ProfileArguments;
  /** The arguments of every plugin that has some, by its name, after defaulting and as Kubernetes writes them. */
  readonly written: ReadonlyMap<string, JsonValue>;
  readonly foreign: readonly ForeignPlugin[];
  /** What a kube-scheduler would look at; every node is looked at here. */
  readonly percentageOfNodesToScore?: number;
}

/** @param ignored resources that extenders look after, in the place of NodeResourcesFit's own `ignoredResources` */
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
    foreign: foreignIn(enabled),
    ...(percentageOfNodesToScore !== undefined && { percentageOfNodesToScore }),
  };
}

/** The profile without the plugins whose rules are not known here. */
export function withoutForeign(profile: SchedulerProfile): SchedulerProfile {
  const names = new Set(profile.foreign.map(({ name }) => name));
  if (names.size === 0) return profile;
  const known = (list: readonly string[]): readonly string[] => list.filter((name) => !names.has(name));
  const points = EXTENSION_POINTS.map((point) => [point, known(profile.enabled[point])]);
  return {
    ...profile,
    filters: known(profile.filters),
    scores: profile.scores.filter(({ name }) => !names.has(name)),
    enabled: Object.fromEntries(points) as SchedulerProfile['enabled'],
    foreign: [],
  };
}

function foreignIn(enabled: BuiltProfile['enabled']): readonly ForeignPlugin[] {
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
  const type = argumentsOf(config.name);
  if (type === undefined) return [];
  const given = { ...config.args, apiVersion: CONFIGURATION_VERSION, kind: `${config.name}Args` };
  return [[config.name, encodeGo(given, type)]];
}

function argumentsIn(pluginConfig: readonly PluginConfig[], ignored: readonly string[]): ProfileArguments {
  const of = <Owner extends ArgumentsOwner>(owner: Owner): WrittenArguments[Owner] => {
    const config = pluginConfig.find(({ name }) => name === owner);
    const args: JsonObject = config?.known === true ? config.args : defaultArguments(owner, {});
    return args;
  };
  const fit = of('NodeResourcesFit');
  const spread = of('PodTopologySpread');
  const affinity = of('InterPodAffinity');
  const preemption = of('DefaultPreemption');
  const dynamic = of('DynamicResources');
  const { addedAffinity } = of('NodeAffinity');
  const { type = '', resources, requestedToCapacityRatio: ratio } = fit.scoringStrategy ?? {};
  return {
    nodeResourcesFit: {
      ignoredResources: ignored.length > 0 ? ignored : (fit.ignoredResources ?? []),
      ignoredResourceGroups: fit.ignoredResourceGroups ?? [],
      scoringStrategy: {
        // No profile is built with another type.
        type: type as ScoringStrategy['type'],
        resources: weightedResources(resources),
        ...(ratio !== undefined && {
          requestedToCapacityRatio: {
            shape: (ratio.shape ?? []).map(({ utilization = 0, score = 0 }) => ({ utilization, score })),
          },
        }),
      },
    },
    nodeResourcesBalancedAllocation: {
      resources: weightedResources(of('NodeResourcesBalancedAllocation').resources),
    },
    nodeAffinity: addedAffinity === undefined ? {} : { addedAffinity: wholeAffinity(addedAffinity) },
    podTopologySpread: {
      defaultingType: spread.defaultingType === 'List' ? 'List' : 'System',
      defaultConstraints: (spread.defaultConstraints ?? []).map(wholeConstraint),
    },
    interPodAffinity: {
      hardPodAffinityWeight: affinity.hardPodAffinityWeight ?? 0,
      ignorePreferredTermsOfExistingPods: affinity.ignorePreferredTermsOfExistingPods ?? false,
    },
    defaultPreemption: {
      minCandidateNodesPercentage: preemption.minCandidateNodesPercentage ?? 0,
      minCandidateNodesAbsolute: preemption.minCandidateNodesAbsolute ?? 0,
    },
    volumeBinding: { bindTimeoutSeconds: of('VolumeBinding').bindTimeoutSeconds ?? 0 },
    dynamicResources: {
      filterTimeout: dynamic.filterTimeout ?? 0n,
      bindingTimeout: dynamic.bindingTimeout ?? 0n,
    },
  };
}

const weightedResources = (resources: readonly ResourceSpec[] = []): readonly WeightedResource[] =>
  resources.map(({ name = '', weight = 0 }) => ({ name, weight: Number(weight) }));

function wholeAffinity(affinity: NodeAffinity): NodeAffinity {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: must,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  } = affinity;
  const terms = (must as Partial<NonNullable<typeof must>> | undefined)?.nodeSelectorTerms ?? [];
  return {
    ...(must !== undefined && {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms.map(wholeTerm) },
    }),
    ...(preferred !== undefined && {
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map(wholePreference),
    }),
  };
}

const wholeConstraint = (constraint: Partial<TopologySpreadConstraint>): TopologySpreadConstraint => ({
  ...{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: '' },
  ...constraint,
});
