import { AUTHOR_KIND } from '../common/author-kind.js';
import { PATCH_OPERATION } from '../common/patch.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';

export const OUTCOME = enumType('AdmissionRecordOutcome', 'What a webhook did to a pod.', ['added', 'refused']);

export const OPERATION = enumType('AdmissionReviewOperation', 'Operation that the API server reviews.', [
  'CREATE',
  'UPDATE',
]);

export const addedOperation = object('AddedOperation', 'An operation of a JSON Patch (RFC 6902), and its reason.', {
  op: { type: PATCH_OPERATION, description: 'add or replace.', example: 'add' },
  path: { type: 'identifier', description: 'JSON pointer into the pod.', example: '/spec/tolerations' },
  value: {
    type: 'json',
    taintValue: true,
    optional: true,
    omittable: true,
    description: 'The new value.',
    example: [{ key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' }],
  },
  why: {
    type: 'string',
    description: 'Why the operation is made.',
    example: 'the pod may use pool ml because of namespace ml; the toleration admits it to the tainted nodes',
  },
});

export const admissionCaller = object('AdmissionCaller', 'The sender of an AdmissionReview.', {
  name: { type: 'identifier', description: 'Sender name.', example: 'prod-apiserver' },
  kind: { type: AUTHOR_KIND, description: 'anonymous, token or oidc.', example: 'token' },
  issuer: {
    type: 'identifier',
    optional: true,
    description: 'Identity provider that issued the name; null for other kinds.',
    example: null,
  },
});

export const admissionRecord = object('AdmissionRecord', 'What a webhook added to a pod, or why it refused the pod.', {
  id: { type: 'int64', description: 'Record number.', example: 1 },
  clusterId: { type: 'int64', description: 'Cluster id, unique across clusters with the same name.', example: 1 },
  recordedAt: { type: 'time', description: 'Time of the record.', example: '2026-05-04T03:02:01.000Z' },
  revision: { type: 'integer', description: 'Revision whose pools were applied.', example: 7 },
  uid: {
    type: 'identifier',
    description: "Uid of the API server's request.",
    example: '705ab4f5-6393-11e8-b7cc-42010a800002',
  },
  outcome: { type: OUTCOME, description: OUTCOME.description, example: 'added' },
  operation: { type: OPERATION, description: 'CREATE or UPDATE.', example: 'CREATE' },
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'ml' },
  pod: {
    type: 'identifier',
    description: 'Pod name; empty if the API server had not generated it yet.',
    example: 'trainer',
  },
  generateName: { type: 'identifier', description: 'Prefix of the generated name.', example: '' },
  serviceAccount: { type: 'identifier', description: 'Service account of the pod.', example: 'default' },
  username: {
    type: 'identifier',
    description: 'User who sent the pod, according to the AdmissionReview.',
    example: 'alice',
  },
  caller: {
    type: admissionCaller,
    optional: true,
    description: 'Sender of the AdmissionReview, by its token; null in older records, which lack it.',
    example: exampleOf(admissionCaller),
  },
  pools: {
    type: 'identifier',
    list: true,
    description: 'Pools that added to the pod, or refused it.',
    example: ['ml'],
  },
  patch: { type: addedOperation, list: true, description: 'What was added.' },
  message: { type: 'string', description: 'Why the pod was refused; empty otherwise.', example: '' },
});

/** Filters for admission records. */
export const ADMISSION_RECORD_FILTERS = {
  namespace: {
    type: 'identifier',
    optional: true,
    description: 'Only records of pods in this namespace.',
    example: 'ml',
  },
  pod: { type: 'identifier', optional: true, description: 'Only records of pods with this name.', example: 'trainer' },
  pool: { type: 'identifier', optional: true, description: 'Only records that name this pool.', example: 'ml' },
  outcome: { type: OUTCOME, optional: true, description: 'Only additions, or only refusals.' },
  username: { type: 'identifier', optional: true, description: 'Only pods sent by this user.', example: 'alice' },
  from: { type: 'time', optional: true, description: 'Only records from this time on.' },
  to: { type: 'time', optional: true, description: 'Only records before this time.' },
} as const;
