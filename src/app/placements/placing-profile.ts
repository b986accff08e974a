import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import { DEFAULT_PROFILE } from '../../core/scheduler-configuration/default-profile.js';
import { withoutForeign } from '../../core/scheduler-configuration/scheduler-profile.js';
import { profilePlugins, type ProfilePlugins } from '../../core/scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../../core/scheduling/profiles-in.js';
import { askedProfile, checkedConfiguration } from '../schedulers/checked-configuration.js';

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
const AT_CONFIGURATION = '/scheduler/configuration';

/** @throws {InvalidRequestError} everything that is wrong with a configuration that is given */
export function checkScheduler(choice: SchedulerChoice | undefined): void {
  if (choice?.configuration !== undefined) checkedConfiguration(choice.configuration, AT_CONFIGURATION);
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
  const document = choice?.configuration;
  const given = document === undefined ? undefined : checkedConfiguration(document, AT_CONFIGURATION);
  const isStored = state.setting('SchedulerConfiguration', THE_ONE) !== undefined;
  const source = given !== undefined ? 'given' : isStored ? 'stored' : 'default';
  const configuration = given ?? schedulerConfigurationIn(state);
  const wanted = choice?.schedulerName;
  const schedulerName = pod.spec.schedulerName ?? DEFAULT_NAME;
  const found =
    wanted === undefined
      ? profileNamed(configuration, schedulerName)
      : askedProfile(configuration, wanted, '/scheduler/schedulerName');
  const profile = found ?? DEFAULT_PROFILE;
  const asked = choice?.foreignPlugins === 'leaveOut' ? withoutForeign(profile) : profile;
  const isServed = found !== undefined || source === 'default';
  return { plugins: profilePlugins(asked, gates), schedulerName, source, isServed };
}
