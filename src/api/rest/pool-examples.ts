import { BASIS, END } from './inventory-examples.js';
import { ANSWER } from './taint-change-examples.js';

export const BODY = {
  nodes: { matchLabels: { 'kubernetes.io/hostname': 'node-1' } },
  taints: ['dedicated=ml:NoSchedule'],
  labels: { dedicated: 'ml' },
  users: { namespaces: ['ml'] },
};

const POOL = {
  name: 'ml',
  nodes: BODY.nodes,
  taints: [
    {
      key: 'dedicated',
      value: 'ml',
      effect: 'NoSchedule',
      timeAdded: null,
      text: 'dedicated=ml:NoSchedule',
      wellKnown: null,
    },
  ],
  labels: BODY.labels,
  users: { namespaces: ['ml'], namespaceSelector: null, serviceAccounts: [], extendedResource: null },
  exemptNamespaces: ['kube-system'],
  nodeCount: 1,
  lackingCount: 1,
};

export const PUT = { basis: BASIS, dryRun: false, outcome: 'created', pool: POOL };
export const DELETED = { basis: BASIS, dryRun: false, pool: POOL };
export const ONE = { basis: BASIS, pool: POOL };
export const LIST = { basis: BASIS, items: [POOL], ...END };

export const REMAINING = {
  basis: BASIS,
  pool: 'ml',
  nodeCount: 1,
  lacking: [{ node: 'node-1', taints: ['dedicated=ml:NoSchedule'], labels: ['dedicated=ml'], replaces: [] }],
  change: { nodes: ['node-1'], taints: ['dedicated=ml:NoSchedule'], labels: ['dedicated=ml'], overwrite: false },
  preview: { nodes: ANSWER.nodes, kubectl: ANSWER.kubectl, effects: ANSWER.effects },
};
