import { enumType } from '../schema.js';

export const FAILURE_POLICY = enumType(
  'WebhookFailurePolicy',
  'What the API server does if a webhook does not respond.',
  ['Ignore', 'Fail'],
);

/** The options of generated webhook configurations, in REST and in GraphQL. */
export const WEBHOOK_OPTIONS = {
  url: {
    type: 'identifier',
    optional: true,
    maximumLength: 1000,
    description: 'URL at which the API server reaches this service, with https. Alternative to `service`.',
    example: 'https://placement.example.com',
  },
  service: {
    type: 'identifier',
    optional: true,
    maximumLength: 140,
    defaultsTo: 'kube-placement/kube-placement',
    description: 'Service of the cluster that routes to this service: `namespace/name` or `namespace/name:port`.',
    example: 'placement/kube-placement:443',
  },
  failurePolicy: {
    type: FAILURE_POLICY,
    optional: true,
    defaultsTo: 'Ignore',
    description: 'What the API server does without a response: admit the pod, or refuse it.',
  },
  timeoutSeconds: {
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: 30,
    defaultsTo: 5,
    description: 'How long the API server waits, in seconds.',
  },
} as const;
