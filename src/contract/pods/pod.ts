import { object } from '../schema.js';
import { workloadName } from '../common/workload-name.js';
import { podDisruption } from '../disruptions/disruption-kind.js';
import { answerBasis } from '../common/basis.js';

export const toleration = object('Toleration', 'A toleration as it is written; what is absent is empty, or null.', {
  key: { type: 'string', description: 'The key; empty for every key.', example: 'nvidia.com/gpu' },
  operator: { type: 'string', description: 'The operator; an empty one is Equal.', example: 'Exists' },
  value: { type: 'string', description: 'The value.', example: '' },
  effect: { type: 'string', description: 'The effect; empty for every effect.', example: 'NoSchedule' },
  tolerationSeconds: { type: 'int64', optional: true, description: 'How long NoExecute is tolerated; null for ever.' },
  text: { type: 'string', description: 'In few words.', example: 'nvidia.com/gpu Exists NoSchedule' },
});

export const pod = object(
  'Pod',
  'A pod of a cluster.',
  {
    namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
    name: { type: 'string', description: 'Its name.', example: 'web-0' },
    createdAt: { type: 'string', optional: true, description: 'When it was created.' },
    labels: { type: 'labels', description: 'Its labels.', example: { app: 'web' } },
    node: { type: 'string', optional: true, description: 'The node that it is bound to, stored or not.' },
    nominatedNode: { type: 'string', optional: true, description: 'The node that preemption has nominated it to.' },
    phase: { type: 'string', optional: true, description: 'Its phase.', example: 'Running' },
    workload: { type: workloadName, description: 'What it belongs to.' },
    tolerations: { type: toleration, list: true, description: 'Its tolerations, in their order.' },
    requests: { type: 'labels', description: 'What it requests, by resource.', example: { cpu: '250m' } },
    qosClass: { type: 'string', description: 'Guaranteed, Burstable or BestEffort.', example: 'Burstable' },
    priority: { type: 'integer', optional: true, description: 'Its priority.', example: 0 },
    priorityClass: { type: 'string', optional: true, description: 'The name of its priority class.' },
    schedulerName: { type: 'string', optional: true, description: 'The scheduler that it asks for.' },
    disruption: {
      type: podDisruption,
      optional: true,
      description: 'Which disruption its condition DisruptionTarget tells of; null where it has none.',
    },
  },
  { hasGlobalId: true },
);

/** One pod with the head of its answer. */
export const podAnswer = object(
  'PodResponse',
  '',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    pod: { type: pod, description: 'The pod.' },
  },
  { restOnly: true },
);

export const tolerationSet = object(
  'TolerationSet',
  'One ordered list of tolerations, and the pods that have exactly it.',
  {
    tolerations: { type: toleration, list: true, description: 'The tolerations, in their order.' },
    pods: { type: 'integer', description: 'How many pods have it, those that ended included.', example: 120 },
    workloads: { type: 'integer', description: 'How many workloads these pods belong to.', example: 14 },
    examples: { type: workloadName, list: true, description: 'A few of the workloads.' },
  },
);
