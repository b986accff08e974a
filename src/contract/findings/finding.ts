import { object, enumType } from '../schema.js';
import { toleration } from '../pods/pod.js';
import { answerBasis } from '../common/basis.js';
import { ADMISSION } from '../common/admission-mode.js';
import { SCENARIO } from '../scenarios/scenario-request.js';

export const SEVERITY = enumType(
  'FindingSeverity',
  'error: the API server refuses it; warning: it does something else than was likely meant; info: worth knowing.',
  ['error', 'warning', 'info'],
);

export const findingSubject = object('FindingSubject', 'A pod, a workload of several pods, a node, or the cluster.', {
  kind: { type: 'string', description: 'Its kind; Cluster for the cluster itself.', example: 'Deployment' },
  namespace: { type: 'string', optional: true, description: 'Its namespace.', example: 'default' },
  name: { type: 'string', optional: true, description: 'Its name.', example: 'web' },
});

export const findingSuggestion = object(
  'FindingSuggestion',
  'A way out, in words, and where it is a piece of manifest, that piece.',
  {
    text: { type: 'string', description: 'In words.' },
    toleration: {
      type: toleration,
      optional: true,
      description: 'To be put in the place of the toleration that the finding points to, or added.',
    },
    nodeSelector: {
      type: 'labels',
      optional: true,
      description: 'To be added to spec.nodeSelector.',
      example: { pool: 'gpu' },
    },
  },
);

export const findingOccurrences = object('FindingOccurrences', 'The objects that a finding was seen on.', {
  kind: { type: 'string', description: 'Pod or Node.', example: 'Pod' },
  count: { type: 'integer', description: 'How many.', example: 3 },
  examples: { type: 'string', list: true, description: 'A few of them.', example: ['default/web-0'] },
});

export const finding = object('Finding', 'Something about tolerations or taints that a reader should know.', {
  code: { type: 'string', description: 'Stable, for programs.', example: 'unmatched-toleration' },
  severity: { type: SEVERITY, description: 'How bad it is.', example: 'warning' },
  subject: { type: findingSubject, description: 'What it is about.' },
  field: { type: 'string', optional: true, description: 'The field.', example: 'spec.tolerations[0]' },
  pointer: {
    type: 'string',
    optional: true,
    description: 'The same as a JSON pointer.',
    example: '/spec/tolerations/0',
  },
  message: { type: 'string', description: 'Why, in a sentence or two.' },
  suggestions: { type: findingSuggestion, list: true, description: 'Ways out.' },
  occurrences: { type: findingOccurrences, optional: true, description: 'Where it was seen, if on several.' },
});

export const findingCounts = object(
  'FindingCounts',
  'How many findings there are of each severity, on all pages together.',
  {
    error: { type: 'integer', description: 'What the API server refuses.', example: 0 },
    warning: { type: 'integer', description: 'What was likely not meant.', example: 3 },
    info: { type: 'integer', description: 'What is worth knowing.', example: 7 },
  },
);

export const manifestFindings = object('ManifestFindings', 'The findings on a manifest.', {
  basis: { type: answerBasis, optional: true, description: 'What the answer rests on; null without a cluster.' },
  counts: { type: findingCounts, description: 'How many of each severity.' },
  findings: { type: finding, list: true, description: 'The findings, errors first.' },
  unknownFields: {
    type: 'string',
    list: true,
    description: 'Fields that Kubernetes does not know: they do nothing.',
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

/** The same, held against a cluster. */
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

export const manifestFindingsInput = object(
  'ManifestFindingsInput',
  'A manifest that is held against a cluster, or judged alone.',
  {
    ...manifestFindingsRequest.members,
    admission: ADMISSION,
  },
);
