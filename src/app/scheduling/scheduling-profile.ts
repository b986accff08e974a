import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { ReadConfiguration } from '../../core/scheduler-configuration/configuration-reading.js';
import { DEFAULT_PROFILE } from '../../core/scheduler-configuration/default-profile.js';
import { readConfiguration } from '../../core/scheduler-configuration/read-configuration.js';
import { profilePlugins } from '../../core/scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../../core/scheduling/profiles-in.js';
import type { SchedulingProfile } from '../../core/scheduling/schedule-pod.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { DEFAULT_GATES } from '../gates.js';

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
  const reading = readGiven(configuration, at);
  const profile = profileNamed(reading, schedulerName);
  if (profile !== undefined) return profilePlugins(profile, DEFAULT_GATES);
  const names = reading.profiles.map((one) => one.schedulerName).join(', ');
  const message = `no profile is called ${JSON.stringify(schedulerName)}; there are ${names}`;
  throw new InvalidRequestError([{ pointer: at, code: 'unknown-scheduler', message }]);
}

function readGiven(configuration: JsonObject, at: string): ReadConfiguration {
  const reading = readConfiguration(configuration);
  if (reading.outcome === 'read') return reading;
  throw new InvalidRequestError(
    reading.faults.map(({ message, pointer }): ErrorDetail => ({
      pointer: `${at}${pointer}`,
      code: `configuration-${reading.stage}`,
      message,
    })),
  );
}
