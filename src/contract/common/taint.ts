import { object } from '../schema.js';

export const knownTaintKey = object(
  'KnownTaintKey',
  'Summary of a key from the catalogue of well-known taints.',
  {
    product: { type: 'string', description: 'The product that defines the key.', example: 'Kubernetes' },
    summary: { type: 'string', description: 'What sets the taint, when, and what removes it.' },
    legacy: {
      type: 'boolean',
      description: 'Whether the key is obsolete: no longer set, and without special meaning.',
      example: false,
    },
    replacedBy: { type: 'identifier', optional: true, description: 'The key that replaced it.' },
  },
  { openApiName: 'KnownKey' },
);

export const taint = object('Taint', 'A taint of a node.', {
  key: { type: 'identifier', description: 'The key.', example: 'nvidia.com/gpu' },
  value: { type: 'string', taintValue: true, description: 'The value; empty if there is none.', example: 'true' },
  effect: { type: 'identifier', description: 'NoSchedule, PreferNoSchedule or NoExecute.', example: 'NoSchedule' },
  timeAdded: {
    type: 'identifier',
    optional: true,
    description: 'When the taint was added, if Kubernetes recorded it.',
  },
  text: { type: 'string', description: 'The taint as kubectl prints it.', example: 'nvidia.com/gpu=true:NoSchedule' },
  wellKnown: {
    type: knownTaintKey,
    optional: true,
    description: 'Summary of a well-known key; null for other keys.',
  },
});

export const taintSet = object('TaintSet', 'An ordered list of taints, and the nodes with exactly this list.', {
  taints: { type: taint, list: true, description: 'The taints, in order; empty for untainted nodes.' },
  nodes: { type: 'integer', description: 'Number of nodes.', example: 12 },
  examples: { type: 'identifier', list: true, description: 'Names of some of these nodes.', example: ['node-1'] },
});

export const tolerators = object(
  'Tolerators',
  'How many pods and workloads tolerate a taint, on any node. Terminated pods do not count.',
  {
    pods: { type: 'integer', description: 'Number of pods.', example: 40 },
    workloads: { type: 'integer', description: 'Number of workloads whose pods all tolerate it.', example: 6 },
  },
);

export const inventoryTaint = object('InventoryTaint', 'A taint by key, value and effect.', {
  taint: { type: taint, description: 'The taint.' },
  nodes: { type: 'integer', description: 'Number of nodes with this taint.', example: 12 },
  toleratedBy: { type: tolerators, description: 'Pods and workloads that tolerate it.' },
});

export const taintKey = object('TaintKey', 'How a cluster uses one taint key.', {
  key: { type: 'identifier', description: 'The key.', example: 'nvidia.com/gpu' },
  wellKnown: {
    type: knownTaintKey,
    optional: true,
    description: 'Summary of a well-known key; null for other keys.',
  },
  nodes: { type: 'integer', description: 'Number of nodes with at least one taint with this key.', example: 12 },
  examples: { type: 'identifier', list: true, description: 'Names of some of these nodes.', example: ['node-1'] },
  values: {
    type: 'string',
    taintValue: true,
    list: true,
    description: 'The values in use, sorted; an empty string means no value.',
    example: ['true'],
  },
  effects: { type: 'identifier', list: true, description: 'The effects in use, sorted.', example: ['NoSchedule'] },
  taints: { type: inventoryTaint, list: true, description: 'The taints with this key, by value and effect.' },
  toleratedBy: { type: tolerators, description: 'Pods and workloads that tolerate all of these taints.' },
});
