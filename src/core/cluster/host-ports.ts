import { SIDECAR_PORTS_SINCE, type KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';

/** A port that a pod uses on its node, as the scheduler compares it: with defaults for IP and protocol. */
export interface HostPort {
  /** `0.0.0.0` (all addresses) by default. */
  readonly ip: string;
  /** `TCP` by default. */
  readonly protocol: string;
  readonly port: number;
  /** Its position in the pod's spec: `containers` or `initContainers`, and the indexes there. */
  readonly container: { readonly list: 'containers' | 'initContainers'; readonly index: number; readonly port: number };
}

const EVERY_ADDRESS = '0.0.0.0';

/**
 * The host ports of a pod: those of its containers and of its restartable init containers (sidecars), with a host port
 * above 0. Ports of other init containers do not count; before 1.33, nor do those of sidecars.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/util/utils.go, `GetHostPorts`; `sanitize` of `HostPortInfo` in
 * k8s.io/kube-scheduler v0.36.2, framework/types.go.
 */
export function hostPortsOf(spec: PodSpec, { minor }: KubernetesRules): readonly HostPort[] {
  const ports: HostPort[] = [];
  for (const list of minor >= SIDECAR_PORTS_SINCE ? BOTH : MAIN) {
    (spec[list] ?? []).forEach((container, index) => {
      if (list === 'initContainers' && container.restartPolicy !== 'Always') return;
      container.ports?.forEach((port, portIndex) => {
        if (port.hostPort === undefined || port.hostPort <= 0) return;
        ports.push({
          ip: filled(port.hostIP, EVERY_ADDRESS),
          protocol: filled(port.protocol, 'TCP'),
          port: port.hostPort,
          container: { list, index, port: portIndex },
        });
      });
    });
  }
  return ports;
}

/**
 * Whether two host ports conflict on one node: they have the same port and protocol, and either the same address, or
 * one of them is for all addresses. Only `0.0.0.0` means all addresses; `::` is an ordinary address.
 *
 * Source: k8s.io/kube-scheduler v0.36.2, framework/types.go, `HostPortInfo.CheckConflict`.
 */
export function hostPortsConflict(a: HostPort, b: HostPort): boolean {
  return (
    a.port === b.port &&
    a.protocol === b.protocol &&
    (a.ip === b.ip || a.ip === EVERY_ADDRESS || b.ip === EVERY_ADDRESS)
  );
}

const MAIN = ['containers'] as const;
const BOTH = ['containers', 'initContainers'] as const;

const filled = (text: string | undefined, otherwise: string): string =>
  text === undefined || text === '' ? otherwise : text;
