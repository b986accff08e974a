import { BASIS } from './inventory-examples.js';

const NOW = { earliest: '2026-05-04T12:00:00Z', latest: '2026-05-04T12:00:00Z' };
const LATER = { earliest: '2026-05-04T12:05:00Z', latest: '2026-05-04T12:05:00Z' };
const WORKLOAD = { kind: 'Deployment', namespace: 'default', name: 'web' };

export const QUESTION = {
  nodes: ['node-1'],
  asOf: '2126-05-04T12:00:00Z',
  scenario: { changes: [{ editNodes: { nodes: ['node-1'], taints: ['maintenance=true:NoExecute'] } }] },
};

/** A schedule of one pod. */
export const ANSWER = {
  basis: BASIS,
  asOf: '2026-05-04T12:00:00Z',
  horizon: '2026-05-04T16:00:00Z',
  counts: { pods: 3, marked: 0, now: 0, at: 1, never: 0 },
  moments: { total: 1, items: [{ at: LATER, pods: 1 }] },
  minutes: { total: 1, items: [{ minute: '2026-05-04T12:05:00Z', pods: 1 }] },
  nodes: {
    total: 1,
    items: [{ node: 'node-1', marked: 0, now: 0, at: 1, never: 0, first: LATER, last: LATER }],
  },
  workloads: {
    total: 1,
    items: [{ workload: WORKLOAD, replicas: 1, now: 0, at: 1, firstLoss: LATER, lastReplica: LATER }],
  },
  budgets: { total: 0, items: [] },
  changes: {
    total: 1,
    items: [
      {
        at: '2026-05-04T12:00:00Z',
        moment: NOW,
        node: 'node-1',
        added: ['maintenance=true:NoExecute'],
        removed: [],
        why: 'The scenario says so.',
      },
    ],
  },
  outage: null,
  controllerStart: null,
  assumptions: [
    'The taint eviction controller runs, and sees a change at the moment at which it is made; really some milliseconds later.',
  ],
  landing: null,
  pods: [
    {
      namespace: 'default',
      name: 'web-0',
      node: 'node-1',
      workload: WORKLOAD,
      action: 'at',
      at: LATER,
      because: 'maintenance=true:NoExecute is tolerated for 300 s by spec.tolerations[0], the first that matches it.',
      base: { ...NOW, known: 'question', text: 'the question itself says when.' },
      taints: [
        {
          taint: 'maintenance=true:NoExecute',
          toleration: 'spec.tolerations[0]',
          seconds: 300,
          decides: true,
          timeAdded: null,
          timeAddedNote: null,
        },
      ],
      overdue: false,
      cancelled: null,
      mayHaveLeftSince: null,
      departure: {
        marked: LATER,
        gracePeriodSeconds: 30,
        gone: { earliest: '2026-05-04T12:05:30Z', latest: '2026-05-04T12:05:30Z' },
        by: 'kubelet',
        note: null,
      },
      keptWithout: { anyOf: ['maintenance=true:NoExecute'], allOf: [] },
      secondsToOutlast: null,
      disruption: { kind: 'taintEviction', reason: 'DeletionByTaintManager' },
      notes: [],
    },
  ],
  continue: null,
  remainingItemCount: 0,
};
