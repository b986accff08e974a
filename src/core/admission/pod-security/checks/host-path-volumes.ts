import type { Check, CheckPod } from '../check.js';
import { plural, quoted } from '../text.js';

const mountsNone: CheckPod = ({ spec: { volumes = [] } }) => {
  const bad = volumes.filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (bad.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', bad)} ${quoted(bad)}` };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_hostPathVolumes.go. */
export const hostPathVolumes: Check = {
  id: 'hostPathVolumes',
  level: 'baseline',
  versions: [{ since: 0, check: mountsNone }],
};
