import { BASIS, END } from './inventory-examples.js';

const MANIFEST = {
  metadata: { name: 'batch' },
  spec: { containers: [{ name: 'batch', resources: { requests: { cpu: '1' } } }] },
};
const MESSAGE = '0/1 nodes are available: 1 Insufficient cpu.';
const REFUSAL = {
  message: MESSAGE,
  preemption: 'notEvaluated',
  reasons: [
    {
      plugin: 'NodeResourcesFit',
      code: 'InsufficientResource',
      message: 'Insufficient cpu',
      nodes: 1,
      first: 1,
      taints: [],
    },
  ],
};
const NO_REFUSAL = { message: null, preemption: null, reasons: [] };
const WORKLOAD = { kind: 'Pod', namespace: 'default', name: 'batch' };
const TOTALS = { placed: 4, unplaced: 1, gated: 0, error: 0, notTried: 0 };

export const QUEUE_BODY = {
  pending: false,
  pods: [{ id: 'batch', pod: MANIFEST, replicas: 5 }],
  unblocking: true,
  timeBudgetMs: 5000,
};

const DECISION = {
  position: 0,
  id: 'batch',
  workload: WORKLOAD,
  namespace: 'default',
  name: 'batch-0',
  priority: 0,
  outcome: 'placed',
  pods: 1,
  node: 'node-1',
  feasible: 1,
  tied: 1,
  total: null,
  uncertain: [],
  ...NO_REFUSAL,
};

export const QUEUE_ANSWER = {
  basis: BASIS,
  schedulerName: 'default-scheduler',
  scheduler: null,
  outcome: 'complete',
  waiting: 5,
  totals: TOTALS,
  ofOtherSchedulers: 0,
  refused: [],
  queueReasons: [{ plugin: 'NodeResourcesFit', code: 'InsufficientResource', message: 'Insufficient cpu', pods: 1 }],
  taints: [],
  workloads: [{ id: 'batch', workload: WORKLOAD, ...TOTALS }],
  workloadCount: 1,
  unblocking: {
    tried: 1,
    candidates: 1,
    isPartial: false,
    changes: [
      {
        kind: 'AddNodes',
        summary: 'add 1 node like node-1',
        unblocks: 1,
        blocks: 0,
        taint: null,
        workload: null,
        like: 'node-1',
        nodes: 1,
      },
    ],
  },
  isListed: true,
  items: [
    ...[0, 1, 2, 3].map((position) => ({ ...DECISION, position, name: `batch-${position}` })),
    {
      ...DECISION,
      position: 4,
      name: 'batch-4',
      outcome: 'unplaced',
      node: null,
      feasible: null,
      tied: null,
      ...REFUSAL,
    },
  ],
  ...END,
};

export const CAPACITY_BODY = { pod: MANIFEST, taints: true };

const STOP = { plugin: 'NodeResourcesFit', message: 'Insufficient cpu' };

export const CAPACITY_ANSWER = {
  basis: BASIS,
  pod: { namespace: 'default', name: 'batch', workload: null, requests: { cpu: '1' } },
  scheduler: null,
  replicas: 4,
  isComplete: true,
  method: 'byNode',
  next: { ...REFUSAL, error: null },
  groups: [{ kind: 'taints', name: 'none', nodes: 1, open: 1, replicas: 4, stops: [{ ...STOP, nodes: 1 }] }],
  taints: { costs: [], candidates: 0, pendingOmitted: 0 },
  items: [{ node: 'node-1', replicas: 4, stops: [STOP] }],
  ...END,
};

export const COMPARISON_BODY = {
  selection: { namespace: 'default' },
  against: { scenario: { changes: [{ resizeNodes: { nodes: ['node-1'], allocatable: { pods: '1' } } }] } },
};

export const COMPARISON_ANSWER = {
  basis: BASIS,
  against: BASIS,
  scheduler: null,
  againstScheduler: null,
  outcome: 'complete',
  pods: 2,
  counts: { stays: 1, moves: 0, fitsNoMore: 1, fitsNow: 0, neither: 0, unclear: 0 },
  items: [
    {
      namespace: 'default',
      name: 'web-0',
      difference: 'fitsNoMore',
      before: { outcome: 'placed', node: 'node-1', ...NO_REFUSAL },
      after: {
        outcome: 'unplaced',
        node: null,
        message: '0/1 nodes are available: 1 Too many pods.',
        preemption: 'notEvaluated',
        reasons: [
          { plugin: 'NodeResourcesFit', code: 'TooManyPods', message: 'Too many pods', nodes: 1, first: 1, taints: [] },
        ],
      },
    },
  ],
  ...END,
};
