import { containersOf, containersWhere, type Check, type CheckPod } from '../check.js';
import { containersText, quoted, sortedSet } from '../text.js';

const ALLOWED: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

const isForbidden = (capability: string): boolean => !ALLOWED.has(capability);

const allowsDefaults: CheckPod = (pod) => {
  const bad = containersWhere(pod, ({ securityContext }) => added(securityContext).some(isForbidden));
  if (bad.length === 0) return undefined;
  const capabilities = containersOf(pod.spec).flatMap(({ securityContext }) =>
    added(securityContext).filter(isForbidden),
  );
  const values = quoted(sortedSet(capabilities));
  return {
    reason: 'non-default capabilities',
    detail: `${containersText(bad)} must not include ${values} in securityContext.capabilities.add`,
  };
};

const added = (
  context: { readonly capabilities?: { readonly add?: readonly string[] } } | undefined,
): readonly string[] => context?.capabilities?.add ?? [];

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_capabilities_baseline.go. */
export const capabilitiesBaseline: Check = {
  id: 'capabilities_baseline',
  level: 'baseline',
  versions: [{ since: 0, check: allowsDefaults }],
};
