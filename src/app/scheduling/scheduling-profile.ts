import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { DEFAULT_PROFILE } from '../../core/scheduler-configuration/default-profile.js';
import { profilePlugins } from '../../core/scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../../core/scheduling/profiles-in.js';
import type { SchedulingProfile } from '../../core/scheduling/schedule-pod.js';
import { DEFAULT_GATES } from '../gates.js';
import { askedProfile, checkedConfiguration } from '../schedulers/checked-configuration.js';

/** By which scheduler pods are placed. */
export interface ProfileChoice {
  readonly schedulerName: string;
  /** A KubeSchedulerConfiguration or a legacy Policy; the one that the cluster declares unless told. */
  readonly configuration?: JsonObject | undefined;
}

/**
 * How the pods of a scheduler are decided about. One that has no profile in the cluster's configuration is taken to have the default.
 *
 * @param at the pointer of the configuration in the request
 * @throws {InvalidRequestError} everything that is wrong with a configuration that is given, or that it has no such profile
 */
export function schedulingProfile(
  state: ClusterState,
  { schedulerName, configuration }: ProfileChoice,
  at = '/configuration',
): SchedulingProfile {
  if (configuration === undefined) {
    const stored = profileNamed(schedulerConfigurationIn(state), schedulerName);
    return profilePlugins(stored ?? DEFAULT_PROFILE, DEFAULT_GATES);
  }
  return profilePlugins(askedProfile(checkedConfiguration(configuration, at), schedulerName, at), DEFAULT_GATES);
}
