const AT = '2026-05-04T03:02:01.000Z';

export const BODY = {
  nodes: ['node-1'],
  taints: ['maintenance=true:NoSchedule'],
  reason: 'Kernel update, see OPS-17',
};

export const REVERT_BODY = { reason: 'The update is done' };

const TAINT = {
  key: 'maintenance',
  value: 'true',
  effect: 'NoSchedule',
  timeAdded: null,
  text: 'maintenance=true:NoSchedule',
  wellKnown: null,
};

export const CHANGE = {
  id: '6b1f2a8e-52a4-4d3e-9a64-1f0e7a3c9b10',
  revision: 2,
  sequence: 1,
  madeAt: AT,
  action: 'change',
  by: { name: 'alice', kind: 'oidc', groups: ['sre'], issuer: 'https://id.example.com' },
  onBehalfOf: null,
  reason: BODY.reason,
  link: null,
  request: {
    nodes: BODY.nodes,
    labelSelector: null,
    allNodes: false,
    taints: BODY.taints,
    labels: [],
    unschedulable: null,
    overwrite: false,
    perNode: false,
    force: false,
  },
  counts: { changed: 1, unchanged: 0, refused: 0 },
  status: 'recorded',
  statuses: { recorded: 1, confirmed: 0, notApplied: 0, overwritten: 0 },
  undoes: null,
  undoneBy: null,
  expiresAt: null,
  expiry: null,
};

const NOTHING = { total: 0, items: [] };

export const ANSWER = {
  basis: {
    cluster: 'example',
    revision: 2,
    capturedAt: AT,
    ageSeconds: 0,
    kubernetesVersion: 'v1.34.1',
    rulesVersion: 'v1.36.2',
    intents: { unconfirmedNodes: 0, included: true },
    scenario: null,
    decisionId: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11',
  },
  dryRun: false,
  nodesOmitted: 0,
  replayed: false,
  change: CHANGE,
  nodes: [
    {
      node: 'node-1',
      outcome: 'changed',
      operations: ['tainted'],
      message: 'node/node-1 tainted',
      difference: { added: [TAINT], removed: [], changed: [], cordon: null },
      labels: null,
      version: '9f86d081884c7d659a2feaa0c55ad015',
      jsonPatch: [
        { op: 'add', path: '/spec/taints', value: [{ key: 'maintenance', value: 'true', effect: 'NoSchedule' }] },
      ],
      errors: [],
      status: 'recorded',
      saidBy: null,
    },
  ],
  kubectl: ['kubectl taint nodes node-1 maintenance=true:NoSchedule'],
  effects: {
    evictions: { counts: { now: 0, after: 0, never: 0, cancelled: 0, pending: 0 }, byWorkload: NOTHING, pods: NOTHING },
    workloads: { counts: { lost: 0, gained: 0, becameInfeasible: 0, becameFeasible: 0 }, entries: NOTHING },
    warnings: NOTHING,
    notConsidered: [],
  },
};
