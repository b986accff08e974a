import { object } from '../schema.js';

export const reviewStatus = object(
  'ReviewStatus',
  '',
  {
    status: { type: 'string', description: '`Failure`.', example: 'Failure' },
    code: { type: 'integer', description: 'The HTTP status that the API server gives.', example: 403 },
    reason: { type: 'string', description: '`Forbidden`.', example: 'Forbidden' },
    message: { type: 'string', description: 'Why.' },
  },
  { restOnly: true },
);

export const reviewResponse = object(
  'ReviewResponse',
  '',
  {
    uid: { type: 'string', description: 'Of the request.', example: '705ab4f5-6393-11e8-b7cc-42010a800002' },
    allowed: { type: 'boolean', description: 'Whether the pod may go on.', example: true },
    patchType: {
      type: 'string',
      optional: true,
      omittable: true,
      description: '`JSONPatch`, where there is one.',
      example: 'JSONPatch',
    },
    patch: { type: 'string', optional: true, omittable: true, description: 'The JSON Patch (RFC 6902), in base64.' },
    status: { type: reviewStatus, optional: true, omittable: true, description: 'Why it is refused.' },
    warnings: {
      type: 'string',
      list: true,
      optional: true,
      omittable: true,
      description: 'What the API server tells who sent the pod.',
    },
    auditAnnotations: {
      type: 'labels',
      optional: true,
      omittable: true,
      description: "What goes into the API server's audit log.",
    },
  },
  { restOnly: true },
);

/** `admission.k8s.io/v1` AdmissionReview, with its response. */
export const admissionReview = object(
  'AdmissionReview',
  '',
  {
    apiVersion: { type: 'string', description: '`admission.k8s.io/v1`.', example: 'admission.k8s.io/v1' },
    kind: { type: 'string', description: '`AdmissionReview`.', example: 'AdmissionReview' },
    response: { type: reviewResponse, description: 'The answer.' },
  },
  { restOnly: true },
);

/** What an API server adds to the address of a webhook. */
export const reviewParameters = object(
  'ReviewParameters',
  '',
  {
    timeout: {
      type: 'string',
      optional: true,
      maximumLength: 40,
      description: 'How long the API server waits, as it says it: `10s`. At most 30 seconds; 10 by default.',
    },
  },
  { restOnly: true },
);
