import type { WellKnownTaint } from './well-known-taint.js';

const PLAIN = 'In v1.36 it is a plain string without a special meaning.';

/** Keys of early Kubernetes versions that still occur in manifests and articles. */
export const legacyTaints: readonly WellKnownTaint[] = [
  {
    key: 'node.alpha.kubernetes.io/notReady',
    match: 'exact',
    product: 'Kubernetes',
    effects: ['NoExecute'],
    setBy: 'the node controller of early versions (alpha TaintBasedEvictions)',
    when: "the node's Ready condition was False",
    removedBy: 'no component: the key is no longer used',
    since: '1.6',
    until: '1.13',
    transient: true,
    legacy: true,
    replacedBy: 'node.kubernetes.io/not-ready',
    notes: `${PLAIN} Admission also adds its default of 300 seconds for node.kubernetes.io/not-ready.`,
    source: 'Kubernetes 1.14 release notes, kubernetes/kubernetes#73001',
  },
  {
    key: 'node.alpha.kubernetes.io/unreachable',
    match: 'exact',
    product: 'Kubernetes',
    effects: ['NoExecute'],
    setBy: 'the node controller of early versions (alpha TaintBasedEvictions)',
    when: "the node's Ready condition was Unknown",
    removedBy: 'no component: the key is no longer used',
    since: '1.6',
    until: '1.13',
    transient: true,
    legacy: true,
    replacedBy: 'node.kubernetes.io/unreachable',
    notes: `${PLAIN} Admission also adds its default of 300 seconds for node.kubernetes.io/unreachable.`,
    source: 'Kubernetes 1.14 release notes, kubernetes/kubernetes#73001',
  },
  {
    key: 'node.kubernetes.io/out-of-disk',
    match: 'exact',
    product: 'Kubernetes',
    effects: ['NoSchedule'],
    setBy: 'the node controller of early versions (alpha TaintNodesByCondition)',
    when: "the node's OutOfDisk condition was True, which the kubelet has not reported since 1.12",
    removedBy: 'no component: the key is no longer used',
    until: '1.12',
    transient: true,
    legacy: true,
    replacedBy: 'node.kubernetes.io/disk-pressure',
    notes: PLAIN,
    source:
      'k8s.io/kubernetes v1.14, kubelet nodestatus setters (OutOfDisk removed in 1.12), kubernetes/kubernetes#72507',
  },
];
