import { CONFIGURATION_VERSION } from './decode-configuration.js';
import { readConfiguration } from './read-configuration.js';
import type { SchedulerProfile } from './scheduler-profile.js';

/** The profile of a scheduler without a configuration file. */
export const DEFAULT_PROFILE: SchedulerProfile = defaultProfile();

function defaultProfile(): SchedulerProfile {
  const empty = { apiVersion: CONFIGURATION_VERSION, kind: 'KubeSchedulerConfiguration' };
  const reading = readConfiguration(empty);
  const profile = reading.outcome === 'read' ? reading.profiles[0] : undefined;
  if (profile === undefined) throw new Error('the default profile must be valid');
  return profile;
}
