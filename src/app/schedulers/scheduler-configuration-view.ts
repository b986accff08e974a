import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { EXTENSION_POINTS } from '../../core/placement/extension-point.js';
import type { ReadConfiguration } from '../../core/scheduler-configuration/configuration-reading.js';
import type { SchedulerProfile } from '../../core/scheduler-configuration/scheduler-profile.js';
import { schedulerConfigurationIn } from '../../core/scheduling/profiles-in.js';

export interface SchedulerProfileView {
  readonly schedulerName: string;
  /** In calling order. */
  readonly filters: readonly string[];
  readonly scores: readonly { readonly plugin: string; readonly weight: number }[];
  readonly points: readonly { readonly point: string; readonly plugins: readonly string[] }[];
  readonly arguments: JsonObject;
  readonly outOfTreePlugins: readonly {
    readonly name: string;
    readonly former: boolean;
    readonly points: readonly string[];
  }[];
  readonly percentageOfNodesToScore: number | null;
}

export interface ReadConfigurationView {
  readonly source: 'KubeSchedulerConfiguration' | 'Policy';
  readonly profiles: readonly SchedulerProfileView[];
  readonly warnings: readonly {
    readonly code: string;
    readonly message: string;
    readonly pointer: string;
    readonly plugin: string | null;
  }[];
  /** Of a Policy: what became of each predicate and priority. */
  readonly mapping: readonly {
    readonly kind: string;
    readonly name: string;
    readonly given: boolean;
    readonly plugins: readonly string[];
    readonly today: readonly string[];
    readonly weight: number | null;
  }[];
}

export interface SchedulerConfigurationView extends ReadConfigurationView {
  /** False where nobody has said anything: then it is that of a scheduler that was told nothing. */
  readonly declared: boolean;
  /** As it was declared. */
  readonly document: JsonValue;
}

export function schedulerConfigurationView(state: ClusterState): SchedulerConfigurationView {
  const setting = state.setting('SchedulerConfiguration', THE_ONE);
  return {
    declared: setting !== undefined,
    document: setting?.content ?? null,
    ...readConfigurationView(schedulerConfigurationIn(state)),
  };
}

export function readConfigurationView(reading: ReadConfiguration): ReadConfigurationView {
  const { source, profiles, warnings, mapping = [] } = reading;
  return {
    source,
    profiles: profiles.map(profileView),
    warnings: warnings.map(({ code, message, pointer, plugin = null }) => ({ code, message, pointer, plugin })),
    mapping: mapping.map(({ weight = null, ...one }) => ({ ...one, weight })),
  };
}

function profileView(profile: SchedulerProfile): SchedulerProfileView {
  const { schedulerName, filters, scores, enabled, written, outOfTree, percentageOfNodesToScore = null } = profile;
  return {
    schedulerName,
    filters,
    scores: scores.map(({ name, weight }) => ({ plugin: name, weight })),
    points: EXTENSION_POINTS.map((point) => ({ point, plugins: enabled[point] })).filter(
      ({ plugins }) => plugins.length > 0,
    ),
    // Names are the caller's.
    arguments: Object.fromEntries(written),
    outOfTreePlugins: outOfTree,
    percentageOfNodesToScore,
  };
}
