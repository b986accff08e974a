import type { schedulerChoiceInput } from '../../contract/placements/placement-request.js';
import type { Request } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import { inTreeOnly } from '../../core/scheduler-configuration/scheduler-profile.js';
import { profilePlugins } from '../../core/scheduling/profile-plugins.js';
import { schedulerConfigurationIn } from '../../core/scheduling/profiles-in.js';
import { profileOf, type ChosenProfile } from '../schedulers/chosen-profile.js';
import { askedProfile, checkedConfiguration } from '../schedulers/checked-configuration.js';

type SchedulerChoice = Request<typeof schedulerChoiceInput>;

const DEFAULT_NAME = 'default-scheduler';
const AT_CONFIGURATION = '/scheduler/configuration';

/** @throws {InvalidRequestError} with every error in the given configuration */
export function checkScheduler(choice: SchedulerChoice | undefined): void {
  if (choice?.configuration !== undefined) checkedConfiguration(choice.configuration, AT_CONFIGURATION);
}

/**
 * The profile that places a pod: as `profileOf` for its own scheduler, unless the request names another.
 *
 * @throws {InvalidRequestError} if the request names a scheduler that no profile has
 */
export function placingProfile(
  state: ClusterState,
  pod: Pod,
  choice: SchedulerChoice | undefined,
  gates: TolerationGates,
): ChosenProfile {
  const document = choice?.configuration;
  const given = document === undefined ? undefined : checkedConfiguration(document, AT_CONFIGURATION);
  const schedulerName = pod.spec.schedulerName ?? DEFAULT_NAME;
  const { profile: own, source, isServed } = profileOf(state, schedulerName, given);
  const wanted = choice?.schedulerName;
  const profile =
    wanted === undefined
      ? own
      : askedProfile(given ?? schedulerConfigurationIn(state), wanted, '/scheduler/schedulerName');
  const asked = choice?.outOfTreePlugins === 'leaveOut' ? inTreeOnly(profile) : profile;
  return { plugins: profilePlugins(asked, gates), schedulerName, source, isServed: isServed || wanted !== undefined };
}
