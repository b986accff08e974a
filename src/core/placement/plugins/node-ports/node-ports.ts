import { hostPortsConflict, hostPortsOf, type HostPort } from '../../../cluster/host-ports.js';
import type { PodTable } from '../../../cluster/pod-table.js';
import { SUCCESS, UNSCHEDULABLE, type FilterPlugin, type PreFilterExtensions } from '../../plugin.js';
import { podField, type Reason } from '../../reason.js';

export const NAME = 'NodePorts';

const MESSAGE = "node(s) didn't have free ports for the requested pod ports";

/**
 * The pod's host ports must be free on the node. Ports that the pod itself asks for twice do not conflict here.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodeports/node_ports.go.
 */
export const nodePorts: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod, nominated }) => {
    const wanted = hostPortsOf(pod.spec, state.rules);
    if (wanted.length === 0) return { outcome: 'Skip' };
    const { pods } = state;
    const taken = new Map<number, number[]>();
    const bySpec = new Map<number, boolean>();
    const mark = (other: number, node: number): void => {
      const spec = pods.specId(other);
      let conflict = bySpec.get(spec);
      if (conflict === undefined) {
        conflict = pods.hostPorts(other).some((port) => wanted.some((own) => hostPortsConflict(own, port)));
        bySpec.set(spec, conflict);
      }
      if (!conflict) return;
      const found = taken.get(node);
      if (found === undefined) taken.set(node, [other]);
      else found.push(other);
    };
    for (const other of pods.withHostPorts()) mark(other, pods.nodeIndex(other));
    for (const { pod: other, nodeIndex } of nominated) mark(other, nodeIndex);
    return {
      outcome: 'Filter',
      filter: {
        status: (node) => (taken.has(node) ? UNSCHEDULABLE : SUCCESS),
        commonReasonKey: () => 0,
        commonReasons: () => [{ code: 'HostPortConflict', message: MESSAGE }],
        preFilterExtensions: (node, moving) => {
          const before = nominated.filter(({ nodeIndex }) => nodeIndex === node).map(({ pod: other }) => other);
          return portExtensions(pods, { onNode: state.nodes.podsOf(node), nominated: before, moving }, wanted);
        },
        explain: (node) => {
          const others = taken.get(node) ?? [];
          return wanted.flatMap((own) => {
            const conflicting = others.filter((other) =>
              pods.hostPorts(other).some((port) => hostPortsConflict(own, port)),
            );
            return conflicting.length === 0 ? [] : [reason(own, conflicting.map((other) => pods.key(other)).sort())];
          });
        },
      },
    };
  },
};

/**
 * The ports that are taken are a set: where two pods of a node hold the same port, it is free as soon as one of them goes.
 *
 * Source: k8s.io/kube-scheduler v0.36.2, framework/types.go, `HostPortInfo.Remove`.
 */
function portExtensions(
  pods: PodTable,
  {
    onNode,
    nominated,
    moving,
  }: {
    readonly onNode: Iterable<number>;
    readonly nominated: readonly number[];
    readonly moving: readonly number[];
  },
  wanted: readonly HostPort[],
): PreFilterExtensions {
  const taken = new Map<string, HostPort>();
  const add = (pod: number): void => {
    for (const port of pods.hostPorts(pod)) taken.set(keyOf(port), port);
  };
  for (const pod of onNode) if (pods.active(pod)) add(pod);
  const conflicts = (port: HostPort): boolean => wanted.some((own) => hostPortsConflict(own, port));
  const repelled = nominated.some((pod) => pods.hostPorts(pod).some(conflicts));
  return {
    removePod: (place) => {
      for (const port of pods.hostPorts(moving[place]!)) taken.delete(keyOf(port));
    },
    addPod: (place) => {
      add(moving[place]!);
    },
    status: () => (repelled || [...taken.values()].some(conflicts) ? UNSCHEDULABLE : SUCCESS),
    messages: () => [MESSAGE],
  };
}

const keyOf = ({ ip, protocol, port }: HostPort): string => `${ip} ${protocol} ${port}`;

function reason({ ip, protocol, port, container }: HostPort, pods: readonly string[]): Reason {
  return {
    plugin: NAME,
    code: 'HostPortConflict',
    status: 'Unschedulable',
    message: MESSAGE,
    facts: { hostPort: { port, protocol, hostIP: ip }, pods },
    fields: [podField('spec', container.list, container.index, 'ports', container.port, 'hostPort')],
  };
}
