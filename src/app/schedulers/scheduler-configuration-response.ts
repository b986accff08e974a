import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type {
  readSchedulerConfiguration,
  schedulerConfiguration,
  schedulerProfile,
} from '../../contract/scheduling/scheduler-configuration.js';
import type { Response } from '../../contract/schema.js';
import { EXTENSION_POINTS } from '../../core/placement/extension-point.js';
import type { ReadConfiguration } from '../../core/scheduler-configuration/configuration-reading.js';
import type { SchedulerProfile } from '../../core/scheduler-configuration/scheduler-profile.js';
import { schedulerConfigurationIn } from '../../core/scheduling/profiles-in.js';

export function schedulerConfigurationResponse(
  state: ClusterState,
): Omit<Response<typeof schedulerConfiguration>, 'basis'> {
  const setting = state.setting('SchedulerConfiguration', THE_ONE);
  return {
    declared: setting !== undefined,
    document: setting?.content ?? null,
    ...readConfigurationResponse(schedulerConfigurationIn(state)),
  };
}

export function readConfigurationResponse(reading: ReadConfiguration): Response<typeof readSchedulerConfiguration> {
  const { source, profiles, warnings, mapping = [] } = reading;
  return {
    source,
    profiles: profiles.map(profileResponse),
    warnings: warnings.map(({ code, message, pointer, plugin = null }) => ({ code, message, pointer, plugin })),
    mapping: mapping.map(({ weight = null, ...one }) => ({ ...one, weight })),
  };
}

function profileResponse(profile: SchedulerProfile): Response<typeof schedulerProfile> {
  const { schedulerName, filters, scores, enabled, written, outOfTree, percentageOfNodesToScore = null } = profile;
  return {
    schedulerName,
    filters,
    scores: scores.map(({ name, weight }) => ({ plugin: name, weight })),
    points: EXTENSION_POINTS.map((point) => ({ point, plugins: enabled[point] })).filter(
      ({ plugins }) => plugins.length > 0,
    ),
    // The caller chooses the names.
    arguments: Object.fromEntries(written),
    outOfTreePlugins: outOfTree,
    percentageOfNodesToScore,
  };
}
