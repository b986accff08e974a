import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type { ReadConfiguration } from '../../core/scheduler-configuration/configuration-reading.js';
import { DEFAULT_PROFILE } from '../../core/scheduler-configuration/default-profile.js';
import type { SchedulerProfile } from '../../core/scheduler-configuration/scheduler-profile.js';
import type { ProfilePlugins } from '../../core/scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../../core/scheduling/profiles-in.js';

/** Why this profile was chosen. */
export interface ProfileOrigin {
  /** The requested scheduler. */
  readonly schedulerName: string;
  /** Source of the configuration: `default` is that of a scheduler without configuration. */
  readonly source: 'default' | 'stored' | 'given';
  /** True if the scheduler has this profile; otherwise no profile matches, and nothing schedules its pods. */
  readonly isServed: boolean;
}

/** The profile that places pods, and why it was chosen. */
export interface ChosenProfile extends ProfileOrigin {
  readonly plugins: ProfilePlugins;
}

/**
 * The profile of a scheduler's name. If the configuration has none, it is the default profile, and the response says
 * so. A cluster whose scheduler configuration is unknown is assumed to have the default profile for all names.
 *
 * @param given a configuration that replaces the cluster's
 */
export function profileOf(
  state: ClusterState,
  schedulerName: string,
  given: ReadConfiguration | undefined,
): ProfileOrigin & { readonly profile: SchedulerProfile } {
  const isStored = state.setting('SchedulerConfiguration', THE_ONE) !== undefined;
  const source = given !== undefined ? 'given' : isStored ? 'stored' : 'default';
  const found = profileNamed(given ?? schedulerConfigurationIn(state), schedulerName);
  const isServed = found !== undefined || source === 'default';
  return { profile: found ?? DEFAULT_PROFILE, schedulerName, source, isServed };
}
