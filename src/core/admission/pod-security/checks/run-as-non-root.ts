import { containersWhere, isInUserNamespace, type Check, type CheckPod } from '../check.js';
import { containersText, settersText } from '../text.js';

const demandsNonRoot: CheckPod = (pod) => {
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const refusing = containersWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  const silent = containersWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  const reason = 'runAsNonRoot != true';
  if (ofPod === false || refusing.length > 0) {
    const setters = settersText(ofPod === false, refusing);
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  }
  if (ofPod === true || silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true` };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_runAsNonRoot.go. */
export const runAsNonRoot: Check = {
  id: 'runAsNonRoot',
  level: 'restricted',
  versions: [
    { since: 0, check: demandsNonRoot },
    { since: 35, check: (pod) => (isInUserNamespace(pod) ? undefined : demandsNonRoot(pod)) },
  ],
};
