import { object } from '../schema.js';

/** Parts of Kubernetes objects, unchanged: a member that the object lacks is absent from the response. */

export const kubernetesTaint = object('KubernetesTaint', 'A taint as in the Node object.', {
  key: { type: 'identifier', description: 'The key.', example: 'gpu' },
  value: { type: 'string', taintValue: true, omittable: true, description: 'The value.', example: 'true' },
  effect: { type: 'identifier', description: 'The effect.', example: 'NoSchedule' },
  timeAdded: {
    type: 'identifier',
    omittable: true,
    description: 'When the taint was added, if Kubernetes recorded it.',
  },
});

export const kubernetesToleration = object('KubernetesToleration', 'A toleration as in the Pod object.', {
  key: { type: 'identifier', omittable: true, description: 'The key; if absent, it matches all keys.', example: 'gpu' },
  operator: { type: 'identifier', omittable: true, description: 'The operator; `Equal` if absent.', example: 'Equal' },
  value: { type: 'string', taintValue: true, omittable: true, description: 'The value.', example: 'true' },
  effect: {
    type: 'identifier',
    omittable: true,
    description: 'The effect; if absent, it matches all effects.',
    example: 'NoSchedule',
  },
  tolerationSeconds: {
    type: 'int64',
    omittable: true,
    description: 'How long NoExecute is tolerated, in seconds; forever if absent.',
  },
});

const KEY = { type: 'identifier', description: 'The label key.', example: 'node-pool' } as const;
const OPERATOR = { type: 'identifier', description: 'In, NotIn, Exists or DoesNotExist.', example: 'In' } as const;
const VALUES = {
  type: 'identifier',
  list: true,
  description: 'The values; none for Exists and DoesNotExist.',
} as const;
const MATCH_LABELS = {
  type: 'labels',
  description: 'Required labels.',
  example: { 'node-pool': 'ml' },
} as const;
const EXPRESSIONS = { list: true, description: 'Further requirements.' } as const;

const labelSelectorRequirement = object('LabelSelectorRequirement', 'A requirement on a label.', {
  key: KEY,
  operator: OPERATOR,
  values: { ...VALUES, omittable: true },
});

export const labelSelector = object('LabelSelector', 'A label selector; all requirements must be met.', {
  matchLabels: { ...MATCH_LABELS, omittable: true },
  matchExpressions: { type: labelSelectorRequirement, ...EXPRESSIONS, omittable: true },
});

const labelSelectorRequirementInput = object(
  'LabelSelectorRequirementInput',
  'A requirement on a label.',
  { key: KEY, operator: OPERATOR, values: { ...VALUES, optional: true } },
  { openApiName: 'LabelSelectorRequirement' },
);

export const labelSelectorInput = object(
  'LabelSelectorInput',
  'A label selector; all requirements must be met.',
  {
    matchLabels: { ...MATCH_LABELS, optional: true },
    matchExpressions: { type: labelSelectorRequirementInput, ...EXPRESSIONS, optional: true },
  },
  { openApiName: 'LabelSelector' },
);
