import { object } from '../schema.js';

export const knownTaintKey = object(
  'KnownTaintKey',
  'What the catalogue of well-known taints says of a key, in short.',
  {
    product: { type: 'string', description: 'The product whose key it is.', example: 'Kubernetes' },
    summary: { type: 'string', description: 'Who sets it, when, and who takes it off.' },
    legacy: {
      type: 'boolean',
      description: 'Nothing sets it any more: it is a string like any other.',
      example: false,
    },
    replacedBy: { type: 'string', optional: true, description: 'The key that took its place.' },
  },
  { openApiName: 'KnownKey' },
);

export const taint = object('Taint', 'A taint of a node.', {
  key: { type: 'string', description: 'The key.', example: 'nvidia.com/gpu' },
  value: { type: 'string', description: 'The value; empty where there is none.', example: 'true' },
  effect: { type: 'string', description: 'NoSchedule, PreferNoSchedule or NoExecute.', example: 'NoSchedule' },
  timeAdded: { type: 'string', optional: true, description: 'When it was added, where Kubernetes noted it.' },
  text: { type: 'string', description: 'As kubectl prints it.', example: 'nvidia.com/gpu=true:NoSchedule' },
  wellKnown: { type: knownTaintKey, optional: true, description: 'What is known of the key; null for other keys.' },
});

export const taintSet = object('TaintSet', 'One ordered list of taints, and the nodes that carry exactly it.', {
  taints: { type: taint, list: true, description: 'The taints, in their order; none for untainted nodes.' },
  nodes: { type: 'integer', description: 'How many nodes carry it.', example: 12 },
  examples: { type: 'string', list: true, description: 'The names of a few of them.', example: ['node-1'] },
});

export const tolerators = object(
  'Tolerators',
  'How many tolerate a taint, on whatever node; what ended does not count.',
  {
    pods: { type: 'integer', description: 'Pods.', example: 40 },
    workloads: { type: 'integer', description: 'Workloads all of whose pods do.', example: 6 },
  },
);

export const inventoryTaint = object('InventoryTaint', 'A taint by key, value and effect.', {
  taint: { type: taint, description: 'The taint.' },
  nodes: { type: 'integer', description: 'How many nodes carry it.', example: 12 },
  toleratedBy: { type: tolerators, description: 'Who tolerates it.' },
});

export const taintKey = object('TaintKey', 'Everything that a cluster says of one taint key.', {
  key: { type: 'string', description: 'The key.', example: 'nvidia.com/gpu' },
  wellKnown: { type: knownTaintKey, optional: true, description: 'What is known of the key; null for other keys.' },
  nodes: { type: 'integer', description: 'Nodes with at least one taint of the key.', example: 12 },
  examples: { type: 'string', list: true, description: 'The names of a few of them.', example: ['node-1'] },
  values: { type: 'string', list: true, description: 'Its values, sorted; an empty one for none.', example: ['true'] },
  effects: { type: 'string', list: true, description: 'Its effects, sorted.', example: ['NoSchedule'] },
  taints: { type: inventoryTaint, list: true, description: 'By value and effect.' },
  toleratedBy: { type: tolerators, description: 'Who tolerates every one of its taints.' },
});
