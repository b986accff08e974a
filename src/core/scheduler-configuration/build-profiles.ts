import { quoteGo } from '../kubernetes/go-text.js';
import { buildProfile, ProfileBuildError, type BuiltProfile, type OutOfTreePlugins } from './build-profile.js';
import type { DefaultedConfiguration, DefaultedProfile, Extender } from './configuration-types.js';
import { sameArguments } from './validate-configuration.js';

/**
 * Builds every profile of a configuration, or returns the reason why kube-scheduler would not start, and the profile
 * that causes it.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/scheduler.go, `New`, and pkg/scheduler/profile/profile.go, `NewMap`.
 */
export function buildProfiles(
  { profiles, extenders }: DefaultedConfiguration,
  outOfTree: OutOfTreePlugins,
): { readonly profiles: readonly BuiltProfile[] } | { readonly error: string; readonly pointer: string } {
  const extending = extenderFault(extenders, profiles);
  if (extending !== undefined) return { error: `couldn't build extenders: ${extending}`, pointer: '/extenders' };
  const built: BuiltProfile[] = [];
  for (const [index, profile] of profiles.entries()) {
    const error = buildNext(profile, profiles[0], built, outOfTree);
    if (error !== undefined) return { error: `initializing profiles: ${error}`, pointer: `/profiles/${index}` };
  }
  return { profiles: built };
}

/** Builds one more profile, unless there is a reason against it. */
function buildNext(
  profile: DefaultedProfile,
  first: DefaultedProfile | undefined,
  built: BuiltProfile[],
  outOfTree: OutOfTreePlugins,
): string | undefined {
  let next: BuiltProfile;
  try {
    next = buildProfile(profile, outOfTree);
  } catch (error) {
    if (!(error instanceof ProfileBuildError)) throw error;
    return `creating profile for scheduler name ${profile.schedulerName}: ${error.message}`;
  }
  built.push(next);
  const sort = next.enabled.queueSort[0] ?? '';
  const firstSort = built[0]?.enabled.queueSort[0] ?? '';
  if (sort !== firstSort) return `different queue sort plugins: ${quoteGo(firstSort)} and ${quoteGo(sort)}`;
  const argumentsIn = (of: DefaultedProfile | undefined) => of?.pluginConfig.find(({ name }) => name === sort)?.args;
  return sameArguments(argumentsIn(first), argumentsIn(profile)) ? undefined : 'different queue sort plugin args';
}

/** `buildExtenders`; files named in a TLS configuration are not read. */
function extenderFault(extenders: readonly Extender[], profiles: readonly DefaultedProfile[]): string | undefined {
  if (extenders.some(isContradictory)) {
    return 'specifying a root certificates file with the insecure flag is not allowed';
  }
  if (ignoredResources(extenders).length === 0) return undefined;
  const missing = profiles.some(({ pluginConfig }) => !pluginConfig.some(({ name }) => name === 'NodeResourcesFit'));
  return missing ? "can't find NodeResourcesFitArgs in plugin config" : undefined;
}

function isContradictory({ tlsConfig: { insecure = false, caFile = '', caData = '' } = {} }: Extender): boolean {
  return insecure && (caFile !== '' || caData !== '');
}

/** The resources that extenders manage: in every profile they replace NodeResourcesFit's own `ignoredResources`. */
export const ignoredResources = (extenders: readonly Extender[]): readonly string[] =>
  extenders.flatMap(({ managedResources = [] }) =>
    managedResources.filter(({ ignoredByScheduler = false }) => ignoredByScheduler).map(({ name = '' }) => name),
  );
