import { enumType, object } from '../schema.js';

export const NOTIFICATION_KIND = enumType('NotificationKind', 'What a notification is about.', [
  'taintChanged',
  'taintFight',
  'evictionDue',
  'quotaAtRisk',
  'expectationTurned',
  'snapshotStale',
  'connectionLost',
  'approvalNeeded',
  'applicationFinished',
  'disagreement',
]);

export const NOTIFICATION_FORMAT = enumType('NotificationFormat', 'The form of the requests to a receiver.', [
  'cloudevents',
  'slack',
  'alertmanager',
]);

/** The least severe first. */
export const NOTIFICATION_SEVERITY = enumType('NotificationSeverity', 'How severe a notification is.', [
  'info',
  'warning',
  'critical',
]);

export const NOTIFICATION_EFFECT = enumType('NotificationEffect', 'Effect of a taint.', [
  'NoSchedule',
  'PreferNoSchedule',
  'NoExecute',
]);

export const DELIVERY_STATE = enumType('NotificationDeliveryState', 'What became of a notification.', [
  'waiting',
  'delivered',
  'givenUp',
]);

/** Defaults of a rule. */
export const QUOTA_THRESHOLD = 90;
export const STALE_AFTER = '1h';

/** The most kinds, namespaces, keys or headers of a rule. */
export const MOST_VALUES = 100;
export const MOST_HEADERS = 10;

const FILTERS = {
  kinds: {
    type: NOTIFICATION_KIND,
    list: true,
    maximumLength: MOST_VALUES,
    description: 'What the rule tells of.',
    example: ['taintChanged', 'evictionDue'],
  },
  namespaces: {
    type: 'identifier',
    list: true,
    optional: true,
    maximumLength: MOST_VALUES,
    description: 'Only pods and quotas in these namespaces; null or empty: in all.',
    example: ['shop'],
  },
  nodeSelector: {
    type: 'string',
    optional: true,
    maximumLength: 4096,
    syntax: 'labelSelector',
    description: 'Only changes, fights and evictions on nodes with these labels, in kubectl syntax; null: on all.',
    example: 'pool=gpu',
  },
  taintKeys: {
    type: 'identifier',
    list: true,
    optional: true,
    maximumLength: MOST_VALUES,
    description: 'Only changes of, and fights about, taints with these keys; null or empty: with any.',
    example: ['dedicated'],
  },
  effects: {
    type: NOTIFICATION_EFFECT,
    list: true,
    optional: true,
    maximumLength: MOST_VALUES,
    description: 'Only changes of, and fights about, taints with these effects; null or empty: with any.',
    example: ['NoSchedule', 'NoExecute'],
  },
  minSeverity: {
    type: NOTIFICATION_SEVERITY,
    optional: true,
    defaultsTo: 'info',
    description: 'Only notifications that are at least as severe.',
    example: 'info',
  },
  quotaThreshold: {
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: 100,
    defaultsTo: QUOTA_THRESHOLD,
    description: 'Usage from which a quota is at risk, in percent.',
    example: 90,
  },
  staleAfter: {
    type: 'identifier',
    optional: true,
    maximumLength: 40,
    syntax: 'duration',
    defaultsTo: STALE_AFTER,
    description: 'Age from which the newest snapshot is stale, such as `30m`.',
    example: '1h',
  },
  taintValues: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Send the values of taints, and not only keys and effects. Only who may see them may set it.',
    example: false,
  },
  disabled: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'The rule tells of nothing that happens while it is disabled.',
    example: false,
  },
} as const;

const INPUT = {
  ...FILTERS,
  format: { type: NOTIFICATION_FORMAT, description: NOTIFICATION_FORMAT.description, example: 'cloudevents' },
  url: {
    type: 'string',
    optional: true,
    maximumLength: 2048,
    description:
      'URL of the receiver. It is never shown. Without it, a rule that exists keeps its receiver: URL, secret and headers.',
    example: 'https://hooks.example.com/kube-placement',
  },
  secret: {
    type: 'string',
    optional: true,
    maximumLength: 256,
    description:
      'Signs CloudEvents as Standard Webhooks do: `whsec_` and 24 to 64 bytes in base64. It is never shown. Required with `url` for `cloudevents`, and for no other format.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr',
  },
  headers: {
    type: 'labels',
    optional: true,
    description: 'More headers of requests, such as `authorization`; at most 10. Their values are never shown.',
    example: { authorization: 'Bearer s3cr3t' },
  },
} as const;

export const ruleInput = object('NotificationRuleInput', 'Of what to tell whom.', INPUT, {
  openApiName: 'PutNotificationRule',
});

const CLUSTER_SELECTOR = {
  type: 'string',
  optional: true,
  maximumLength: 4096,
  syntax: 'labelSelector',
  description: 'Only clusters with these labels, in kubectl syntax; null: all.',
  example: 'env=prod',
} as const;

export const generalRuleInput = object(
  'GeneralNotificationRuleInput',
  'Of what to tell whom, in which clusters.',
  { ...INPUT, clusterSelector: CLUSTER_SELECTOR },
  { openApiName: 'PutGeneralNotificationRule' },
);

const { kinds, namespaces, nodeSelector, taintKeys, effects } = FILTERS;
const { minSeverity, quotaThreshold, staleAfter, taintValues, disabled } = FILTERS;

export const PERMISSION_STATE = enumType('ReceiverPermissionState', 'Whether a receiver permits deliveries.', [
  'granted',
  'notGranted',
  'unanswered',
  'notAsked',
]);

const receiverPermission = object(
  'ReceiverPermission',
  'Whether a receiver of CloudEvents permits deliveries, as HTTP 1.1 Web Hooks for Event Delivery 1.0.1 asks it (OPTIONS).',
  {
    state: { type: PERMISSION_STATE, description: PERMISSION_STATE.description, example: 'granted' },
    origin: {
      type: 'identifier',
      optional: true,
      description: 'The name under which the service asks and sends; null if it has none.',
      example: 'placement.example',
    },
    allowedRate: {
      type: 'integer',
      optional: true,
      description: 'Deliveries in a minute that the receiver permits; null: any number.',
      example: 120,
    },
    message: { type: 'string', optional: true, description: 'Why it is not granted; else null.', example: null },
    askedAt: { type: 'time', description: 'When it was asked.', example: '2026-05-04T03:02:01.000Z' },
  },
);

const PERMISSION = {
  type: receiverPermission,
  optional: true,
  description: 'What the receiver said when it was asked whether it permits deliveries; null if it was not asked.',
} as const;

export const notificationRule = object('NotificationRule', 'Of what the service tells whom.', {
  name: { type: 'identifier', description: 'Name of the rule.', example: 'oncall' },
  cluster: {
    type: 'identifier',
    optional: true,
    description: 'The cluster; null for a rule about several.',
    example: 'example',
  },
  clusterSelector: { ...CLUSTER_SELECTOR, example: null },
  format: { type: NOTIFICATION_FORMAT, description: NOTIFICATION_FORMAT.description, example: 'cloudevents' },
  receiver: {
    type: 'identifier',
    description: 'Scheme and host of the URL. The rest is a secret of many receivers.',
    example: 'https://hooks.example.com',
  },
  isSigned: { type: 'boolean', description: 'Whether requests are signed.', example: true },
  headerNames: {
    type: 'identifier',
    list: true,
    description: 'Names of the further headers.',
    example: ['authorization'],
  },
  kinds,
  namespaces: { ...namespaces, optional: false, description: 'Only in these namespaces; empty: in all.', example: [] },
  nodeSelector,
  taintKeys: { ...taintKeys, optional: false, description: 'Only taints with these keys; empty: any.', example: [] },
  effects: {
    ...effects,
    optional: false,
    description: 'Only taints with these effects; empty: any.',
  },
  minSeverity: { ...minSeverity, optional: false },
  quotaThreshold: { ...quotaThreshold, optional: false },
  staleAfter: { ...staleAfter, optional: false },
  taintValues: { ...taintValues, optional: false, description: 'Whether the values of taints are sent.' },
  disabled: { ...disabled, optional: false, description: 'Whether the rule is disabled.' },
  permission: PERMISSION,
  stoppedAt: {
    type: 'time',
    optional: true,
    description: 'When the receiver answered 410, after which nothing is sent until the rule is put again; else null.',
    example: null,
  },
  stoppedReason: { type: 'string', optional: true, description: 'Why it was stopped.', example: null },
  waiting: { type: 'integer', description: 'Number of notifications that wait for their delivery.', example: 0 },
  givenUp: { type: 'integer', description: 'Number of notifications that were given up and are kept.', example: 0 },
  createdAt: { type: 'time', description: 'When the rule was created.', example: '2026-05-04T03:02:01.000Z' },
  createdBy: { type: 'identifier', description: 'Who created it.', example: 'ada@example.com' },
  changedAt: { type: 'time', description: 'When the rule was last put.', example: '2026-05-04T03:02:01.000Z' },
  changedBy: { type: 'identifier', description: 'Who put it last.', example: 'ada@example.com' },
});

export const deletedRule = object('DeletedNotificationRule', 'The rule that was deleted.', {
  name: { type: 'identifier', description: 'Name of the rule.', example: 'oncall' },
  deleted: { type: 'boolean', description: 'False if there was none.', example: true },
});

export const ruleTest = object('NotificationTest', 'What the receiver answered to a test.', {
  delivered: { type: 'boolean', description: 'Whether it answered 2xx.', example: true },
  status: { type: 'integer', optional: true, description: 'HTTP status; null if it did not answer.', example: 204 },
  body: {
    type: 'string',
    optional: true,
    description: 'The first 1,000 characters of the answer; null if it did not answer.',
    example: '',
  },
  error: { type: 'string', optional: true, description: 'Why it did not answer; else null.', example: null },
  milliseconds: { type: 'integer', description: 'How long the request took.', example: 48 },
  eventId: { type: 'identifier', description: 'Id of the event that was sent.', example: 'test-6f1f2b7c' },
  permission: PERMISSION,
});

export const notificationDelivery = object('NotificationDelivery', 'A notification on its way to a receiver.', {
  id: { type: 'identifier', description: 'Id of the delivery.', example: '42' },
  rule: { type: 'identifier', description: 'The rule.', example: 'oncall' },
  isGeneral: { type: 'boolean', description: 'Whether the rule is about several clusters.', example: false },
  kind: { type: NOTIFICATION_KIND, description: NOTIFICATION_KIND.description, example: 'taintChanged' },
  severity: { type: NOTIFICATION_SEVERITY, description: NOTIFICATION_SEVERITY.description, example: 'info' },
  eventId: {
    type: 'identifier',
    description: 'Id of the event, the same in each attempt.',
    example: 'c1-r1-taintChanged-7',
  },
  summary: {
    type: 'string',
    description: 'The event in one line.',
    example: 'Taints of node-1 changed: added dedicated=***:NoSchedule',
  },
  happenedAt: { type: 'time', description: 'When it happened.', example: '2026-05-04T03:02:01.000Z' },
  state: { type: DELIVERY_STATE, description: DELIVERY_STATE.description, example: 'givenUp' },
  createdAt: { type: 'time', description: 'When the notification was queued.', example: '2026-05-04T03:02:01.000Z' },
  attempts: { type: 'integer', description: 'Number of attempts.', example: 12 },
  attemptedAt: { type: 'time', optional: true, description: 'When it was last sent.' },
  nextAttemptAt: {
    type: 'time',
    optional: true,
    description: 'Before when the queue of the rule is not tried again after a failure; else null.',
    example: null,
  },
  status: { type: 'integer', optional: true, description: 'HTTP status of the last answer.', example: 503 },
  error: {
    type: 'string',
    optional: true,
    description: 'Why the last attempt failed.',
    example: 'the receiver answered 503',
  },
  finishedAt: { type: 'time', optional: true, description: 'When it was delivered or given up.' },
});
