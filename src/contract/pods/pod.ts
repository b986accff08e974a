import { QOS_CLASS } from '../common/qos-class.js';
import { object } from '../schema.js';
import { workloadName } from '../common/workload-name.js';
import { podDisruption } from '../disruptions/disruption-kind.js';
import { answerBasis } from '../common/basis.js';

export const toleration = object('Toleration', 'A toleration as written in the pod; absent fields are empty or null.', {
  key: { type: 'identifier', description: 'The key; if empty, it matches all keys.', example: 'nvidia.com/gpu' },
  operator: { type: 'identifier', description: 'The operator; if empty, it is Equal.', example: 'Exists' },
  value: { type: 'string', taintValue: true, description: 'The value.', example: '' },
  effect: { type: 'identifier', description: 'The effect; if empty, it matches all effects.', example: 'NoSchedule' },
  tolerationSeconds: {
    type: 'int64',
    optional: true,
    description: 'How long NoExecute is tolerated, in seconds; null means forever.',
  },
  text: { type: 'string', description: 'The toleration in short form.', example: 'nvidia.com/gpu Exists NoSchedule' },
});

export const pod = object(
  'Pod',
  'A pod of a cluster.',
  {
    namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
    name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
    createdAt: { type: 'identifier', optional: true, description: 'When the pod was created.' },
    labels: { type: 'labels', description: 'Pod labels.', example: { app: 'web' } },
    node: { type: 'identifier', optional: true, description: 'Node that the pod is bound to, stored or not.' },
    nominatedNode: {
      type: 'identifier',
      optional: true,
      description: 'Node that preemption has nominated for the pod.',
    },
    phase: { type: 'identifier', optional: true, description: 'Pod phase.', example: 'Running' },
    workload: { type: workloadName, description: 'Workload that the pod belongs to.' },
    tolerations: { type: toleration, list: true, description: 'Tolerations, in order.' },
    requests: { type: 'labels', description: 'Resource requests, by resource.', example: { cpu: '250m' } },
    qosClass: { type: QOS_CLASS, description: 'Guaranteed, Burstable or BestEffort.', example: 'Burstable' },
    priority: { type: 'integer', optional: true, description: 'Pod priority.', example: 0 },
    priorityClass: { type: 'identifier', optional: true, description: 'Name of the PriorityClass.' },
    schedulerName: { type: 'identifier', optional: true, description: 'Scheduler that the pod requests.' },
    disruption: {
      type: podDisruption,
      optional: true,
      description: 'Disruption that the condition DisruptionTarget reports; null if the pod has no such condition.',
    },
  },
  { hasGlobalId: true },
);

/** One pod, with the basis of the response. */
export const podAnswer = object(
  'PodResponse',
  '',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    pod: { type: pod, description: 'The pod.' },
  },
  { restOnly: true },
);

export const tolerationSet = object(
  'TolerationSet',
  'An ordered list of tolerations, and the pods with exactly this list.',
  {
    tolerations: { type: toleration, list: true, description: 'The tolerations, in order.' },
    pods: { type: 'integer', description: 'Number of pods with this list, including terminated pods.', example: 120 },
    workloads: { type: 'integer', description: 'Number of workloads that these pods belong to.', example: 14 },
    examples: { type: workloadName, list: true, description: 'Some of these workloads.' },
  },
);
