import { ObjectType } from '@nestjs/graphql';
import { QUOTA_STANDINGS, type QuotaStanding } from '../../core/quota/quota-standing.js';
import type { Plain } from './plain.js';
import { Shown, type PropertyOptions } from './property.js';
import { wordsType } from './property-type.js';

export const STANDING = wordsType(
  'QuotaStanding',
  'How much of what a quota allows is taken: more than all of it, all of it, the threshold or more, unknown, less than the threshold, or nothing of nothing.',
  QUOTA_STANDINGS,
);

const REASON = wordsType(
  'QuotaDifferenceReason',
  'Why status.used is not what the objects add up to: it is; what is counted is not known; the status lacks the resource; it counts pods that have ended, or whose deletion is overdue; pods are being resized in place; it is out of date.',
  ['none', 'unknown', 'unreported', 'finished', 'overdue', 'resized', 'stale'],
);

const TAKES_IN = wordsType('QuotaScopeTakesIn', 'What a scope takes in.', ['pods', 'nothing', 'unknown']);

const COUNTING_WORDS = ['counts', 'deleting', 'finished', 'overdue', 'outside'] as const;

export const COUNTING = wordsType(
  'QuotaPodCounting',
  'How a pod counts for a quota: it is charged; it is charged though it is being deleted; it has ended, or its deletion is overdue, and count/pods alone counts it; it is not within the scopes.',
  COUNTING_WORDS,
);

const quantity = (description: string, example: string): PropertyOptions => ({ type: 'string', description, example });

@ObjectType('QuotaScope', { description: 'A scope of a ResourceQuota, and what it means.' })
export class QuotaScopeShape {
  @Shown({ type: 'string', description: 'Its name.', example: 'PriorityClass' })
  scope!: string;

  @Shown({ type: 'string', description: 'Exists for those under spec.scopes.', example: 'In' })
  operator!: string;

  @Shown({ type: 'string', list: true, description: 'Its values.', example: ['high'] })
  values!: readonly string[];

  @Shown({ type: 'string', description: 'As Go prints it.', example: '{PriorityClass In [high]}' })
  text!: string;

  @Shown({ type: TAKES_IN, description: 'What it takes in.', example: 'pods' })
  takesIn!: string;

  @Shown({ type: 'string', description: 'What that means.', example: 'pods whose priorityClassName is one of high' })
  meaning!: string;
}

@ObjectType('QuotaResource', { description: 'One resource that a ResourceQuota bounds.' })
export class QuotaResourceShape {
  @Shown({ type: 'string', description: 'Its name in the quota.', example: 'requests.cpu' })
  resource!: string;

  @Shown(quantity('What spec.hard allows.', '10'))
  hard!: string;

  @Shown({
    ...quantity(
      'What status.hard allows, by which admission goes; null where the controller has not taken it over.',
      '10',
    ),
    optional: true,
  })
  enforced!: string | null;

  @Shown({
    ...quantity('What the objects of the namespace add up to; null where the state cannot tell.', '9500m'),
    optional: true,
  })
  used!: string | null;

  @Shown({ ...quantity('What status.used says; null where it lacks the resource.', '10'), optional: true })
  reported!: string | null;

  @Shown({
    ...quantity('What is left beside the larger of the two; negative where more is taken than allowed.', '0'),
    optional: true,
  })
  left!: string | null;

  @Shown({
    type: 'number',
    optional: true,
    description: 'The larger of the two in percent of hard; null where there is no such number.',
    example: 100,
  })
  percent!: number | null;

  @Shown({ type: STANDING, description: 'How it stands.', example: 'full' })
  standing!: QuotaStanding;

  @Shown({ ...quantity('reported less used; null where one of them is.', '500m'), optional: true })
  difference!: string | null;

  @Shown({ type: REASON, description: 'Why they differ.', example: 'finished' })
  reason!: string;

  @Shown({
    type: 'string',
    description: 'The same in words.',
    example: 'status.used still counts pods that have ended: 500m',
  })
  why!: string;

  @Shown(quantity('What pods that have ended would be charged if they had not.', '500m'))
  finished!: string;

  @Shown(quantity('What pods whose deletion is overdue would be charged.', '0'))
  overdue!: string;

  @Shown(quantity('Part of used: pods that are being deleted.', '0'))
  deleting!: string;

  @Shown(quantity('Part of used: what pods that are resized in place are charged above their specs.', '0'))
  beyondSpec!: string;
}

@ObjectType('Quota', { description: 'A ResourceQuota: what it allows, what is used, and what its status says.' })
export class QuotaShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'team-quota' })
  name!: string;

  @Shown({ type: STANDING, description: 'How it stands: the worst of its resources.', example: 'full' })
  standing!: QuotaStanding;

  @Shown({ type: () => QuotaScopeShape, list: true, description: 'Its scopes; a pod has to be within all of them.' })
  scopes!: readonly Plain<QuotaScopeShape>[];

  @Shown({ type: 'integer', description: 'Pods within its scopes, those that have ended included.', example: 12 })
  pods!: number;

  @Shown({ type: () => QuotaResourceShape, list: true, description: 'What it bounds, by name.' })
  resources!: readonly Plain<QuotaResourceShape>[];
}

@ObjectType('QuotaPod', { description: "A pod of a ResourceQuota's namespace, and what it is charged." })
export class QuotaPodShape {
  @Shown({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;

  @Shown({ type: 'string', description: 'Its phase.', example: 'Running' })
  phase!: string;

  @Shown({ type: COUNTING, description: 'How it counts.', example: 'counts' })
  counting!: string;

  @Shown({ type: 'string', description: 'Why.', example: 'it is charged what it asks for' })
  why!: string;

  @Shown({
    type: 'time',
    optional: true,
    description: 'Until when a pod that is being deleted counts; null for others.',
  })
  countsUntil!: Date | null;

  @Shown({ type: 'string', list: true, description: 'The scopes that it is not within.', example: [] })
  outside!: readonly string[];

  @Shown({
    type: 'labels',
    description: 'What it is charged, by resource that the quota bounds.',
    example: { pods: '1', 'requests.cpu': '500m' },
  })
  charged!: Readonly<Record<string, string>>;

  @Shown({ type: 'labels', description: 'What it was charged while it counted, and is charged no more.', example: {} })
  released!: Readonly<Record<string, string>>;

  @Shown({ type: 'labels', description: 'By how much it is charged above its spec.', example: {} })
  beyondSpec!: Readonly<Record<string, string>>;
}

export const NOT_LOADED = {
  type: 'string',
  list: true,
  description: 'Kinds that the answer needs and that were never loaded.',
  example: [],
} as const;
