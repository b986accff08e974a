import { forbidden, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { Profile, WholePod } from '../../objects/whole-pod.js';
import { containersWithPath } from './containers-with-path.js';

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';

/**
 * Checks that a security profile that is set both in a field and in its former annotation is the same in both
 * (`validateSeccompAnnotationsAndFields`, `validateAppArmorAnnotationsAndFieldsMatchOnCreate`).
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateProfileAnnotations({ metadata, spec }: WholePod, path: FieldPath): FieldError[] {
  const annotations = new Map(Object.entries(metadata.annotations ?? {}));
  const errors: FieldError[] = [];
  const compare = (what: string, key: string, profile: Profile | undefined, at: FieldPath): void => {
    const annotation = annotations.get(key);
    if (annotation === undefined || profile === undefined) return;
    const wrong = disagreement(profile, annotation, what === 'seccomp' ? ['docker/default'] : []);
    if (wrong !== undefined) {
      const field = wrong === 'type' ? 'type' : 'profile';
      errors.push(forbidden(at.child(wrong), `${what} ${field} in annotation and field must match`));
    }
  };
  const ofPod = spec.securityContext;
  compare('seccomp', SECCOMP_POD, ofPod?.seccompProfile, path.child('securityContext', 'seccompProfile'));
  for (const { container, path: at } of containersWithPath(spec, path)) {
    const { name = '', securityContext } = container;
    const context = at.child('securityContext');
    compare('seccomp', `${SECCOMP_CONTAINER}${name}`, securityContext?.seccompProfile, context.child('seccompProfile'));
    if (spec.os?.name === 'windows') continue;
    const profile = securityContext?.appArmorProfile ?? ofPod?.appArmorProfile;
    compare('apparmor', `${APP_ARMOR}${name}`, profile, context.child('appArmorProfile'));
  }
  return errors;
}

/** The field of the profile that the annotation contradicts. */
function disagreement(
  { type, localhostProfile }: Profile,
  annotation: string,
  alsoDefault: readonly string[],
): 'type' | 'localhostProfile' | undefined {
  switch (type) {
    case 'Unconfined':
      return annotation === 'unconfined' ? undefined : 'type';
    case 'RuntimeDefault':
      return ['runtime/default', ...alsoDefault].includes(annotation) ? undefined : 'type';
    case 'Localhost':
      if (!annotation.startsWith(LOCALHOST)) return 'type';
      return annotation.slice(LOCALHOST.length) === localhostProfile ? undefined : 'localhostProfile';
    default:
      return undefined;
  }
}
