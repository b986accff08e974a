import type { ErrorCode } from '../error-code.js';
import { CONFIRM_ERRORS, READ_ERRORS } from '../errors.js';
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
  summary: 'Get the admission configuration',
  description:
    'Returns the enabled admission plugins and their configuration; by default those of Kubernetes v1.36. The ' +
    'configuration is part of the stored state, so each revision has its own.',
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
    description: 'How the API server admits pods. Default: the Kubernetes defaults.',
  },
});

export const declareAdmissionConfiguration = question({
  id: 'admission.declare',
  summary: 'Replace the admission configuration',
  description:
    'Declares which admission plugins are enabled and how they are configured, like the flags and the ' +
    'configuration file of kube-apiserver; the rest has defaults. Creates a revision of kind `settings`.',
  method: 'PUT',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  body: {
    type: admissionConfigurationFields,
    description: 'The complete configuration; it replaces the previous one.',
  },
  response: declaredAdmissionConfiguration,
  statuses: { 200: 'The new configuration.' },
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
    description: 'Declares how the API server of a cluster admits pods, or previews it.',
    input: { type: 'AdmissionConfigurationInput', description: 'The complete configuration.' },
  },
});

export const resetAdmissionConfiguration = question({
  id: 'admission.reset',
  summary: 'Reset the admission configuration',
  description: 'Returns to the Kubernetes defaults, in a new revision.',
  method: 'DELETE',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: { dryRun: admissionConfigurationFields.members.dryRun },
  response: declaredAdmissionConfiguration,
  statuses: { 200: 'The new configuration.' },
  errors: DECLARE_ERRORS,
  examples: { parameters: { cluster: 'example', dryRun: true }, response: { declared: false } },
  graphql: {
    on: 'Mutation',
    name: 'resetAdmissionConfiguration',
    description: 'Returns the admission configuration of a cluster to the Kubernetes defaults.',
    input: { type: 'ResetAdmissionConfigurationInput', description: 'The cluster.' },
  },
});

export const tryAdmission = question({
  id: 'admission.review',
  summary: 'Review the admission of a pod',
  description:
    "Takes a pod, or the pod of a workload, through the API server's admission: defaults, mutating plugins, " +
    'validation, validating plugins. Returns each step with its JSON Patch and the reasons, and the pod as ' +
    'Kubernetes would store it, or the exact refusal with its HTTP status. Names what is unknown and what is not ' +
    'evaluated. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/admission-reviews',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: {
    type: admissionQuestionInput,
    description: 'The pod, and the operation.',
    manifest: { member: 'pod' },
  },
  response: triedAdmission,
  statuses: { 200: 'The admission review.' },
  errors: [...READ_ERRORS, 'object-not-found', ...CONFIRM_ERRORS],
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
    description: 'What the API server would do with a pod, step by step. Nothing is stored.',
    input: { description: 'The pod, and the operation.' },
  },
});

const manifestList = object(
  'ManifestList',
  '',
  {
    apiVersion: { type: 'identifier', description: '`v1`.', example: 'v1' },
    kind: { type: 'identifier', description: '`List`.', example: 'List' },
    items: {
      type: 'kubernetesObject',
      list: true,
      description: 'Objects for `kubectl apply -f -`.',
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
  summary: 'Generate the webhook configurations',
  description:
    'Returns a MutatingWebhookConfiguration and a ValidatingWebhookConfiguration for `kubectl apply -f -`, with ' +
    'the certificates for the API server to trust. They exclude the namespaces that all pools exempt.',
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
    description: 'A List of webhook configurations for `kubectl apply`.',
  },
});

export const listAdmissionRecords = question({
  id: 'webhooks.records',
  summary: 'List admission records',
  description:
    'Returns what the webhooks added to pods, and which pods they refused and why, newest first. Dry runs are not recorded. The records are append-only and outlive their cluster.',
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
    connection: { name: 'AdmissionRecord', description: 'Admission records, not counted.' },
  }),
  statuses: { 200: 'A page of records.' },
  errors: ['cluster-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: {
    on: 'Query',
    name: 'admissionRecords',
    cluster: {
      argument: 'cluster',
      description: 'Name of the cluster, which may be deleted.',
    },
    description: 'What the webhooks of a cluster did to pods, newest first. Includes deleted clusters.',
  },
});
