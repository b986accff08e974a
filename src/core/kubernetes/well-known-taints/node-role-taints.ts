import type { WellKnownTaint } from './well-known-taint.js';

/** The taints that keep ordinary pods off the nodes of the control plane, and off those of add-ons. */
export const nodeRoleTaints: readonly WellKnownTaint[] = [
  {
    key: 'node-role.kubernetes.io/control-plane',
    match: 'exact',
    product: 'Kubernetes',
    effects: ['NoSchedule'],
    setBy: 'kubeadm, and most other installers',
    when: 'the node runs the control plane',
    removedBy: 'only an operator who allows ordinary pods on the control plane',
    since: '1.24 (kubeadm; as the only such taint since 1.25)',
    transient: false,
    legacy: false,
    source: 'kubernetes.io, Well-Known Labels, Annotations and Taints; kubeadm',
  },
  {
    key: 'node-role.kubernetes.io/master',
    match: 'exact',
    product: 'Kubernetes',
    effects: ['NoSchedule'],
    setBy: 'kubeadm up to 1.24; OpenShift still does',
    when: 'the node runs the control plane',
    removedBy: 'only an operator, or the upgrade to kubeadm 1.25',
    until: '1.24 (kubeadm)',
    transient: false,
    legacy: false,
    replacedBy: 'node-role.kubernetes.io/control-plane',
    notes:
      'Deprecated. A toleration of this key alone does not admit a pod to a control plane created by kubeadm 1.25 or later.',
    source: 'kubernetes.io, Well-Known Labels, Annotations and Taints; kubeadm',
  },
  {
    key: 'CriticalAddonsOnly',
    match: 'exact',
    product: 'AKS, and others by custom',
    effects: ['NoSchedule'],
    value: 'true',
    setBy: 'an operator, as AKS advises for a system node pool',
    when: 'the node is only for add-ons of the cluster',
    removedBy: 'an operator',
    transient: false,
    legacy: false,
    notes: 'Add-ons such as CoreDNS ship with a toleration of this key.',
    source: 'Azure Kubernetes Service documentation, system node pools',
  },
];
