import { object } from '../schema.js';

/** Parts of Kubernetes' own objects, as they stand there: what is absent there is absent here. */

export const kubernetesTaint = object('KubernetesTaint', 'A taint as it stands in a node.', {
  key: { type: 'string', description: 'The key.', example: 'gpu' },
  value: { type: 'string', omittable: true, description: 'The value.', example: 'true' },
  effect: { type: 'string', description: 'The effect.', example: 'NoSchedule' },
  timeAdded: { type: 'string', omittable: true, description: 'When it was added, where Kubernetes noted it.' },
});

export const kubernetesToleration = object('KubernetesToleration', 'A toleration as it stands in a pod.', {
  key: { type: 'string', omittable: true, description: 'The key; absent for every key.', example: 'gpu' },
  operator: { type: 'string', omittable: true, description: 'The operator; `Equal` where absent.', example: 'Equal' },
  value: { type: 'string', omittable: true, description: 'The value.', example: 'true' },
  effect: { type: 'string', omittable: true, description: 'The effect; absent for all.', example: 'NoSchedule' },
  tolerationSeconds: { type: 'int64', omittable: true, description: 'How long NoExecute is tolerated.' },
});

const KEY = { type: 'string', description: 'The label.', example: 'node-pool' } as const;
const OPERATOR = { type: 'string', description: 'In, NotIn, Exists or DoesNotExist.', example: 'In' } as const;
const VALUES = { type: 'string', list: true, description: 'The values; none of Exists and DoesNotExist.' } as const;
const MATCH_LABELS = {
  type: 'labels',
  description: 'Labels that it must have.',
  example: { 'node-pool': 'ml' },
} as const;
const EXPRESSIONS = { list: true, description: 'Requirements that it must meet.' } as const;

const labelSelectorRequirement = object('LabelSelectorRequirement', 'A requirement on a label.', {
  key: KEY,
  operator: OPERATOR,
  values: { ...VALUES, omittable: true },
});

export const labelSelector = object('LabelSelector', 'A selector by labels: all of it must hold.', {
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
  'A selector by labels: all of it must hold.',
  {
    matchLabels: { ...MATCH_LABELS, optional: true },
    matchExpressions: { type: labelSelectorRequirementInput, ...EXPRESSIONS, optional: true },
  },
  { openApiName: 'LabelSelector' },
);
