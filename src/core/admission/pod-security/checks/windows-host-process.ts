import { containersWhere, type Check, type CheckPod } from '../check.js';
import { settersText } from '../text.js';

const runsNone: CheckPod = (pod) => {
  const isPod = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
  const bad = containersWhere(pod, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  if (!isPod && bad.length === 0) return undefined;
  const setters = settersText(isPod, bad);
  return { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_windowsHostProcess.go. */
export const windowsHostProcess: Check = {
  id: 'windowsHostProcess',
  level: 'baseline',
  versions: [{ since: 0, check: runsNone }],
};
