import type { ErrorCode } from '../error-code.js';
import { READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { object } from '../schema.js';
import {
  admissionConfiguration,
  admissionConfigurationFields,
  declaredAdmissionConfiguration,
} from './admission-configuration.js';
import { ADMISSION_RECORD_FILTERS, admissionRecord } from './admission-record.js';
import { admissionQuestionInput, triedAdmission } from './tried-admission.js';
import { WEBHOOK_OPTIONS } from './webhook-options.js';

const PATH = 'clusters/{cluster}/admission-configuration';
const DECLARE_ERRORS: readonly ErrorCode[] = ['cluster-not-found', 'no-snapshot', 'precondition-failed'];
const HEADERS = { 'If-Match': 'Refuse with 412 unless the cluster is at this revision (`"7"`).' } as const;

export const readAdmissionConfiguration = question({
  id: 'admission.configuration',
  summary: 'Read how the API server admits pods',
  description:
    'Which admission plugins are on, and what they were told: stock (Kubernetes v1.36) until it is declared. It is part of the stored state, so any revision has its own.',
  method: 'GET',
  path: PATH,
  permission: 'read',
  readsRevision: true,
  response: admissionConfiguration,
  statuses: { 200: 'The configuration.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' } },
  graphql: {
    on: 'Cluster',
    name: 'admissionConfiguration',
    description: 'How its API server admits pods: stock until it is declared.',
  },
});

export const declareAdmissionConfiguration = question({
  id: 'admission.declare',
  summary: 'Declare how the API server admits pods',
  description:
    'Says which admission plugins are on and what they were told, as the flags and the configuration file of kube-apiserver do; what is left out is stock. It makes a revision of the kind `settings`. A dry run needs the right `evaluate` alone, a declaration needs `change`.',
  method: 'PUT',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  body: {
    type: admissionConfigurationFields,
    description: 'The whole of it: nothing is kept of what was declared before.',
  },
  response: declaredAdmissionConfiguration,
  statuses: { 200: 'The configuration from now on.' },
  errors: DECLARE_ERRORS,
  examples: {
    parameters: { cluster: 'example' },
    body: {
      enablePlugins: ['PodTolerationRestriction'],
      defaultUnreachableTolerationSeconds: 60,
      podTolerationRestriction: { default: [{ key: 'team', operator: 'Exists', effect: 'NoSchedule' }] },
      dryRun: true,
    },
  },
  graphql: {
    on: 'Mutation',
    name: 'declareAdmissionConfiguration',
    description: 'Says how the API server of a cluster admits pods, or what that would be.',
    input: { argument: 'input', type: 'AdmissionConfigurationInput', description: 'The whole of it.' },
  },
});

export const resetAdmissionConfiguration = question({
  id: 'admission.reset',
  summary: 'Declare that the API server admits pods as stock',
  description: 'Takes back what was declared, in a revision of its own.',
  method: 'DELETE',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: { dryRun: admissionConfigurationFields.members.dryRun },
  response: declaredAdmissionConfiguration,
  statuses: { 200: 'The configuration from now on.' },
  errors: DECLARE_ERRORS,
  examples: { parameters: { cluster: 'example', dryRun: true }, response: { declared: false } },
  graphql: {
    on: 'Mutation',
    name: 'resetAdmissionConfiguration',
    description: 'Takes back what was declared of how the API server of a cluster admits pods.',
    input: { argument: 'input', type: 'ResetAdmissionConfigurationInput', description: 'Where.' },
  },
});

export const tryAdmission = question({
  id: 'admission.review',
  summary: 'Ask what the API server would do with a pod',
  description:
    "Takes a pod, or the pod of a workload, through the API server's admission: its defaults, the plugins that change it, validation, the plugins that judge it. Tells each station with its change as a JSON Patch and the reasons, the pod as Kubernetes would store it, or the refusal to the letter with its HTTP status. What is not known, and what is not run here, is named. Nothing is stored.",
  method: 'POST',
  path: 'clusters/{cluster}/admission-reviews',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: admissionQuestionInput, description: 'The pod, and what is asked.' },
  response: triedAdmission,
  statuses: { 200: 'What would happen.' },
  errors: [...READ_ERRORS, 'object-not-found'],
  examples: {
    parameters: { cluster: 'example' },
    body: {
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', namespace: 'default' },
        spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] },
      },
    },
  },
  graphql: {
    on: 'Cluster',
    name: 'admissionReview',
    description: 'What its API server would do with a pod, station by station. Nothing is stored.',
    input: { argument: 'input', description: 'The pod, and what is asked.' },
  },
});

const manifestList = object(
  'ManifestList',
  '',
  {
    apiVersion: { type: 'string', description: '`v1`.', example: 'v1' },
    kind: { type: 'string', description: '`List`.', example: 'List' },
    items: {
      type: 'kubernetesObject',
      list: true,
      description: 'To be applied: `kubectl apply -f -`.',
      example: [
        {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'MutatingWebhookConfiguration',
          metadata: { name: 'kube-placement' },
          webhooks: [],
        },
      ],
    },
  },
  { restOnly: true },
);

export const configureWebhooks = question({
  id: 'webhooks.configuration',
  summary: 'Write the configuration of the webhooks',
  description:
    'A MutatingWebhookConfiguration and a ValidatingWebhookConfiguration for `kubectl apply -f -`, with the certificates that the ' +
    'API server is to trust, and without the namespaces that all pools exempt.',
  method: 'GET',
  path: 'clusters/{cluster}/webhooks/configuration',
  permission: 'read',
  beyondRevision: true,
  query: WEBHOOK_OPTIONS,
  response: manifestList,
  statuses: { 200: 'The manifests.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example', url: 'https://placement.example.com' } },
  graphql: {
    on: 'Cluster',
    name: 'webhookConfiguration',
    scalar: 'kubernetesObject',
    description: 'A List of webhook configurations, to be applied to the cluster with kubectl.',
  },
});

export const listAdmissionRecords = question({
  id: 'webhooks.records',
  summary: 'List what the webhooks did',
  description:
    'What was added to which pod, and who was refused and why, newest first. The records are only added to, and outlive their ' +
    'cluster; dry runs leave none.',
  method: 'GET',
  path: 'clusters/{cluster}/admission-records',
  permission: 'audit',
  query: ADMISSION_RECORD_FILTERS,
  response: list({
    name: 'AdmissionRecordList',
    item: admissionRecord,
    itemsDescription: 'The records, newest first.',
    head: {},
    counted: false,
    connection: { name: 'AdmissionRecord', description: 'Admission records. Nobody counts them.' },
  }),
  statuses: { 200: 'A page of records.' },
  errors: ['cluster-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: {
    on: 'Query',
    name: 'admissionRecords',
    cluster: {
      argument: 'cluster',
      description: 'The name of the cluster, which need not be there any more.',
    },
    description: 'What the webhooks of a cluster did to pods, newest first; of a cluster that is gone too.',
  },
});
