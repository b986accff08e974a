import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { profilePlugins } from '../../core/scheduling/profile-plugins.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { profileOf, type ChosenProfile } from '../schedulers/chosen-profile.js';
import { askedProfile, checkedConfiguration } from '../schedulers/checked-configuration.js';

/** Selects the scheduler that places pods. */
export interface ProfileChoice {
  readonly schedulerName: string;
  /** A KubeSchedulerConfiguration or a legacy Policy; by default the one declared for the cluster. */
  readonly configuration?: JsonObject | undefined;
}

/**
 * The profile that schedules the pods of a scheduler, as `profileOf` selects it.
 *
 * @param at JSON pointer of the configuration in the request
 * @throws {InvalidRequestError} with every error in a given configuration, or if it has no such profile
 */
export function schedulingProfile(
  state: ClusterState,
  { schedulerName, configuration }: ProfileChoice,
  at = '/configuration',
): ChosenProfile {
  const given = configuration === undefined ? undefined : checkedConfiguration(configuration, at);
  if (given !== undefined) askedProfile(given, schedulerName, at);
  const { profile, ...origin } = profileOf(state, schedulerName, given);
  return { ...origin, plugins: profilePlugins(profile, gatesOf(state.rules)) };
}
