import { BASIS, END, WORKLOAD } from './inventory-examples.js';

/** Answers as the documentation shows them. */
const STATUS = {
  expectedPods: 5,
  desiredHealthy: 5,
  currentHealthy: 5,
  disruptionsAllowed: 0,
  observedGeneration: 1,
  disruptedPods: [],
  condition: { status: 'False', reason: 'InsufficientPods', message: '' },
};

const TEXT =
  'maxUnavailable 0 of 5 expected pods (Deployment web wants 5), so 5 must be healthy; 5 are healthy; no disruption is allowed';

const BUDGET = {
  namespace: 'default',
  name: 'web',
  minAvailable: null,
  maxUnavailable: '0',
  unhealthyPodEvictionPolicy: 'IfHealthyBudget',
  outcome: 'synced',
  why: null,
  computed: STATUS,
  stored: STATUS,
  differs: [],
  events: [],
  pods: { selected: 5, healthy: 5, notReady: 0, terminating: 0, evicting: 0, unmanaged: 0 },
  arithmetic: {
    rule: 'maxUnavailable',
    value: '0',
    expectedPods: 5,
    expectedFrom: 'controllers',
    controllers: [{ kind: 'Deployment', name: 'web', replicas: 5 }],
    pods: 0,
    desiredHealthy: 5,
    currentHealthy: 5,
    disruptionsAllowed: 0,
  },
  text: TEXT,
};

export const BUDGETS = { basis: BASIS, items: [BUDGET], ...END };

export const DRAIN_BODY = {
  nodes: ['node-1'],
  options: { ignoreDaemonSets: true, deleteEmptyDirData: true },
  taint: 'maintenance=true:NoExecute',
  rolling: { maxParallel: 1, replacementReadySeconds: 60 },
};

const TAINT = {
  key: 'maintenance',
  value: 'true',
  effect: 'NoExecute',
  timeAdded: null,
  text: 'maintenance=true:NoExecute',
  wellKnown: null,
};

export const DRAIN = {
  basis: BASIS,
  taint: TAINT,
  startsAt: '2026-05-04T03:02:43.000Z',
  endsAt: null,
  lengthSeconds: null,
  nodes: {
    total: 1,
    items: [
      {
        node: 'node-1',
        starts: true,
        warnings: [],
        errors: [],
        counts: { pods: 1, selected: 1, toDelete: 1, refusedNow: 1, now: 1, after: 0, never: 0 },
        kubeletSilent: false,
        outcome: 'blocked',
        startsAt: '2026-05-04T03:02:43.000Z',
        endsAt: null,
        rounds: 0,
      },
    ],
  },
  blocking: { total: 1, items: [{ budget: 'default/web', why: 'neverAllows', pods: 1, nodes: 1, text: TEXT }] },
  budgets: { total: 1, items: [BUDGET] },
  differences: [
    {
      difference: 'budgetNotAsked',
      pods: 1,
      text: 'A PodDisruptionBudget refuses the eviction now and kubectl waits; the taint eviction controller deletes pods and asks no budget.',
    },
  ],
  assumptions: ['All nodes are cordoned before the first is drained, so no replacement lands on one of them.'],
  items: [
    {
      namespace: 'default',
      name: 'web-0',
      node: 'node-1',
      phase: 'Running',
      workload: WORKLOAD,
      decision: { delete: true, reason: 'Okay', message: '', check: null },
      budgets: ['default/web'],
      eviction: {
        allowed: false,
        why: 'noDisruptionLeft',
        code: 429,
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        cause: 'The disruption budget web needs 5 healthy pods and has 5 currently',
        retryAfterSeconds: null,
        basedOn: 'computed',
      },
      noExecute: { action: 'now', afterSeconds: null, at: '2026-05-04T03:02:43.000Z', taint: TAINT, toleration: null },
      difference: 'budgetNotAsked',
      rolling: { outcome: 'blocked', evictedAt: null, goneAt: null, tries: null, round: null },
    },
  ],
  ...END,
};

export const RANK_BODY = { signal: 'memory', node: 'node-1', usage: { 'default/web-0': '200Mi' } };

export const RANK = {
  basis: BASIS,
  node: 'node-1',
  signal: 'memory',
  evicted: 'default/web-0',
  counts: { ranked: 1, critical: 0, withoutStats: 0, ended: 0 },
  notOnNode: [],
  items: [
    {
      place: 1,
      namespace: 'default',
      name: 'web-0',
      evicted: true,
      critical: null,
      usage: '200Mi',
      request: '100Mi',
      exceedsRequest: true,
      excess: '100Mi',
      priority: 0,
      why: 'uses 200Mi of memory, more than the 100Mi that it requests; priority 0',
    },
  ],
  ...END,
};
