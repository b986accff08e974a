import { quoteGo } from '../../../kubernetes/go-text.js';
import type { Profile } from '../../../kubernetes/objects/whole-pod.js';
import { containersOf, containersWhere, type Check, type CheckPod } from '../check.js';
import { plural, quoted, settersText, sortedSet } from '../text.js';

const PREFIX = 'container.apparmor.security.beta.kubernetes.io/';

const isAnnotationAllowed = (profile: string): boolean =>
  profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');

const isBad = (profile: Profile | undefined): boolean =>
  profile !== undefined && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost';

const allowsProfiles: CheckPod = (pod) => {
  const { metadata, spec } = pod;
  const ofPod = spec.securityContext?.appArmorProfile;
  const ofContainers = containersOf(spec).map(({ securityContext }) => securityContext?.appArmorProfile);
  const bad = containersWhere(pod, ({ securityContext }) => isBad(securityContext?.appArmorProfile));
  const types = [ofPod, ...ofContainers].filter(isBad).map((profile) => profile?.type ?? '');
  const annotations = Object.entries(metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(PREFIX) && !isAnnotationAllowed(value))
    .map(([key, value]) => `${key}=${quoteGo(value)}`);
  const values = [...sortedSet(types), ...sortedSet(annotations)];
  if (values.length === 0) return undefined;
  const setters = settersText(
    isBad(ofPod),
    bad,
    ...(annotations.length > 0 ? [plural('annotation', 'annotations', annotations)] : []),
  );
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', values),
    detail: `${setters} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_appArmorProfile.go. */
export const appArmorProfile: Check = {
  id: 'appArmorProfile',
  level: 'baseline',
  versions: [{ since: 0, check: allowsProfiles }],
};
