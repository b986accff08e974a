import type { WellKnownTaint } from './well-known-taint.js';

const LIFECYCLE = 'the node lifecycle controller of kube-controller-manager';
const SOURCE =
  'k8s.io/api v0.36.2, core/v1/well_known_taints.go; k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle';
const BY_CONDITION = '1.12 (TaintNodesByCondition on by default; alpha since 1.8)';

const nodeState = (
  key: string,
  when: string,
  removedBy: string,
  more: Partial<WellKnownTaint> = {},
): WellKnownTaint => ({
  key,
  match: 'exact',
  product: 'Kubernetes',
  effects: ['NoSchedule'],
  setBy: LIFECYCLE,
  when,
  removedBy,
  since: BY_CONDITION,
  transient: true,
  legacy: false,
  source: SOURCE,
  ...more,
});

const condition = (...[key, when, removedBy, more]: Parameters<typeof nodeState>): WellKnownTaint =>
  nodeState(key, when, removedBy, { keptBy: LIFECYCLE, ...more });

/** The taints for a node's conditions, for its cordon, and for a node that an operator declares out of service. */
export const nodeConditionTaints: readonly WellKnownTaint[] = [
  condition('node.kubernetes.io/not-ready', "the node's Ready condition is False", `${LIFECYCLE}, once Ready is True`, {
    effects: ['NoSchedule', 'NoExecute'],
    since: '1.12 for NoSchedule, 1.13 for NoExecute (TaintBasedEvictions on by default)',
    notes:
      'Admission (DefaultTolerationSeconds) adds a NoExecute toleration of 300 seconds to each pod that has none, so ' +
      'such a pod is evicted after 300 seconds, not immediately. New nodes also carry it from their registration until they are ready.',
  }),
  condition(
    'node.kubernetes.io/unreachable',
    "the node's Ready condition is Unknown: its kubelet is unreachable",
    `${LIFECYCLE}, once Ready is no longer Unknown`,
    {
      effects: ['NoSchedule', 'NoExecute'],
      since: '1.12 for NoSchedule, 1.13 for NoExecute (TaintBasedEvictions on by default)',
      notes:
        'Admission (DefaultTolerationSeconds) adds a NoExecute toleration of 300 seconds to each pod that has none. NoExecute ' +
        'is set at a limited rate for each zone, and not at all while every zone is unreachable.',
    },
  ),
  condition(
    'node.kubernetes.io/memory-pressure',
    "the node's MemoryPressure condition is True",
    `${LIFECYCLE}, once the condition is no longer True`,
    {
      notes:
        'The documentation says that pods other than BestEffort tolerate it automatically. In v1.36 only the admission ' +
        'plugin PodTolerationRestriction adds that toleration, and it is off by default; the DaemonSet controller adds it to its pods.',
    },
  ),
  condition(
    'node.kubernetes.io/disk-pressure',
    "the node's DiskPressure condition is True",
    `${LIFECYCLE}, once the condition is no longer True`,
    { notes: 'The DaemonSet controller adds a toleration for it to its pods.' },
  ),
  condition(
    'node.kubernetes.io/pid-pressure',
    "the node's PIDPressure condition is True",
    `${LIFECYCLE}, once the condition is no longer True`,
    { notes: 'The DaemonSet controller adds a toleration for it to its pods.' },
  ),
  condition(
    'node.kubernetes.io/network-unavailable',
    "the node's NetworkUnavailable condition is True: its routes are not set up yet",
    `${LIFECYCLE}, once the cloud provider's route controller or the network plugin sets the condition to False`,
    { notes: 'The DaemonSet controller adds a toleration for it to pods that use the host network only.' },
  ),
  condition(
    'node.kubernetes.io/unschedulable',
    'the node is cordoned (spec.unschedulable is true, as after kubectl cordon or drain)',
    `${LIFECYCLE}, once the node is uncordoned`,
    {
      notes:
        'The scheduler reads spec.unschedulable itself (plugin NodeUnschedulable), so removing the taint alone does not ' +
        'uncordon the node; a toleration of the taint does pass that check. The DaemonSet controller adds one to its pods.',
    },
  ),
  nodeState(
    'node.kubernetes.io/out-of-service',
    'an operator declares that the node is shut down, so that its pods and volumes are released immediately',
    'whoever set it, once the node is back or gone',
    {
      effects: ['NoExecute', 'NoSchedule'],
      value: 'nodeshutdown',
      setBy: 'an operator, or a tool for node remediation',
      since: '1.26 (NodeOutOfServiceVolumeDetach on by default; alpha since 1.24, stable since 1.28)',
      notes:
        'Pods on the node that do not tolerate it are force-deleted, and their volumes detached without waiting. Set it ' +
        'only on a node that is powered off: no component removes it.',
    },
  ),
];
