import { containersWhere, isWindows, type Check, type CheckPod } from '../check.js';
import { containersText } from '../text.js';

const forbidsEscalation: CheckPod = (pod) => {
  const bad = containersWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_allowPrivilegeEscalation.go. */
export const allowPrivilegeEscalation: Check = {
  id: 'allowPrivilegeEscalation',
  level: 'restricted',
  versions: [
    { since: 8, check: forbidsEscalation },
    { since: 25, check: (pod) => (isWindows(pod) ? undefined : forbidsEscalation(pod)) },
  ],
};
