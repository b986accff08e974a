import type { ClusterState } from '../cluster/cluster-state.js';
import { THE_ONE, type Setting } from '../cluster/setting.js';
import type { ReadConfiguration } from '../scheduler-configuration/configuration-reading.js';
import { DEFAULT_PROFILE } from '../scheduler-configuration/default-profile.js';
import { readConfiguration } from '../scheduler-configuration/read-configuration.js';
import type { SchedulerProfile } from '../scheduler-configuration/scheduler-profile.js';

/** The configuration of a kube-scheduler without a configuration file. */
const STOCK: ReadConfiguration = {
  outcome: 'read',
  source: 'KubeSchedulerConfiguration',
  profiles: [DEFAULT_PROFILE],
  warnings: [],
};

const known = new WeakMap<Setting, ReadConfiguration>();

/** The scheduler configuration of a cluster: as declared, or the default. */
export function schedulerConfigurationIn(state: ClusterState): ReadConfiguration {
  const setting = state.setting('SchedulerConfiguration', THE_ONE);
  if (setting === undefined) return STOCK;
  let reading = known.get(setting);
  if (reading === undefined) {
    const read = readConfiguration(setting.content);
    // The setting was valid when it was stored, but this version of the service may refuse it.
    reading = read.outcome === 'read' ? read : STOCK;
    known.set(setting, reading);
  }
  return reading;
}

/** The profile for a `schedulerName`; undefined if the scheduler has none. */
export const profileNamed = (
  { profiles }: Pick<ReadConfiguration, 'profiles'>,
  schedulerName: string,
): SchedulerProfile | undefined => profiles.find((profile) => profile.schedulerName === schedulerName);
