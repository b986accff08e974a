import { FieldPath } from './field-path.js';
import type { Profile, WholePod, WholePodSpec } from './objects/whole-pod.js';
import { validateAppArmorProfile } from './validation/pod/security-context.js';

const PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';

/**
 * The spec of a new pod in which the AppArmor profiles that annotations of old name also stand in the fields of the containers, where
 * these have none and the pod's is another.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/strategy.go, `applyAppArmorVersionSkew`.
 */
export function withAppArmorFields({ metadata, spec }: Pick<WholePod, 'metadata' | 'spec'>): WholePodSpec {
  const profiles = new Map(
    Object.entries(metadata.annotations ?? {}).flatMap(([key, value]) => {
      const profile = key.startsWith(PREFIX) ? profileOf(value) : undefined;
      return profile === undefined ? [] : [[key.slice(PREFIX.length), profile] as const];
    }),
  );
  if (profiles.size === 0 || spec.os?.name === 'windows') return spec;
  const ofPod = spec.securityContext?.appArmorProfile;
  const synced = <C extends Secured>(containers: readonly C[]): readonly C[] =>
    containers.map((container) => {
      const { name = '', securityContext } = container;
      const profile = profiles.get(name);
      if (profile === undefined || securityContext?.appArmorProfile !== undefined || isSame(profile, ofPod)) {
        return container;
      }
      return { ...container, securityContext: { ...securityContext, appArmorProfile: profile } };
    });
  const { containers, initContainers, ephemeralContainers } = spec;
  return {
    ...spec,
    containers: synced(containers),
    ...(initContainers && { initContainers: synced(initContainers) }),
    ...(ephemeralContainers && { ephemeralContainers: synced(ephemeralContainers) }),
  };
}

interface Secured {
  readonly name?: string;
  readonly securityContext?: { readonly appArmorProfile?: Profile };
}

/** `ApparmorFieldForAnnotation`, pkg/api/pod/util.go; undefined for what would not be valid as a field. */
function profileOf(annotation: string): Profile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith(LOCALHOST)) return undefined;
  const profile = { type: 'Localhost', localhostProfile: annotation.slice(LOCALHOST.length) };
  return validateAppArmorProfile(profile, FieldPath.of('profile')).length === 0 ? profile : undefined;
}

const isSame = (a: Profile, b: Profile | undefined): boolean =>
  a.type === b?.type && a.localhostProfile === b?.localhostProfile;
