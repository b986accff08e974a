import type { ContainerPort } from '../../../kubernetes/objects/pod.js';
import { containersOf, containersWhere, type Check, type CheckPod } from '../check.js';
import { containersText, plural, sortedSet } from '../text.js';

const hostPorts = (ports: readonly ContainerPort[] = []): readonly number[] =>
  ports.map(({ hostPort = 0 }) => hostPort).filter((port) => port !== 0);

const usesNone: CheckPod = (pod) => {
  const bad = containersWhere(pod, ({ ports }) => hostPorts(ports).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sortedSet(containersOf(pod.spec).flatMap((container) => hostPorts(container.ports).map(String)));
  const list = `${plural('hostPort', 'hostPorts', ports)} ${ports.join(', ')}`;
  return { reason: 'hostPort', detail: `${containersText(bad)} ${plural('uses', 'use', bad)} ${list}` };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_hostPorts.go. */
export const hostPortsCheck: Check = {
  id: 'hostPorts',
  level: 'baseline',
  versions: [{ since: 0, check: usesNone }],
};
