import { quoteGo } from '../../../kubernetes/go-text.js';
import type { Profile } from '../../../kubernetes/objects/whole-pod.js';
import { containersOf, containersWhere, isWindows, type Check, type CheckPod, type Violation } from '../check.js';
import { containersText, plural, quoted, settersText, sortedSet } from '../text.js';

const POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';

const reason = 'seccompProfile';

const isAnnotationAllowed = (value: string): boolean =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');

/** Before the field, annotations named the profiles. */
const allowsAnnotations: CheckPod = ({ metadata: { annotations = {} } = {}, spec }) => {
  const keys = [POD_ANNOTATION, ...containersOf(spec).map(({ name = '' }) => `${CONTAINER_PREFIX}${name}`)];
  const bad = keys.flatMap((key) => {
    const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    return value === undefined || isAnnotationAllowed(value) ? [] : [`${key}=${quoteGo(value)}`];
  });
  if (bad.length === 0) return undefined;
  const list = sortedSet(bad);
  return { reason, detail: `forbidden ${plural('annotation', 'annotations', list)} ${list.join(', ')}` };
};

const isGood = (profile: Profile | undefined): boolean =>
  profile?.type === 'Localhost' || profile?.type === 'RuntimeDefault';

const isBad = (profile: Profile | undefined): boolean => profile !== undefined && !isGood(profile);

const allowsFields: CheckPod = (pod) => {
  const ofPod = pod.spec.securityContext?.seccompProfile;
  const bad = containersWhere(pod, ({ securityContext }) => isBad(securityContext?.seccompProfile));
  if (!isBad(ofPod) && bad.length === 0) return undefined;
  const ofContainers = containersOf(pod.spec).map(({ securityContext }) => securityContext?.seccompProfile);
  const types = [ofPod, ...ofContainers].filter(isBad).map((profile) => profile?.type ?? '');
  const setters = settersText(isBad(ofPod), bad);
  const values = quoted(sortedSet(types));
  return { reason, detail: `${setters} must not set securityContext.seccompProfile.type to ${values}` };
};

const demandsFields: CheckPod = (pod) => allowsFields(pod) ?? withoutProfile(pod);

const withoutProfile: CheckPod = (pod): Violation | undefined => {
  if (isGood(pod.spec.securityContext?.seccompProfile)) return undefined;
  const silent = containersWhere(pod, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  const values = '"RuntimeDefault" or "Localhost"';
  const detail = `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to ${values}`;
  return { reason, detail };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_seccompProfile_baseline.go. */
export const seccompBaseline: Check = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  versions: [
    { since: 0, check: allowsAnnotations },
    { since: 19, check: allowsFields },
  ],
};

const overrides = [seccompBaseline.id];

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_seccompProfile_restricted.go. */
export const seccompRestricted: Check = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  versions: [
    { since: 19, check: demandsFields, overrides },
    { since: 25, check: (pod) => (isWindows(pod) ? undefined : demandsFields(pod)), overrides },
  ],
};
