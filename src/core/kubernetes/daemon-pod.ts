import { defined } from '../collections/defined.js';
import { matchRequiredNodeAffinity, requiredNodeAffinity } from './node-selector.js';
import type { OwnerReference } from './objects/meta.js';
import type { Node } from './objects/node.js';
import type { Affinity, Pod, PodSpec } from './objects/pod.js';
import type { Toleration } from './objects/taints.js';
import type { DaemonSet } from './objects/workloads.js';
import { addOrUpdateToleration, findUntolerated, type TolerationGates } from './toleration.js';

const exists = (key: string, effect: string): Toleration => ({ key, operator: 'Exists', effect });

/** What every daemon pod tolerates, in the order in which the controller adds it. */
const TOLERATED: readonly Toleration[] = [
  exists('node.kubernetes.io/not-ready', 'NoExecute'),
  exists('node.kubernetes.io/unreachable', 'NoExecute'),
  exists('node.kubernetes.io/disk-pressure', 'NoSchedule'),
  exists('node.kubernetes.io/memory-pressure', 'NoSchedule'),
  exists('node.kubernetes.io/pid-pressure', 'NoSchedule'),
  exists('node.kubernetes.io/unschedulable', 'NoSchedule'),
];

const TOLERATED_ON_HOST_NETWORK = exists('node.kubernetes.io/network-unavailable', 'NoSchedule');

/**
 * The tolerations of a DaemonSet's pods: the template's own, then those the controller adds.
 *
 * An own toleration that equals an added one in key, operator, effect and value is overwritten where it stands, so its
 * `tolerationSeconds` is lost: `{not-ready, Exists, NoExecute, 300}` becomes a toleration for ever. Any difference, such as
 * no effect, and both are kept.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/daemon/util, `AddOrUpdateDaemonPodTolerations`.
 */
export function daemonPodTolerations(spec: PodSpec): readonly Toleration[] {
  const added = spec.hostNetwork === true ? [...TOLERATED, TOLERATED_ON_HOST_NETWORK] : TOLERATED;
  return added.reduce(addOrUpdateToleration, spec.tolerations ?? []);
}

/**
 * The affinity of the daemon pod for one node: all required node affinity terms give way to one on the node's name. What
 * is preferred, and what concerns other pods, stays.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/daemon/util, `ReplaceDaemonSetPodNodeNameNodeAffinity`.
 */
export function daemonPodAffinity(affinity: Affinity | undefined, nodeName: string): Affinity {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}

/**
 * The pod that the DaemonSet controller creates for a node, not yet bound: the scheduler places it by its affinity. It has
 * no name, only `generateName`, and lacks the labels that carry the template's hash and generation.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/daemon, `syncNodes`.
 */
export function daemonPod(daemonSet: DaemonSet, nodeName: string): Pod {
  const { name, namespace, uid } = daemonSet.metadata;
  const template = daemonSet.spec?.template;
  const spec: PodSpec = template?.spec ?? { containers: [] };
  const owner: OwnerReference = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    name,
    ...defined({ uid }),
    controller: true,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...template?.metadata,
      name: '',
      generateName: `${name}-`,
      ...defined({ namespace }),
      ownerReferences: [owner],
    },
    spec: {
      ...spec,
      affinity: daemonPodAffinity(spec.affinity, nodeName),
      tolerations: daemonPodTolerations(spec),
    },
  };
}

/** What the DaemonSet controller decides about a node. */
export interface DaemonPodDecision {
  /** Whether a pod is to be created there, if there is none. */
  readonly shouldRun: boolean;
  /** Whether a pod that is there may stay. */
  readonly shouldContinueRunning: boolean;
}

/**
 * Whether a DaemonSet's pod belongs on a node: by the template's node name, node selector and required affinity, and by the
 * node's taints. `spec.unschedulable` does not count, nor does PreferNoSchedule; an untolerated NoSchedule taint keeps new
 * pods off but lets one stay.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/daemon, `NodeShouldRunDaemonPod`.
 */
export function nodeShouldRunDaemonPod(daemonSet: DaemonSet, node: Node, gates: TolerationGates): DaemonPodDecision {
  const spec: PodSpec = daemonSet.spec?.template?.spec ?? { containers: [] };
  const { nodeName = '' } = spec;
  const isNamed = nodeName === '' || nodeName === node.metadata.name;
  // A required term that is not valid just does not match here.
  if (!isNamed || !matchRequiredNodeAffinity(requiredNodeAffinity({ spec }), node).matches) {
    return { shouldRun: false, shouldContinueRunning: false };
  }
  const tolerations = daemonPodTolerations(spec);
  const untolerated = (...effects: string[]): boolean =>
    findUntolerated(tolerations, node.spec?.taints ?? [], effects, gates) !== undefined;
  return {
    shouldRun: !untolerated('NoSchedule', 'NoExecute'),
    shouldContinueRunning: !untolerated('NoExecute'),
  };
}
