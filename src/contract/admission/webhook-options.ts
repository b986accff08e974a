import { enumType } from '../schema.js';

export const FAILURE_POLICY = enumType(
  'WebhookFailurePolicy',
  'What an API server does when a webhook does not answer.',
  ['Ignore', 'Fail'],
);

/** What a configuration of webhooks is written for, in REST and in GraphQL. */
export const WEBHOOK_OPTIONS = {
  url: {
    type: 'string',
    optional: true,
    maximumLength: 1000,
    description: 'Where the API server reaches this service: an https:// address. Give this or `service`.',
    example: 'https://placement.example.com',
  },
  service: {
    type: 'string',
    optional: true,
    maximumLength: 140,
    defaultsTo: 'kube-placement/kube-placement',
    description: 'The Service of the cluster that leads to this service: `namespace/name` or `namespace/name:port`.',
    example: 'placement/kube-placement:443',
  },
  failurePolicy: {
    type: FAILURE_POLICY,
    optional: true,
    defaultsTo: 'Ignore',
    description: 'What the API server does when there is no answer: let the pod pass, or refuse it.',
  },
  timeoutSeconds: {
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: 30,
    defaultsTo: 5,
    description: 'How long the API server waits.',
  },
} as const;
