import type { PodSpec } from '../kubernetes/objects/pod.js';

/** A port that a pod takes of its node, as the scheduler compares it: IP and protocol filled in. */
export interface HostPort {
  /** `0.0.0.0` (every address) where none is given. */
  readonly ip: string;
  /** `TCP` where none is given. */
  readonly protocol: string;
  readonly port: number;
  /** Where in the pod's spec it stands: `containers` or `initContainers`, and the indices there. */
  readonly container: { readonly list: 'containers' | 'initContainers'; readonly index: number; readonly port: number };
}

const EVERY_ADDRESS = '0.0.0.0';

/**
 * The host ports of a pod: those of its containers and of its restartable init containers (sidecars), with a host port
 * above 0. Ports that an init container takes while it runs do not count.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/util/utils.go, `GetHostPorts`; `sanitize` of `HostPortInfo` in
 * k8s.io/kube-scheduler v0.36.2, framework/types.go.
 */
export function hostPortsOf(spec: PodSpec): readonly HostPort[] {
  const ports: HostPort[] = [];
  for (const list of ['containers', 'initContainers'] as const) {
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
 * Whether two host ports cannot be on one node: same port and protocol, and the same address or one of them every
 * address. Only `0.0.0.0` is every address; `::` is an address like another.
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

const filled = (text: string | undefined, otherwise: string): string =>
  text === undefined || text === '' ? otherwise : text;
