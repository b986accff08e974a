const CAPTURED_AT = '2026-05-04T03:02:01.000Z';
const COUNTS = [{ kind: 'Node', added: 1, changed: 0, removed: 0, unchanged: 0 }];
const NONE = { count: 0, first: [] };

const BASIS = {
  cluster: 'example',
  revision: 1,
  capturedAt: CAPTURED_AT,
  ageSeconds: 0,
  kubernetesVersion: 'v1.34.1',
  rulesVersion: 'v1.36.2',
  intents: { unconfirmedNodes: 0, included: true },
  scenario: null,
  decisionId: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11',
};

const REPORT = {
  bytesRead: 412,
  bytesDecoded: 412,
  items: 1,
  kept: [{ kind: 'Node', count: 1 }],
  ignored: [],
  droppedFields: 0,
  unknownFields: NONE,
  duplicates: NONE,
  invalid: NONE,
  findings: NONE,
  kubeletVersions: { oldest: 'v1.34.1', newest: 'v1.34.1' },
};

const SNAPSHOT = {
  revision: 1,
  kind: 'snapshot',
  capturedAt: CAPTURED_AT,
  receivedAt: CAPTURED_AT,
  backfill: false,
  source: null,
  author: null,
  scope: { kinds: ['Node', 'Pod'], namespaces: null },
  loadedKinds: ['Node', 'Pod'],
  kubernetesVersion: 'v1.34.1',
  counts: COUNTS,
};

/** The body of a snapshot that can be sent as it is. */
export const SNAPSHOT_BODY = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-1', labels: { 'kubernetes.io/hostname': 'node-1' } },
      spec: { taints: [{ key: 'nvidia.com/gpu', value: 'true', effect: 'NoSchedule' }] },
      status: {
        allocatable: { cpu: '4', memory: '16Gi', pods: '110' },
        conditions: [{ type: 'Ready', status: 'True' }],
        nodeInfo: { kubeletVersion: 'v1.34.1' },
      },
    },
  ],
};

export const TAKEN_SNAPSHOT = {
  basis: BASIS,
  revision: 1,
  head: 1,
  previous: null,
  clusterCreated: true,
  unchanged: false,
  counts: COUNTS,
  removed: [],
  report: REPORT,
};

export const LIST = { items: [SNAPSHOT], continue: null, remainingItemCount: 0 };

export const DETAILS = { basis: BASIS, snapshot: SNAPSHOT, report: REPORT };

export const DIFFERENCE = {
  basis: { ...BASIS, revision: 2 },
  from: { revision: 1, capturedAt: CAPTURED_AT },
  summary: {
    nodes: { added: 0, removed: 0, changed: 1 },
    pods: { before: 3, after: 4, added: 2, removed: 1, moved: 0, scheduled: 0 },
    workloads: 1,
  },
  nodes: [
    {
      node: 'node-1',
      change: 'changed',
      taintsAdded: ['node.kubernetes.io/unschedulable:NoSchedule'],
      taintsRemoved: [],
      labels: [],
      allocatable: [],
      cordoned: { before: false, after: true },
      ready: null,
      kubeletVersion: null,
    },
  ],
  workloads: [
    {
      kind: 'Deployment',
      namespace: 'default',
      name: 'web',
      before: 3,
      after: 4,
      added: 2,
      removed: 1,
      moved: 0,
      scheduled: 0,
    },
  ],
  continue: null,
  remainingItemCount: 0,
};

export const RETENTION = { cluster: 'example', dryRun: true, revisions: 0, objectVersions: 0, oldestRevision: 1 };

export const CAPTURE_TIME_CORRECTION = {
  cluster: 'example',
  head: 8,
  count: 1,
  first: [{ revision: 7, capturedAt: '2027-06-08T03:02:01.000Z' }],
};
