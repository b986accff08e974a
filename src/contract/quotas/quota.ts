import { object, enumType } from '../schema.js';
import { QUOTA_STANDINGS } from '../../core/quota/quota-standing.js';

export const STANDING = enumType(
  'QuotaStanding',
  'How much of what a quota allows is taken: more than all of it, all of it, the threshold or more, unknown, less than the threshold, or nothing of nothing.',
  QUOTA_STANDINGS,
);

export const REASON = enumType(
  'QuotaDifferenceReason',
  'Why status.used is not what the objects add up to: it is; what is counted is not known; the status lacks the resource; it counts pods that have ended, or whose deletion is overdue; pods are being resized in place; it is out of date.',
  ['none', 'unknown', 'unreported', 'finished', 'overdue', 'resized', 'stale'],
);

export const TAKES_IN = enumType('QuotaScopeTakesIn', 'What a scope takes in.', ['pods', 'nothing', 'unknown']);

export const COUNTING_WORDS = ['counts', 'deleting', 'finished', 'overdue', 'outside'] as const;

export const COUNTING = enumType(
  'QuotaPodCounting',
  'How a pod counts for a quota: it is charged; it is charged though it is being deleted; it has ended, or its deletion is overdue, and count/pods alone counts it; it is not within the scopes.',
  COUNTING_WORDS,
);

const quantity = (description: string, example: string) => ({ type: 'string', description, example }) as const;

export const quotaScope = object('QuotaScope', 'A scope of a ResourceQuota, and what it means.', {
  scope: { type: 'string', description: 'Its name.', example: 'PriorityClass' },
  operator: { type: 'string', description: 'Exists for those under spec.scopes.', example: 'In' },
  values: { type: 'string', list: true, description: 'Its values.', example: ['high'] },
  text: { type: 'string', description: 'As Go prints it.', example: '{PriorityClass In [high]}' },
  takesIn: { type: TAKES_IN, description: 'What it takes in.', example: 'pods' },
  meaning: { type: 'string', description: 'What that means.', example: 'pods whose priorityClassName is one of high' },
});

export const quotaResource = object('QuotaResource', 'One resource that a ResourceQuota bounds.', {
  resource: { type: 'string', description: 'Its name in the quota.', example: 'requests.cpu' },
  hard: quantity('What spec.hard allows.', '10'),
  enforced: {
    ...quantity(
      'What status.hard allows, by which admission goes; null where the controller has not taken it over.',
      '10',
    ),
    optional: true,
  },
  used: {
    ...quantity('What the objects of the namespace add up to; null where the state cannot tell.', '9500m'),
    optional: true,
  },
  reported: { ...quantity('What status.used says; null where it lacks the resource.', '10'), optional: true },
  left: {
    ...quantity('What is left beside the larger of the two; negative where more is taken than allowed.', '0'),
    optional: true,
  },
  percent: {
    type: 'number',
    optional: true,
    description: 'The larger of the two in percent of hard; null where there is no such number.',
    example: 100,
  },
  standing: { type: STANDING, description: 'How it stands.', example: 'full' },
  difference: { ...quantity('reported less used; null where one of them is.', '500m'), optional: true },
  reason: { type: REASON, description: 'Why they differ.', example: 'finished' },
  why: {
    type: 'string',
    description: 'The same in words.',
    example: 'status.used still counts pods that have ended: 500m',
  },
  finished: quantity('What pods that have ended would be charged if they had not.', '500m'),
  overdue: quantity('What pods whose deletion is overdue would be charged.', '0'),
  deleting: quantity('Part of used: pods that are being deleted.', '0'),
  beyondSpec: quantity('Part of used: what pods that are resized in place are charged above their specs.', '0'),
});

export const quota = object('Quota', 'A ResourceQuota: what it allows, what is used, and what its status says.', {
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'team-quota' },
  standing: { type: STANDING, description: 'How it stands: the worst of its resources.', example: 'full' },
  scopes: { type: quotaScope, list: true, description: 'Its scopes; a pod has to be within all of them.' },
  pods: { type: 'integer', description: 'Pods within its scopes, those that have ended included.', example: 12 },
  resources: { type: quotaResource, list: true, description: 'What it bounds, by name.' },
});

export const quotaPod = object('QuotaPod', "A pod of a ResourceQuota's namespace, and what it is charged.", {
  name: { type: 'string', description: 'Its name.', example: 'web-0' },
  phase: { type: 'string', description: 'Its phase.', example: 'Running' },
  counting: { type: COUNTING, description: 'How it counts.', example: 'counts' },
  why: { type: 'string', description: 'Why.', example: 'it is charged what it asks for' },
  countsUntil: {
    type: 'time',
    optional: true,
    description: 'Until when a pod that is being deleted counts; null for others.',
  },
  outside: { type: 'string', list: true, description: 'The scopes that it is not within.', example: [] },
  charged: {
    type: 'labels',
    description: 'What it is charged, by resource that the quota bounds.',
    example: { pods: '1', 'requests.cpu': '500m' },
  },
  released: {
    type: 'labels',
    description: 'What it was charged while it counted, and is charged no more.',
    example: {},
  },
  beyondSpec: { type: 'labels', description: 'By how much it is charged above its spec.', example: {} },
});

export const NOT_LOADED = {
  type: 'string',
  list: true,
  description: 'Kinds that the answer needs and that were never loaded.',
  example: [],
} as const;
