import { defined } from '../collections/defined.js';
import { compare } from '../json/compare.js';
import type { JsonObject } from '../json/json-value.js';
import { SECOND } from '../kubernetes/go-duration.js';
import { argumentsOf, isArgumentsOwner, type ArgumentsOwner } from '../placement/plugin-arguments.js';
import type {
  DefaultedConfiguration,
  DefaultedProfile,
  KubeSchedulerConfiguration,
  PluginConfig,
  WrittenProfile,
} from './configuration-types.js';
import { mergePlugins } from './default-plugins.js';

/**
 * Applies the defaults of a configuration.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/apis/config/v1/defaults.go,
 * `SetDefaults_KubeSchedulerConfiguration`; k8s.io/component-base v0.36.2, config/v1alpha1/defaults.go.
 */
export function defaultConfiguration(given: KubeSchedulerConfiguration): DefaultedConfiguration {
  const { leaderElection: election = {}, profiles = [] } = given;
  const written = profiles.length === 0 ? [{}] : profiles;
  const unnamed = written.length === 1 ? 'default-scheduler' : '';
  return {
    parallelism: given.parallelism ?? 16,
    leaderElection: {
      leaderElect: election.leaderElect ?? true,
      leaseDuration: orElse(election.leaseDuration, 15n * SECOND),
      renewDeadline: orElse(election.renewDeadline, 10n * SECOND),
      retryPeriod: orElse(election.retryPeriod, 2n * SECOND),
      resourceLock: orElse(election.resourceLock, 'leases'),
    },
    burst: orElse(given.clientConnection?.burst, 100),
    percentageOfNodesToScore: given.percentageOfNodesToScore ?? 0,
    podInitialBackoffSeconds: given.podInitialBackoffSeconds ?? 1,
    podMaxBackoffSeconds: given.podMaxBackoffSeconds ?? 10,
    profiles: written.map((profile) => defaultProfile(profile, unnamed)),
    extenders: given.extenders ?? [],
  };
}

/** A value, or its default if it is absent or Go's zero value. */
function orElse<T extends string | number | bigint>(given: T | undefined, otherwise: T): T {
  return given === undefined || given === '' || given == 0 ? otherwise : given;
}

/** `setDefaults_KubeSchedulerProfile`: plugins, and the arguments of all enabled plugins. */
function defaultProfile(profile: WrittenProfile, unnamed: string): DefaultedProfile {
  const plugins = mergePlugins(profile.plugins);
  const given = (profile.pluginConfig ?? []).map(({ name = '', args }): PluginConfig => {
    return isArgumentsOwner(name)
      ? { name, known: true, args: defaultArguments(name, args as JsonObject) }
      : { name, known: false, args };
  });
  const enabled = new Set(Object.values(plugins).flatMap((set) => (set.enabled ?? []).map(({ name }) => name)));
  const more = [...enabled]
    .filter((name) => isArgumentsOwner(name))
    .filter((name) => !given.some((config) => config.name === name))
    .sort(compare)
    .map((name): PluginConfig => ({ name, known: true, args: defaultArguments(name, {}) }));
  return {
    schedulerName: profile.schedulerName ?? unnamed,
    ...defined({ percentageOfNodesToScore: profile.percentageOfNodesToScore }),
    plugins,
    pluginConfig: [...given, ...more],
  };
}

/** The arguments of one plugin with its defaults. */
export const defaultArguments = (owner: ArgumentsOwner, args: JsonObject): JsonObject =>
  argumentsOf(owner).defaults(args) as JsonObject;
