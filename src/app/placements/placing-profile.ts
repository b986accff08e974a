import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import type {
  ConfigurationReading,
  ReadConfiguration,
} from '../../core/scheduler-configuration/configuration-reading.js';
import { DEFAULT_PROFILE } from '../../core/scheduler-configuration/default-profile.js';
import { readConfiguration } from '../../core/scheduler-configuration/read-configuration.js';
import { withoutForeign } from '../../core/scheduler-configuration/scheduler-profile.js';
import { profilePlugins, type ProfilePlugins } from '../../core/scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../../core/scheduling/profiles-in.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/** By which scheduler a pod is placed. */
export interface SchedulerChoice {
  /** A KubeSchedulerConfiguration or a legacy Policy; the one that is stored unless told. */
  readonly configuration?: JsonObject;
  /** Of the profile; the one that the pod asks for unless told. */
  readonly schedulerName?: string;
  /** Whether plugins that are not Kubernetes' own answer unknown, as they do unless told, or are left out. */
  readonly foreignPlugins?: 'keep' | 'leaveOut';
}

/** The profile that a pod is placed by, and why it is that one. */
export interface PlacingProfile {
  readonly plugins: ProfilePlugins;
  /** The scheduler that the pod asks for. */
  readonly schedulerName: string;
  /** Where the configuration comes from: `default` is that of a scheduler that was told nothing. */
  readonly source: 'default' | 'stored' | 'given';
  /** Whether the profile is that of the pod's scheduler; else no profile is, and nobody schedules the pod. */
  readonly isServed: boolean;
}

const DEFAULT_NAME = 'default-scheduler';

/** @throws {InvalidRequestError} everything that is wrong with a configuration that is given */
export function checkScheduler(choice: SchedulerChoice | undefined): void {
  readGiven(choice?.configuration);
}

/**
 * The profile that a pod is placed by. Where the configuration has none for the pod's scheduler it is the default profile, and the
 * answer says so; a cluster of whose scheduler nothing is known is taken to have that profile for all names.
 *
 * @throws {InvalidRequestError} for a scheduler's name that is asked for and that no profile has
 */
export function placingProfile(
  state: ClusterState,
  pod: Pod,
  choice: SchedulerChoice | undefined,
  gates: TolerationGates,
): PlacingProfile {
  const given = readGiven(choice?.configuration);
  const isStored = state.setting('SchedulerConfiguration', THE_ONE) !== undefined;
  const source = given !== undefined ? 'given' : isStored ? 'stored' : 'default';
  const configuration = given ?? schedulerConfigurationIn(state);
  const wanted = choice?.schedulerName;
  const schedulerName = pod.spec.schedulerName ?? DEFAULT_NAME;
  const found = profileNamed(configuration, wanted ?? schedulerName);
  if (found === undefined && wanted !== undefined) throw unknownScheduler(wanted, configuration);
  const profile = found ?? DEFAULT_PROFILE;
  const asked = choice?.foreignPlugins === 'leaveOut' ? withoutForeign(profile) : profile;
  const isServed = found !== undefined || source === 'default';
  return { plugins: profilePlugins(asked, gates), schedulerName, source, isServed };
}

/** A configuration is looked at when its question is checked, and again when it is answered. */
const known = new WeakMap<JsonObject, ConfigurationReading>();

function readGiven(document: JsonObject | undefined): ReadConfiguration | undefined {
  if (document === undefined) return undefined;
  let reading = known.get(document);
  if (reading === undefined) known.set(document, (reading = readConfiguration(document)));
  if (reading.outcome === 'read') return reading;
  throw new InvalidRequestError(
    reading.faults.map(({ message, pointer }): ErrorDetail => ({
      pointer: `/scheduler/configuration${pointer}`,
      code: `configuration-${reading.stage}`,
      message,
    })),
  );
}

function unknownScheduler(name: string, { profiles }: ReadConfiguration): InvalidRequestError {
  const known = profiles.map(({ schedulerName }) => schedulerName).join(', ');
  return new InvalidRequestError([
    {
      pointer: '/scheduler/schedulerName',
      field: 'scheduler.schedulerName',
      code: 'unknown-scheduler',
      message: `no profile is called ${JSON.stringify(name)}; there are ${known}`,
    },
  ]);
}
