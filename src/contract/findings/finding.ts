import { without } from '../../core/collections/without.js';
import { COLUMNS } from '../common/group.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { toleration } from '../pods/pod.js';
import { answerBasis } from '../common/basis.js';
import { ADMISSION } from '../common/admission-mode.js';
import { FIELD_VALIDATION } from '../common/pod-subject.js';
import { SCENARIO } from '../scenarios/scenario-request.js';

export const SEVERITY = enumType(
  'FindingSeverity',
  '`error`: the API server refuses the object. `warning`: the object likely does not do what was intended. `info`: worth knowing.',
  ['error', 'warning', 'info'],
);

export const FINDING_CODE = enumType('FindingCode', 'Stable code of a finding.', [
  'refused-by-api-server',
  'refused-by-admission',
  'unknown-field',
  'tolerates-everything',
  'broad-toleration',
  'empty-effect',
  'unmatched-toleration',
  'pool-not-selected',
  'duplicate-toleration',
  'redundant-toleration',
  'legacy-key',
  'default-toleration-blocked',
  'early-eviction',
  'memory-pressure-not-tolerated',
  'pod-on-intolerable-node',
  'pod-node-absent',
  'claim-template-absent',
  'node-without-status',
  'legacy-taint',
  'condition-taint-missing',
  'managed-taint-by-hand',
  'budget-never-allows',
  'quota-admits-no-pod',
  'quota-matches-no-pod',
  'feature-gate-absent',
  'feature-gate-not-evaluated',
  'pool-node-lacking',
  'pool-without-nodes',
  'pool-label-elsewhere',
  'pool-unauthorized-pod',
  'pool-pod-not-kept',
  'pool-unauthorized-toleration',
]);

const OCCURRENCE_KIND = enumType('FindingObjectKind', 'The kind of objects that have a finding.', ['Pod', 'Node']);

export const findingSubject = object('FindingSubject', 'What a finding is about.', {
  kind: {
    type: 'identifier',
    description: 'Kind of the object; `Cluster` for the cluster itself.',
    example: 'Deployment',
  },
  namespace: {
    type: 'identifier',
    optional: true,
    description: 'Object namespace; null if it has none.',
    example: 'default',
  },
  name: { type: 'identifier', optional: true, description: 'Object name; null for the cluster.', example: 'web' },
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
  kind: { type: OCCURRENCE_KIND, description: OCCURRENCE_KIND.description, example: 'Pod' },
  count: { type: 'integer', description: 'Number of objects.', example: 3 },
  examples: { type: 'string', list: true, description: 'Some of these objects.', example: ['default/web-0'] },
});

export const finding = object('Finding', 'A likely mistake, or a fact worth knowing.', {
  code: { type: FINDING_CODE, description: 'A stable code.', example: 'unmatched-toleration' },
  severity: { type: SEVERITY, description: 'The severity.', example: 'warning' },
  subject: { type: findingSubject, description: 'The object that has the finding.' },
  field: {
    type: 'identifier',
    optional: true,
    description: 'Field that causes the finding.',
    example: 'spec.tolerations[0]',
  },
  pointer: {
    type: 'identifier',
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
  budgets: {
    type: 'identifier',
    list: true,
    description: 'The PodDisruptionBudgets that the message is about, as namespace/name.',
    example: [],
  },
  occurrences: {
    type: findingOccurrences,
    optional: true,
    description: 'The objects with the finding, if there are several.',
  },
});

export const groupedOccurrences = object(
  'GroupedFindingOccurrences',
  'The objects that have a finding. Members that differ are null; `columns` has the values.',
  {
    ...findingOccurrences.members,
    count: { ...findingOccurrences.members.count, optional: true },
    examples: { ...findingOccurrences.members.examples, optional: true },
  },
);

export const groupedSubjects = object('GroupedFindingSubjects', 'Subjects of one kind in one namespace.', {
  kind: findingSubject.members.kind,
  namespace: findingSubject.members.namespace,
  count: { type: 'integer', description: 'Number of subjects.', example: 1 },
  names: {
    type: 'identifier',
    list: true,
    description: 'Names of all subjects; empty for the cluster.',
    example: ['web'],
  },
});

const { field, pointer, budgets, occurrences, ...OF_FINDING } = without(finding.members, 'subject');

export const findingGroup = object(
  'FindingGroup',
  'Findings with the same cause: the same code, severity, message and suggestions. Members that differ are null; `columns` has the values.',
  {
    ...OF_FINDING,
    count: { type: 'integer', description: 'Number of findings, each about another subject.', example: 1 },
    objectCount: { type: 'integer', description: 'Number of objects with these findings.', example: 3 },
    field,
    pointer,
    budgets: { ...budgets, optional: true },
    occurrences: { ...occurrences, type: groupedOccurrences },
    subjects: {
      type: groupedSubjects,
      list: true,
      description: 'Subjects of the findings. Columns list their values in this order.',
    },
    columns: COLUMNS,
  },
);

export const FINDINGS_VIEW = enumType(
  'FindingsView',
  'Findings in groups of those with the same cause, or one by one.',
  ['groups', 'findings'],
);

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
    type: 'identifier',
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
      manifest: true,
      description: 'A Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, ReplicationController, Job or CronJob.',
    },
    fieldValidation: FIELD_VALIDATION,
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
