import { InputType, ObjectType } from '@nestjs/graphql';
import { WORKLOAD_KINDS } from '../../core/admission/read-pod-manifest.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { MOST_REPLICAS } from '../../core/quota-review/how-many-fit.js';
import { SCALABLE_KINDS } from '../../core/quota-review/workload-replicas.js';
import { questionFaults, type QuotaBasis, type QuotaReviewQuestion } from '../../app/quotas/quota-review-request.js';
import type { QuotaReviewAnswer } from '../../app/quotas/review-quotas.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { BasisShape } from './basis-shape.js';
import { PartErrorShape, partErrorShape } from './part-error-shape.js';
import type { Plain } from './plain.js';
import { Given, Shown } from './property.js';
import { wordsType } from './property-type.js';

const OUTCOME = wordsType(
  'QuotaReviewOutcome',
  'All pods are let in; some are, then one is refused; none is; pods go; nothing changes; nothing refuses them, but what a plugin looks up was never loaded.',
  ['admitted', 'partly', 'refused', 'frees', 'unchanged', 'unknown'],
);

const BASIS_WORDS = wordsType(
  'QuotaUsageBasis',
  'By what quotas judge: status.used, as admission does; or what their objects add up to, as after the next recount.',
  ['reported', 'counted'],
);

export const QUOTA_BASIS = {
  type: BASIS_WORDS,
  optional: true,
  defaultsTo: 'reported',
  description:
    'By what the quotas judge: status.used, as the API server would now; or what their objects add up to, as after the controller has counted anew.',
} as const;

@InputType('QuotaReviewWorkloadInput')
export class QuotaReviewWorkloadBody {
  @Given({ type: 'string', description: `Its kind: ${SCALABLE_KINDS.join(', ')}.`, example: 'Deployment' })
  kind!: string;

  @Given({ type: 'string', optional: true, defaultsTo: 'default', description: 'Its namespace.', example: 'default' })
  namespace?: string;

  @Given({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;
}

@InputType('QuotaReviewItemInput')
export class QuotaReviewItemBody {
  /** A caller with a misspelt field learns at once what else is to be mended. */
  static furtherFaults({ namespace, pod, workloadRef, replicas }: QuotaReviewItemBody): ErrorDetail[] {
    const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
    return [
      ...questionFaults({
        ...(typeof namespace === 'string' ? { namespace } : {}),
        ...(isObject(pod) ? { pod } : {}),
        ...(isObject(workloadRef) && typeof workloadRef?.kind === 'string' ? { workloadRef } : {}),
        ...(typeof replicas === 'number' ? { replicas } : {}),
      }),
    ];
  }

  @Given({
    type: 'string',
    maximumLength: 200,
    description: 'Your name for the item; the answer repeats it.',
    example: 'a',
  })
  id!: string;

  @Given({
    type: 'string',
    optional: true,
    description: 'The namespace that the manifest is sent to; its own, or `default`, unless told.',
    example: 'default',
  })
  namespace?: string;

  @Given({
    type: 'kubernetesObject',
    optional: true,
    description: `The manifest of a Pod, or of a workload: ${WORKLOAD_KINDS.join(', ')}. Exactly one of \`pod\` and \`workloadRef\` is given.`,
  })
  pod?: JsonObject;

  @Given({
    type: () => QuotaReviewWorkloadBody,
    optional: true,
    description: 'A stored workload whose replicas change.',
  })
  workloadRef?: QuotaReviewWorkloadBody;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 0,
    maximum: MOST_REPLICAS,
    description: 'How many pods like it, or how many replicas; of a manifest as many as it says unless told.',
    example: 10,
  })
  replicas?: number;
}

export function quotaQuestionOf({ namespace, pod, workloadRef, replicas }: QuotaReviewItemBody): QuotaReviewQuestion {
  return { namespace, pod, workloadRef, replicas };
}

export type { QuotaBasis };

@ObjectType('QuotaReviewRefusal', { description: 'What the API server would answer to the first that is not let in.' })
export class QuotaReviewRefusalShape {
  @Shown({ type: 'string', description: 'The plugin that refuses, validation, or decoding.', example: 'ResourceQuota' })
  by!: string;

  @Shown({ type: 'integer', description: 'The HTTP status.', example: 403 })
  status!: number;

  @Shown({
    type: 'string',
    description: 'The message, to the letter.',
    example:
      'pods "web" is forbidden: exceeded quota: team-quota, requested: requests.cpu=1, used: requests.cpu=10, limited: requests.cpu=10',
  })
  message!: string;

  @Shown({ type: 'json', description: 'details.causes: reason as type, field, message.', example: [] })
  causes!: unknown;
}

@ObjectType('QuotaRaise', { description: 'A number of a quota that stands in the way.' })
export class QuotaRaiseShape {
  @Shown({ type: 'string', description: 'The quota.', example: 'team-quota' })
  quota!: string;

  @Shown({ type: 'string', description: 'The resource.', example: 'requests.cpu' })
  resource!: string;

  @Shown({ type: 'string', description: 'What it allows.', example: '10' })
  from!: string;

  @Shown({ type: 'string', description: 'What it would have to allow at least.', example: '12500m' })
  to!: string;

  @Shown({ type: 'string', description: 'The same in words.', example: 'team-quota requests.cpu 10 -> 12500m' })
  text!: string;
}

@ObjectType('QuotaRoom', { description: 'What one quota leaves of one resource for such pods.' })
export class QuotaRoomShape {
  @Shown({ type: 'string', description: 'The quota.', example: 'team-quota' })
  quota!: string;

  @Shown({ type: 'string', description: 'The resource.', example: 'requests.cpu' })
  resource!: string;

  @Shown({ type: 'string', description: 'What it allows.', example: '10' })
  hard!: string;

  @Shown({ type: 'string', description: 'What is used, with the items before.', example: '10' })
  used!: string;

  @Shown({ type: 'string', description: 'What one pod is charged.', example: '250m' })
  perPod!: string;

  @Shown({ type: 'integer', description: 'How many pods fit by it.', example: 0 })
  fits!: number;
}

@ObjectType('QuotaCharge', { description: 'What a quota has used before and after an item.' })
export class QuotaChargeShape {
  @Shown({ type: 'string', description: 'The quota.', example: 'team-quota' })
  quota!: string;

  @Shown({ type: 'string', description: 'The resource.', example: 'pods' })
  resource!: string;

  @Shown({ type: 'string', description: 'Used before.', example: '3' })
  before!: string;

  @Shown({ type: 'string', description: 'Used after.', example: '4' })
  after!: string;
}

@ObjectType('QuotaReviewNotJudged', { description: 'A plugin whose part is not known.' })
export class QuotaReviewNotJudgedShape {
  @Shown({ type: 'string', description: 'The plugin.', example: 'ResourceQuota' })
  plugin!: string;

  @Shown({ type: 'string', description: 'The kind that was never loaded.', example: 'ResourceQuota' })
  missingKind!: string;

  @Shown({ type: 'string', description: 'What is not known therefore.' })
  why!: string;
}

@ObjectType('QuotaReview', { description: 'Whether pods would be let in, and if not what stands in the way.' })
export class QuotaReviewShape {
  @Shown({ type: 'string', description: 'The kind of the manifest, or of the workload.', example: 'Pod' })
  kind!: string;

  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;

  @Shown({ type: OUTCOME, description: 'What becomes of it.', example: 'refused' })
  outcome!: string;

  @Shown({ type: 'integer', description: 'Pods to be made; negative where pods go.', example: 10 })
  wanted!: number;

  @Shown({ type: 'integer', description: 'How many of them are let in, or go.', example: 0 })
  admitted!: number;

  @Shown({
    type: 'integer',
    optional: true,
    description: 'How many would be let in, whatever is wanted; null where no quota ever stops them.',
    example: 0,
  })
  fits!: number | null;

  @Shown({ type: () => QuotaReviewRefusalShape, optional: true, description: 'The refusal; null where there is none.' })
  refusal!: Plain<QuotaReviewRefusalShape> | null;

  @Shown({ type: () => QuotaRaiseShape, list: true, description: 'The numbers to raise, all of them together.' })
  raises!: readonly Plain<QuotaRaiseShape>[];

  @Shown({ type: () => QuotaRoomShape, list: true, description: 'What quotas leave for such pods, tightest first.' })
  rooms!: readonly Plain<QuotaRoomShape>[];

  @Shown({
    type: () => QuotaChargeShape,
    list: true,
    description: 'What it changes of the quotas, for the items after.',
  })
  charges!: readonly Plain<QuotaChargeShape>[];

  @Shown({ type: () => QuotaReviewNotJudgedShape, list: true, description: 'Plugins whose part is not known.' })
  notJudged!: readonly Plain<QuotaReviewNotJudgedShape>[];

  @Shown({ type: 'string', list: true, description: 'What the answer supposes, in words.', example: [] })
  notes!: readonly string[];
}

@ObjectType('QuotaReviewItem', { description: 'The answer to one item of a review, or why it has none.' })
export class QuotaReviewItemShape {
  @Shown({ type: 'string', description: 'Your name for the item.', example: 'a' })
  id!: string;

  @Shown({ type: () => QuotaReviewShape, optional: true, description: 'Its answer; null where it has none.' })
  review!: Plain<QuotaReviewShape> | null;

  @Shown({ type: () => PartErrorShape, optional: true, description: 'Why not.' })
  error!: Plain<PartErrorShape> | null;
}

@ObjectType('QuotaReviewAnswer', {
  description: 'Pods asked for one after another: each item sees the charges of those before.',
})
export class QuotaReviewAnswerShape {
  @Shown({ type: () => BasisShape, description: 'What all answers rest on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: () => QuotaReviewItemShape, list: true, description: 'The answers, in the order of the items.' })
  items!: readonly Plain<QuotaReviewItemShape>[];
}

export function quotaReviewAnswer({ basis, items }: QuotaReviewAnswer): Plain<QuotaReviewAnswerShape> {
  return {
    basis,
    items: items.map(({ id, review, error }) => ({ id, review, error: error === null ? null : partErrorShape(error) })),
  };
}
