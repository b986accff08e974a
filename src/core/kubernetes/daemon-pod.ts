import { defined } from '../collections/defined.js';
import { matchRequiredNodeAffinity, requiredNodeAffinity } from './node-selector.js';
import type { OwnerReference } from './objects/meta.js';
import type { Node } from './objects/node.js';
import type { Affinity, Pod, PodSpec } from './objects/pod.js';
import type { Toleration } from './objects/taints.js';
import type { DaemonSet } from './objects/workloads.js';
import { addOrUpdateToleration, findUntolerated, type TolerationGates } from './toleration.js';

const exists = (key: string, effect: string): Toleration => ({ key, operator: 'Exists', effect });

/** The tolerations of every daemon pod, in the order in which the controller adds them. */
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
 * The tolerations of a DaemonSet's pods: those of the template, then those that the controller adds.
 *
 * A template's toleration that equals an added one in key, operator, effect and value is replaced at its position, so its
 * `tolerationSeconds` is lost: `{not-ready, Exists, NoExecute, 300}` becomes a toleration without a time limit. With any other
 * difference, such as an absent effect, both are kept.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/daemon/util, `AddOrUpdateDaemonPodTolerations`.
 */
export function daemonPodTolerations(spec: PodSpec): readonly Toleration[] {
  const added = spec.hostNetwork === true ? [...TOLERATED, TOLERATED_ON_HOST_NETWORK] : TOLERATED;
  return added.reduce(addOrUpdateToleration, spec.tolerations ?? []);
}

/**
 * The affinity of the daemon pod for one node: all required node affinity terms are replaced with one for the node's name.
 * Preferred terms and affinity to other pods are unchanged.
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
 * The pod that the DaemonSet controller creates for a node, not yet bound: the scheduler places it by its affinity. It has no
 * name, only `generateName`, and lacks the labels for the template's hash and generation.
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

/** The DaemonSet controller's decision about a node. */
export interface DaemonPodDecision {
  /** Whether the controller creates a pod on the node if there is none. */
  readonly shouldRun: boolean;
  /** Whether an existing pod may stay. */
  readonly shouldContinueRunning: boolean;
}

/**
 * Whether a DaemonSet's pod should run on a node, by the template's node name, node selector and required affinity, and by the
 * node's taints. `spec.unschedulable` and PreferNoSchedule taints do not count; an untolerated NoSchedule taint keeps new pods
 * off, but existing ones stay.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/daemon, `NodeShouldRunDaemonPod`.
 */
export function nodeShouldRunDaemonPod(daemonSet: DaemonSet, node: Node, gates: TolerationGates): DaemonPodDecision {
  const spec: PodSpec = daemonSet.spec?.template?.spec ?? { containers: [] };
  const { nodeName = '' } = spec;
  const isNamed = nodeName === '' || nodeName === node.metadata.name;
  // An invalid required term does not match, and causes no error here.
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
