import { MOST_REVIEWED } from '../limits.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { partError } from '../common/part-error.js';
import { answerBasis } from '../common/basis.js';
import { WORKLOAD_KINDS } from '../../core/admission/read-pod-manifest.js';
import { MOST_REPLICAS } from '../../core/quota-review/how-many-fit.js';
import { SCALABLE_KINDS } from '../../core/quota-review/workload-replicas.js';

export const OUTCOME = enumType(
  'QuotaReviewOutcome',
  'All pods are let in; some are, then one is refused; none is; pods go; nothing changes; nothing refuses them, but what a plugin looks up was never loaded.',
  ['admitted', 'partly', 'refused', 'frees', 'unchanged', 'unknown'],
);

export const BASIS_WORDS = enumType(
  'QuotaUsageBasis',
  'By what quotas judge: status.used, as admission does; or what their objects add up to, as after the next recount.',
  ['reported', 'counted'],
);

const QUOTA_BASIS = {
  type: BASIS_WORDS,
  optional: true,
  defaultsTo: 'reported',
  description:
    'By what the quotas judge: status.used, as the API server would now; or what their objects add up to, as after the controller has counted anew.',
} as const;

export const quotaReviewWorkloadInput = object(
  'QuotaReviewWorkloadInput',
  'A workload and its replicas.',
  {
    kind: { type: 'string', description: `Its kind: ${SCALABLE_KINDS.join(', ')}.`, example: 'Deployment' },
    namespace: {
      type: 'string',
      optional: true,
      defaultsTo: 'default',
      description: 'Its namespace.',
      example: 'default',
    },
    name: { type: 'string', description: 'Its name.', example: 'web' },
  },
  { openApiName: 'QuotaReviewWorkload' },
);

export const quotaReviewItemInput = object(
  'QuotaReviewItemInput',
  'One request that quotas are asked about.',
  {
    id: {
      type: 'string',
      maximumLength: 200,
      description: 'Your name for the item; the answer repeats it.',
      example: 'a',
    },
    namespace: {
      type: 'string',
      optional: true,
      description: 'The namespace that the manifest is sent to; its own, or else `default`.',
      example: 'default',
    },
    pod: {
      type: 'kubernetesObject',
      optional: true,
      description: `The manifest of a Pod, or of a workload: ${WORKLOAD_KINDS.join(', ')}. Exactly one of \`pod\` and \`workloadRef\` is given.`,
    },
    workloadRef: {
      type: quotaReviewWorkloadInput,
      optional: true,
      description: 'A stored workload whose replicas change.',
    },
    replicas: {
      type: 'integer',
      optional: true,
      minimum: 0,
      maximum: MOST_REPLICAS,
      description: 'How many pods like it, or how many replicas; of a manifest as many as it says by default.',
      example: 10,
    },
  },
  { openApiName: 'QuotaReviewItem' },
);

export const quotaReviewRequest = object(
  'QuotaReview',
  '',
  {
    usage: QUOTA_BASIS,
    items: {
      type: quotaReviewItemInput,
      list: true,
      maximumLength: MOST_REVIEWED,
      readApart: true,
      description: `What is asked for, in order, at most ${MOST_REVIEWED}: each item sees the charges of those before; a bad one fails alone.`,
    },
  },
  { restOnly: true },
);

export const refusalCause = object('RefusalCause', 'One of `details.causes` of a refusal.', {
  type: { type: 'string', description: 'Its reason.', example: 'FieldValueInvalid' },
  field: { type: 'string', description: 'The field.', example: 'spec.tolerations[0].operator' },
  message: { type: 'string', description: 'The message.', example: 'Required value' },
});

export const quotaReviewRefusal = object(
  'QuotaReviewRefusal',
  'What the API server would answer to the first that is not let in.',
  {
    by: { type: 'string', description: 'The plugin that refuses, validation, or decoding.', example: 'ResourceQuota' },
    status: { type: 'integer', description: 'The HTTP status.', example: 403 },
    message: {
      type: 'string',
      description: 'The message, to the letter.',
      example:
        'pods "web" is forbidden: exceeded quota: team-quota, requested: requests.cpu=1, used: requests.cpu=10, limited: requests.cpu=10',
    },
    causes: {
      type: refusalCause,
      list: true,
      description: 'What is wrong, one by one, where it is told.',
      example: [],
    },
  },
);

export const quotaRaise = object('QuotaRaise', 'A number of a quota that stands in the way.', {
  quota: { type: 'string', description: 'The quota.', example: 'team-quota' },
  resource: { type: 'string', description: 'The resource.', example: 'requests.cpu' },
  from: { type: 'string', description: 'What it allows.', example: '10' },
  to: { type: 'string', description: 'What it would have to allow at least.', example: '12500m' },
  text: { type: 'string', description: 'The same in words.', example: 'team-quota requests.cpu 10 -> 12500m' },
});

export const quotaRoom = object('QuotaRoom', 'What one quota leaves of one resource for such pods.', {
  quota: { type: 'string', description: 'The quota.', example: 'team-quota' },
  resource: { type: 'string', description: 'The resource.', example: 'requests.cpu' },
  hard: { type: 'string', description: 'What it allows.', example: '10' },
  used: { type: 'string', description: 'What is used, with the items before.', example: '10' },
  perPod: { type: 'string', description: 'What one pod is charged.', example: '250m' },
  fits: { type: 'integer', description: 'How many pods fit by it.', example: 0 },
});

export const quotaCharge = object('QuotaCharge', 'What a quota has used before and after an item.', {
  quota: { type: 'string', description: 'The quota.', example: 'team-quota' },
  resource: { type: 'string', description: 'The resource.', example: 'pods' },
  before: { type: 'string', description: 'Used before.', example: '3' },
  after: { type: 'string', description: 'Used after.', example: '4' },
});

export const quotaReviewNotJudged = object('QuotaReviewNotJudged', 'A plugin whose part is not known.', {
  plugin: { type: 'string', description: 'The plugin.', example: 'ResourceQuota' },
  missingKind: { type: 'string', description: 'The kind that was never loaded.', example: 'ResourceQuota' },
  why: { type: 'string', description: 'What is not known therefore.' },
});

export const quotaReview = object('QuotaReview', 'Whether pods would be let in, and if not what stands in the way.', {
  kind: { type: 'string', description: 'The kind of the manifest, or of the workload.', example: 'Pod' },
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web' },
  outcome: { type: OUTCOME, description: 'What becomes of it.', example: 'partly' },
  wanted: { type: 'integer', description: 'Pods to be made; negative where pods go.', example: 50 },
  admitted: { type: 'integer', description: 'How many of them are let in, or go.', example: 40 },
  fits: {
    type: 'integer',
    optional: true,
    description: 'How many would be let in, whatever is wanted; null where no quota ever stops them.',
    example: 40,
  },
  refusal: {
    type: quotaReviewRefusal,
    optional: true,
    description: 'The refusal; null where there is none.',
    example: exampleOf(quotaReviewRefusal),
  },
  raises: { type: quotaRaise, list: true, description: 'The numbers to raise, all of them together.' },
  rooms: { type: quotaRoom, list: true, description: 'What quotas leave for such pods, tightest first.' },
  charges: {
    type: quotaCharge,
    list: true,
    description: 'What it changes of the quotas, for the items after.',
  },
  notJudged: { type: quotaReviewNotJudged, list: true, description: 'Plugins whose part is not known.' },
  notes: { type: 'string', list: true, description: 'What the answer supposes, in words.', example: [] },
});

export const quotaReviewItem = object('QuotaReviewItem', 'The answer to one item of a review, or why it has none.', {
  id: { type: 'string', description: 'Your name for the item.', example: 'a' },
  review: {
    type: quotaReview,
    optional: true,
    description: 'Its answer; null where it has none.',
    example: exampleOf(quotaReview),
  },
  error: { type: partError, optional: true, description: 'Why not.' },
});

export const quotaReviewAnswerResponse = object(
  'QuotaReviewResponse',
  'Pods asked for one after another: each item sees the charges of those before.',
  {
    basis: { type: answerBasis, description: 'What all answers rest on.' },
    items: { type: quotaReviewItem, list: true, description: 'The answers, in the order of the items.' },
  },
);
