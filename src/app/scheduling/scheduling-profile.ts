import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { profilePlugins } from '../../core/scheduling/profile-plugins.js';
import { DEFAULT_GATES } from '../../core/kubernetes/toleration.js';
import { profileOf, type ChosenProfile } from '../schedulers/chosen-profile.js';
import { askedProfile, checkedConfiguration } from '../schedulers/checked-configuration.js';

/** By which scheduler pods are placed. */
export interface ProfileChoice {
  readonly schedulerName: string;
  /** A KubeSchedulerConfiguration or a legacy Policy; the one that the cluster declares by default. */
  readonly configuration?: JsonObject | undefined;
}

/**
 * How the pods of a scheduler are decided about, as `profileOf` says.
 *
 * @param at the pointer of the configuration in the request
 * @throws {InvalidRequestError} everything that is wrong with a configuration that is given, or that it has no such profile
 */
export function schedulingProfile(
  state: ClusterState,
  { schedulerName, configuration }: ProfileChoice,
  at = '/configuration',
): ChosenProfile {
  const given = configuration === undefined ? undefined : checkedConfiguration(configuration, at);
  if (given !== undefined) askedProfile(given, schedulerName, at);
  const { profile, ...origin } = profileOf(state, schedulerName, given);
  return { ...origin, plugins: profilePlugins(profile, DEFAULT_GATES) };
}
