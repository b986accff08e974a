import { object } from '../schema.js';

export const reviewStatus = object(
  'ReviewStatus',
  '',
  {
    status: { type: 'identifier', description: '`Failure`.', example: 'Failure' },
    code: { type: 'integer', description: 'HTTP status code that the API server returns.', example: 403 },
    reason: { type: 'identifier', description: '`Forbidden`.', example: 'Forbidden' },
    message: { type: 'string', description: 'Why the pod is refused.' },
  },
  { restOnly: true },
);

export const reviewResponse = object(
  'ReviewResponse',
  '',
  {
    uid: { type: 'identifier', description: 'Request UID.', example: '705ab4f5-6393-11e8-b7cc-42010a800002' },
    allowed: { type: 'boolean', description: 'Whether the pod is allowed.', example: true },
    patchType: {
      type: 'identifier',
      optional: true,
      omittable: true,
      description: '`JSONPatch`, if there is a patch.',
      example: 'JSONPatch',
    },
    patch: {
      type: 'string',
      optional: true,
      omittable: true,
      description: 'The JSON Patch (RFC 6902), base64-encoded.',
    },
    status: { type: reviewStatus, optional: true, omittable: true, description: 'Why the pod is refused.' },
    warnings: {
      type: 'string',
      list: true,
      optional: true,
      omittable: true,
      description: 'Warnings for the sender of the pod.',
    },
    auditAnnotations: {
      type: 'labels',
      optional: true,
      omittable: true,
      description: "Entries for the API server's audit log.",
    },
  },
  { restOnly: true },
);

/** An AdmissionReview of `admission.k8s.io/v1` with its response. */
export const admissionReview = object(
  'AdmissionReview',
  '',
  {
    apiVersion: { type: 'identifier', description: '`admission.k8s.io/v1`.', example: 'admission.k8s.io/v1' },
    kind: { type: 'identifier', description: '`AdmissionReview`.', example: 'AdmissionReview' },
    response: { type: reviewResponse, description: 'The response.' },
  },
  { restOnly: true },
);

/** Query parameters that an API server appends to the URL of a webhook. */
export const reviewParameters = object(
  'ReviewParameters',
  '',
  {
    timeout: {
      type: 'identifier',
      optional: true,
      maximumLength: 40,
      description: 'How long the API server waits, in its format: `10s`. At most 30 seconds; 10 by default.',
    },
  },
  { restOnly: true },
);
