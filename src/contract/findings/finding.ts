import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { toleration } from '../pods/pod.js';
import { answerBasis } from '../common/basis.js';
import { ADMISSION } from '../common/admission-mode.js';
import { SCENARIO } from '../scenarios/scenario-request.js';

export const SEVERITY = enumType(
  'FindingSeverity',
  '`error`: the API server refuses the object. `warning`: the object likely does not do what was intended. `info`: worth knowing.',
  ['error', 'warning', 'info'],
);

export const findingSubject = object('FindingSubject', 'A pod, a workload with several pods, a node, or the cluster.', {
  kind: { type: 'string', description: 'Kind of the object; `Cluster` for the cluster itself.', example: 'Deployment' },
  namespace: {
    type: 'string',
    optional: true,
    description: 'Object namespace; null if it has none.',
    example: 'default',
  },
  name: { type: 'string', optional: true, description: 'Object name; null for the cluster.', example: 'web' },
});

export const findingSuggestion = object(
  'FindingSuggestion',
  'A suggested change, with the corresponding part of a manifest if there is one.',
  {
    text: { type: 'string', description: 'What to change.' },
    toleration: {
      type: toleration,
      optional: true,
      description: 'Toleration to add, or to replace the one that the finding points to.',
    },
    nodeSelector: {
      type: 'labels',
      optional: true,
      description: 'Labels to add to `spec.nodeSelector`.',
      example: { pool: 'gpu' },
    },
  },
);

export const findingOccurrences = object('FindingOccurrences', 'The objects with a finding.', {
  kind: { type: 'string', description: 'Pod or Node.', example: 'Pod' },
  count: { type: 'integer', description: 'Number of objects.', example: 3 },
  examples: { type: 'string', list: true, description: 'Some of these objects.', example: ['default/web-0'] },
});

export const finding = object('Finding', 'A likely mistake, or a fact worth knowing, about tolerations or taints.', {
  code: { type: 'string', description: 'A stable code.', example: 'unmatched-toleration' },
  severity: { type: SEVERITY, description: 'The severity.', example: 'warning' },
  subject: { type: findingSubject, description: 'The object that has the finding.' },
  field: {
    type: 'string',
    optional: true,
    description: 'Field that causes the finding.',
    example: 'spec.tolerations[0]',
  },
  pointer: {
    type: 'string',
    optional: true,
    description: 'The field, as a JSON pointer.',
    example: '/spec/tolerations/0',
  },
  message: {
    type: 'string',
    description: 'An explanation in one or two sentences.',
    example: 'No node has a taint that this toleration matches.',
  },
  suggestions: { type: findingSuggestion, list: true, description: 'Suggested changes.', example: [] },
  occurrences: {
    type: findingOccurrences,
    optional: true,
    description: 'The objects with the finding, if there are several.',
  },
});

export const findingCounts = object('FindingCounts', 'The number of findings of each severity, over all pages.', {
  error: { type: 'integer', description: 'Number of findings of severity `error`.', example: 0 },
  warning: { type: 'integer', description: 'Number of findings of severity `warning`.', example: 1 },
  info: { type: 'integer', description: 'Number of findings of severity `info`.', example: 0 },
});

export const manifestFindings = object('ManifestFindings', 'The findings on a manifest.', {
  basis: {
    type: answerBasis,
    optional: true,
    description: 'The state that the findings are based on; null without a cluster.',
    example: exampleOf(answerBasis),
  },
  counts: { type: findingCounts, description: 'The number of findings of each severity.' },
  findings: { type: finding, list: true, description: 'The findings, errors first.' },
  unknownFields: {
    type: 'string',
    list: true,
    description: 'Fields that Kubernetes does not know and ignores.',
    example: [],
  },
});

export const manifestFindingsRequest = object(
  'ManifestFindings',
  '',
  {
    manifest: {
      type: 'kubernetesObject',
      description: 'A Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, ReplicationController, Job or CronJob.',
    },
  },
  { restOnly: true },
);

/** The same, for a cluster. */
export const clusterManifestFindingsRequest = object(
  'ClusterManifestFindings',
  '',
  {
    ...manifestFindingsRequest.members,
    scenario: SCENARIO,
    admission: ADMISSION,
  },
  { restOnly: true },
);
