import type { Check, CheckPod } from '../check.js';

const sharesNone: CheckPod = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_hostNamespaces.go. */
export const hostNamespaces: Check = {
  id: 'hostNamespaces',
  level: 'baseline',
  versions: [{ since: 0, check: sharesNone }],
};
