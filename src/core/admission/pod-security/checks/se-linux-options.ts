import type { SELinuxOptions } from '../../../kubernetes/objects/whole-pod.js';
import { containersOf, containersWhere, type Check, type CheckPod } from '../check.js';
import { plural, quoted, settersText, sortedSet } from '../text.js';

const TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const allowing =
  (types: readonly string[]): CheckPod =>
  (pod) => {
    const isBad = ({ type = '', user = '', role = '' }: SELinuxOptions = {}): boolean =>
      !types.includes(type) || user !== '' || role !== '';
    const ofPod = pod.spec.securityContext?.seLinuxOptions;
    const bad = containersWhere(pod, ({ securityContext }) => isBad(securityContext?.seLinuxOptions));
    if (!isBad(ofPod) && bad.length === 0) return undefined;
    const all = [ofPod, ...containersOf(pod.spec).map(({ securityContext }) => securityContext?.seLinuxOptions)];
    const badTypes = sortedSet(all.map((options) => options?.type ?? '').filter((type) => !types.includes(type)));
    const complaints: string[] = [];
    if (badTypes.length > 0) complaints.push(`${plural('type', 'types', badTypes)} ${quoted(badTypes)}`);
    if (all.some((options) => (options?.user ?? '') !== '')) complaints.push('user may not be set');
    if (all.some((options) => (options?.role ?? '') !== '')) complaints.push('role may not be set');
    const setters = settersText(isBad(ofPod), bad);
    return {
      reason: 'seLinuxOptions',
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${complaints.join('; ')}`,
    };
  };

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_seLinuxOptions.go. */
export const seLinuxOptions: Check = {
  id: 'seLinuxOptions',
  level: 'baseline',
  versions: [
    { since: 0, check: allowing(TYPES) },
    { since: 31, check: allowing([...TYPES, 'container_engine_t']) },
  ],
};
