import { containersWhere, isInUserNamespace, type Check, type CheckPod } from '../check.js';
import { settersText } from '../text.js';

const forbidsRoot: CheckPod = (pod) => {
  const isPod = pod.spec.securityContext?.runAsUser === 0;
  const bad = containersWhere(pod, ({ securityContext }) => securityContext?.runAsUser === 0);
  if (!isPod && bad.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${settersText(isPod, bad)} must not set runAsUser=0` };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_runAsUser.go. */
export const runAsUser: Check = {
  id: 'runAsUser',
  level: 'restricted',
  versions: [
    { since: 23, check: forbidsRoot },
    { since: 35, check: (pod) => (isInUserNamespace(pod) ? undefined : forbidsRoot(pod)) },
  ],
};
