/** Answers as the documentation shows them. */
export const BASIS = {
  cluster: 'example',
  revision: 1,
  capturedAt: '2026-05-04T03:02:01.000Z',
  ageSeconds: 42,
  kubernetesVersion: 'v1.34.1',
  rulesVersion: 'v1.36.2',
  intents: { unconfirmedNodes: 0, included: true },
  scenario: null,
  decisionId: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11',
};

export const TAINT = {
  key: 'dedicated',
  value: 'gpu',
  effect: 'NoSchedule',
  timeAdded: null,
  text: 'dedicated=gpu:NoSchedule',
  wellKnown: null,
};

export const NODE = {
  name: 'node-1',
  createdAt: '2026-05-01T00:00:00Z',
  labels: { 'kubernetes.io/hostname': 'node-1' },
  taints: [TAINT],
  unschedulable: false,
  conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: null, lastTransitionTime: null }],
  allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
  requested: { cpu: '1500m', memory: '2Gi' },
  podCount: 3,
  kubeletVersion: 'v1.34.1',
  operatingSystem: 'linux',
  architecture: 'amd64',
  version: '9f86d081884c7d659a2feaa0c55ad015',
};

export const WORKLOAD = { kind: 'Deployment', namespace: 'default', name: 'web' };

export const TOLERATION = {
  key: 'dedicated',
  operator: 'Equal',
  value: 'gpu',
  effect: 'NoSchedule',
  tolerationSeconds: null,
  text: 'dedicated=gpu NoSchedule',
};

export const POD = {
  namespace: 'default',
  name: 'web-0',
  createdAt: '2026-05-01T00:00:00Z',
  labels: { app: 'web' },
  node: 'node-1',
  nominatedNode: null,
  phase: 'Running',
  workload: WORKLOAD,
  tolerations: [TOLERATION],
  requests: { cpu: '250m' },
  qosClass: 'Burstable',
  priority: 0,
  priorityClass: null,
  schedulerName: 'default-scheduler',
  disruption: null,
};

export const END = { continue: null, remainingItemCount: 0 };

export const TOLERATION_SET = { tolerations: [TOLERATION], pods: 3, workloads: 1, examples: [WORKLOAD] };

export const PODS_ALLOWED = {
  basis: BASIS,
  taints: [TAINT],
  pods: { allowed: 0, refused: 3 },
  workloads: { allowed: 0, refused: 1 },
  items: [
    {
      workload: WORKLOAD,
      allowed: false,
      pods: 3,
      examples: ['default/web-0'],
      untolerated: [TAINT],
      discouraged: [],
    },
  ],
  ...END,
};

export const MANIFEST = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'job' },
  spec: { containers: [{ name: 'main', image: 'busybox' }], tolerations: [{ operator: 'Exists' }] },
};

export const FINDING = {
  code: 'tolerates-everything',
  severity: 'warning',
  subject: { kind: 'Pod', namespace: 'default', name: 'job' },
  field: 'spec.tolerations[0]',
  pointer: '/spec/tolerations/0',
  message: 'Exists without a key and without an effect tolerates every taint there is and ever will be.',
  suggestions: [],
  occurrences: null,
};

export const COUNTS = { error: 0, warning: 1, info: 0 };
