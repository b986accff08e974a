import { containersOf, containersWhere, isInUserNamespace, type Check, type CheckPod } from '../check.js';
import { containersText, quoted, sortedSet } from '../text.js';

const isMasked = (procMount: string | undefined): boolean => procMount === undefined || procMount === 'Default';

const masksAll: CheckPod = (pod) => {
  const bad = containersWhere(pod, ({ securityContext }) => !isMasked(securityContext?.procMount));
  if (bad.length === 0) return undefined;
  const types = containersOf(pod.spec).flatMap(({ securityContext: { procMount } = {} }) =>
    procMount === undefined || isMasked(procMount) ? [] : [procMount],
  );
  const values = quoted(sortedSet(types));
  return {
    reason: 'procMount',
    detail: `${containersText(bad)} must not set securityContext.procMount to ${values}`,
  };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_procMount_baseline.go. */
export const procMount: Check = {
  id: 'procMount',
  level: 'baseline',
  versions: [
    { since: 0, check: masksAll },
    { since: 35, check: (pod) => (isInUserNamespace(pod) ? undefined : masksAll(pod)) },
  ],
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_procMount_restricted.go. */
export const procMountRestricted: Check = {
  id: 'procMount_restricted',
  level: 'restricted',
  versions: [{ since: 35, check: masksAll, overrides: [procMount.id] }],
};
