import { containersWhere, type Check, type CheckPod } from '../check.js';
import { containersText } from '../text.js';

const runsNone: CheckPod = (pod) => {
  const bad = containersWhere(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${containersText(bad)} must not set securityContext.privileged=true` };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_privileged.go. */
export const privileged: Check = {
  id: 'privileged',
  level: 'baseline',
  versions: [{ since: 0, check: runsNone }],
};
