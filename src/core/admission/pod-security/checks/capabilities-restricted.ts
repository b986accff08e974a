import { containersOf, containersWhere, isWindows, type Check, type CheckPod } from '../check.js';
import { containersText, quoted, sortedSet } from '../text.js';
import { capabilitiesBaseline } from './capabilities-baseline.js';

const isForbidden = (capability: string): boolean => capability !== 'NET_BIND_SERVICE';

const dropsAll: CheckPod = (pod) => {
  const keeping = containersWhere(
    pod,
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true,
  );
  const adding = containersWhere(
    pod,
    ({ securityContext }) => securityContext?.capabilities?.add?.some(isForbidden) === true,
  );
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const added = containersOf(pod.spec).flatMap(({ securityContext }) => securityContext?.capabilities?.add ?? []);
    const values = quoted(sortedSet(added.filter(isForbidden)));
    details.push(`${containersText(adding)} must not include ${values} in securityContext.capabilities.add`);
  }
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const overrides = [capabilitiesBaseline.id];

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_capabilities_restricted.go. */
export const capabilitiesRestricted: Check = {
  id: 'capabilities_restricted',
  level: 'restricted',
  versions: [
    { since: 22, check: dropsAll, overrides },
    { since: 25, check: (pod) => (isWindows(pod) ? undefined : dropsAll(pod)), overrides },
  ],
};
