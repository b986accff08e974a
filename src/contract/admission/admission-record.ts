import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';

export const OUTCOME = enumType('AdmissionRecordOutcome', 'What a webhook did to a pod.', ['added', 'refused']);

export const addedOperation = object('AddedOperation', 'An operation of a JSON Patch (RFC 6902), and why.', {
  op: { type: 'string', description: 'add or replace.', example: 'add' },
  path: { type: 'string', description: 'A JSON pointer into the pod.', example: '/spec/tolerations' },
  value: {
    type: 'json',
    optional: true,
    omittable: true,
    description: 'What was put there.',
    example: [{ key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' }],
  },
  why: {
    type: 'string',
    description: 'Why.',
    example: 'the pod may use pool ml because of namespace ml; the toleration admits it to the tainted nodes',
  },
});

export const admissionCaller = object('AdmissionCaller', 'Who sent an AdmissionReview.', {
  name: { type: 'string', description: 'The name that the token stands for.', example: 'prod-apiserver' },
  kind: { type: 'string', description: 'anonymous, token or oidc.', example: 'token' },
  issuer: {
    type: 'string',
    optional: true,
    description: 'The identity provider that vouches for the name; null for other kinds.',
    example: null,
  },
});

export const admissionRecord = object('AdmissionRecord', 'What a webhook added to a pod, or why it refused it.', {
  id: { type: 'int64', description: 'Its number.', example: 1 },
  clusterId: { type: 'int64', description: 'Tells clusters of one name apart.', example: 1 },
  recordedAt: { type: 'time', description: 'When.', example: '2026-05-04T03:02:01.000Z' },
  revision: { type: 'integer', description: 'The revision whose pools it went by.', example: 7 },
  uid: {
    type: 'string',
    description: "Of the API server's request.",
    example: '705ab4f5-6393-11e8-b7cc-42010a800002',
  },
  outcome: { type: OUTCOME, description: 'What was done.', example: 'added' },
  operation: { type: 'string', description: 'CREATE or UPDATE.', example: 'CREATE' },
  namespace: { type: 'string', description: 'The namespace of the pod.', example: 'ml' },
  pod: { type: 'string', description: 'Its name; empty while the API server had none for it.', example: 'trainer' },
  generateName: { type: 'string', description: 'What its name is to begin with.', example: '' },
  serviceAccount: { type: 'string', description: 'The service account that it runs as.', example: 'default' },
  username: { type: 'string', description: 'Who asked for it, as the AdmissionReview says.', example: 'alice' },
  caller: {
    type: admissionCaller,
    optional: true,
    description: 'Who sent the AdmissionReview, by its token; null in records from before that was kept.',
    example: exampleOf(admissionCaller),
  },
  pools: { type: 'string', list: true, description: 'The pools that gave, or refused.', example: ['ml'] },
  patch: { type: addedOperation, list: true, description: 'What was added.' },
  message: { type: 'string', description: 'Why it was refused; empty otherwise.', example: '' },
});

/** What admission records are picked by. */
export const ADMISSION_RECORD_FILTERS = {
  namespace: { type: 'string', optional: true, description: 'Only of pods of this namespace.', example: 'ml' },
  pod: { type: 'string', optional: true, description: 'Only of pods of this name.', example: 'trainer' },
  pool: { type: 'string', optional: true, description: 'Only what this pool did.', example: 'ml' },
  outcome: { type: OUTCOME, optional: true, description: 'Only additions, or only refusals.' },
  username: { type: 'string', optional: true, description: 'Only what this user asked for.', example: 'alice' },
  from: { type: 'time', optional: true, description: 'Only from this moment on.' },
  to: { type: 'time', optional: true, description: 'Only before this moment.' },
} as const;
