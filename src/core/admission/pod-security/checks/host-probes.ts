import type { Handler } from '../../../kubernetes/objects/whole-pod.js';
import { containersOf, type Check, type CheckPod } from '../check.js';
import { containersText, plural, quoted, sortedSet } from '../text.js';

const hostsOf = (handler: Handler | undefined): readonly string[] =>
  [handler?.httpGet?.host ?? '', handler?.tcpSocket?.host ?? ''].filter((host) => host !== '');

const namesNone: CheckPod = ({ spec }) => {
  const found = containersOf(spec).map(({ name = '', livenessProbe, readinessProbe, startupProbe, lifecycle }) => {
    const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
    return { name, hosts: handlers.flatMap(hostsOf) };
  });
  const bad = sortedSet(found.filter(({ hosts }) => hosts.length > 0).map(({ name }) => name));
  if (bad.length === 0) return undefined;
  const hosts = sortedSet(found.flatMap((container) => container.hosts));
  const list = `${plural('probe or lifecycle host', 'probe or lifecycle hosts', hosts)} ${quoted(hosts)}`;
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersText(bad)} ${plural('uses', 'use', bad)} ${list}`,
  };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_hostProbesAndhostLifecycle.go. */
export const hostProbes: Check = {
  id: 'hostProbesAndHostLifecycle',
  level: 'baseline',
  versions: [{ since: 34, check: namesNone }],
};
