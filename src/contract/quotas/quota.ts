import { object, enumType } from '../schema.js';
import { QUOTA_STANDINGS } from '../../core/quota/quota-standing.js';

export const STANDING = enumType(
  'QuotaStanding',
  'Usage relative to the limit: above it, equal to it, at or above the threshold, unknown, below the threshold, ' +
    'or nothing used of a limit of 0.',
  QUOTA_STANDINGS,
);

export const REASON = enumType(
  'QuotaDifferenceReason',
  'Why status.used differs from the counted usage: it does not; the usage is unknown; the status lacks the ' +
    'resource; it counts finished pods or pods whose deletion is overdue; pods are being resized in place; it is ' +
    'out of date.',
  ['none', 'unknown', 'unreported', 'finished', 'overdue', 'resized', 'stale'],
);

export const TAKES_IN = enumType('QuotaScopeTakesIn', 'What a scope includes.', ['pods', 'nothing', 'unknown']);

export const POD_COUNTINGS = ['counts', 'deleting', 'finished', 'overdue', 'outside'] as const;

export const COUNTING = enumType(
  'QuotaPodCounting',
  'How a pod counts toward a quota: charged; charged while being deleted; finished or overdue in its deletion, ' +
    'and counted only by count/pods; outside the scopes.',
  POD_COUNTINGS,
);

const quantity = (description: string, example: string) => ({ type: 'identifier', description, example }) as const;

export const quotaScope = object('QuotaScope', 'A scope of a ResourceQuota, and its meaning.', {
  scope: { type: 'identifier', description: 'Scope name.', example: 'PriorityClass' },
  operator: { type: 'identifier', description: 'Operator; Exists for scopes in spec.scopes.', example: 'In' },
  values: { type: 'identifier', list: true, description: 'Scope values.', example: ['high'] },
  text: { type: 'string', description: 'As printed by Go.', example: '{PriorityClass In [high]}' },
  takesIn: { type: TAKES_IN, description: TAKES_IN.description, example: 'pods' },
  meaning: {
    type: 'string',
    description: 'What the scope means.',
    example: 'pods whose priorityClassName is one of high',
  },
});

export const quotaResource = object('QuotaResource', 'A resource limited by a ResourceQuota.', {
  resource: { type: 'identifier', description: 'Resource name.', example: 'requests.cpu' },
  hard: quantity('Limit in spec.hard.', '10'),
  enforced: {
    ...quantity('Limit in status.hard, which admission enforces; null if the controller has not set it yet.', '10'),
    optional: true,
  },
  used: {
    ...quantity('Usage as counted from the objects of the namespace; null if unknown.', '9500m'),
    optional: true,
  },
  reported: { ...quantity('Usage in status.used; null if the status lacks the resource.', '10'), optional: true },
  left: {
    ...quantity('Limit minus the larger of `used` and `reported`, which may be negative; null if unknown.', '0'),
    optional: true,
  },
  percent: {
    type: 'number',
    optional: true,
    description: 'The larger of `used` and `reported` in percent of the limit; null if unknown or the limit is 0.',
    example: 100,
  },
  standing: { type: STANDING, description: STANDING.description, example: 'full' },
  difference: { ...quantity('`reported` minus `used`; null if one of them is null.', '500m'), optional: true },
  reason: { type: REASON, description: REASON.description, example: 'finished' },
  why: {
    type: 'string',
    description: 'The reason as text.',
    example: 'status.used still counts pods that have ended: 500m',
  },
  finished: quantity('What finished pods would be charged if they still counted.', '500m'),
  overdue: quantity('What pods whose deletion is overdue would be charged if they still counted.', '0'),
  deleting: quantity('Part of `used`: pods that are being deleted.', '0'),
  beyondSpec: quantity('Part of `used`: what pods that are resized in place are charged above their specs.', '0'),
});

export const quota = object(
  'Quota',
  'A ResourceQuota with its limits, the counted usage, and the usage in its status.',
  {
    namespace: { type: 'identifier', description: 'Quota namespace.', example: 'default' },
    name: { type: 'identifier', description: 'Quota name.', example: 'team-quota' },
    standing: { type: STANDING, description: 'The most severe `standing` of its resources.', example: 'full' },
    scopes: {
      type: quotaScope,
      list: true,
      description: 'Scopes; a pod must be within all of them.',
    },
    pods: { type: 'integer', description: 'Number of pods within the scopes, including finished ones.', example: 12 },
    resources: { type: quotaResource, list: true, description: 'Limited resources, by name.' },
  },
);

export const quotaPod = object('QuotaPod', 'A pod in the namespace of a ResourceQuota, and what it is charged.', {
  name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
  phase: { type: 'identifier', description: 'Pod phase.', example: 'Running' },
  counting: { type: COUNTING, description: COUNTING.description, example: 'counts' },
  why: {
    type: 'string',
    description: 'Why the pod is counted in this way.',
    example: 'counted with its requests and limits',
  },
  countsUntil: {
    type: 'time',
    optional: true,
    description: 'Time until which a pod that is being deleted counts; null for others.',
  },
  outside: { type: 'identifier', list: true, description: 'Scopes that the pod is not within.', example: [] },
  charged: {
    type: 'labels',
    description: 'Charge by resource of the quota.',
    example: { pods: '1', 'requests.cpu': '500m' },
  },
  released: {
    type: 'labels',
    description: 'What the pod was charged until it stopped counting.',
    example: {},
  },
  beyondSpec: { type: 'labels', description: 'What the pod is charged above its spec.', example: {} },
});
