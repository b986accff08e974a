import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type { ReadConfiguration } from '../../core/scheduler-configuration/configuration-reading.js';
import { DEFAULT_PROFILE } from '../../core/scheduler-configuration/default-profile.js';
import type { SchedulerProfile } from '../../core/scheduler-configuration/scheduler-profile.js';
import type { ProfilePlugins } from '../../core/scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../../core/scheduling/profiles-in.js';

/** Why it is this profile that decides. */
export interface ProfileOrigin {
  /** The scheduler that is asked for. */
  readonly schedulerName: string;
  /** Where the configuration comes from: `default` is that of a scheduler that was told nothing. */
  readonly source: 'default' | 'stored' | 'given';
  /** Whether the profile is that of the scheduler; else no profile is, and nobody schedules its pods. */
  readonly isServed: boolean;
}

/** The profile that pods are placed by, and why it is that one. */
export interface ChosenProfile extends ProfileOrigin {
  readonly plugins: ProfilePlugins;
}

/**
 * The profile of a scheduler's name. Where the configuration has none it is the default profile, and the answer says so; a cluster of
 * whose scheduler nothing is known is taken to have that profile for all names.
 *
 * @param given the configuration that decides in the place of the cluster's
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
