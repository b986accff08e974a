import { FIELD_VALIDATION } from '../common/pod-subject.js';
import { KEPT_KIND } from '../placements/reason.js';
import { MAX_REVIEW_ITEMS } from '../limits.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { partError } from '../common/part-error.js';
import { answerBasis } from '../common/basis.js';
import { MAX_REPLICAS } from '../../core/quota-review/how-many-fit.js';
import { SCALABLE_KINDS } from '../../core/quota-review/workload-replicas.js';
import { WORKLOAD_KINDS } from '../../core/kubernetes/pod-template.js';

export const OUTCOME = enumType(
  'QuotaReviewOutcome',
  'All pods are admitted; some are before one is refused; none is; pods are removed; nothing changes; nothing ' +
    'refuses them, but a plugin needs a kind that was never loaded.',
  ['admitted', 'partly', 'refused', 'frees', 'unchanged', 'unknown'],
);

export const USAGE_BASIS = enumType(
  'QuotaUsageBasis',
  'Usage that quotas are checked against: status.used, as in admission; or the objects as counted now, as after ' +
    'the next recount.',
  ['reported', 'counted'],
);

const QUOTA_BASIS = {
  type: USAGE_BASIS,
  optional: true,
  defaultsTo: 'reported',
  description:
    'Usage that the quotas are checked against: status.used, as the API server does now; or the objects as counted ' +
    "now, as after the controller's next recount.",
} as const;

export const quotaReviewWorkloadInput = object(
  'QuotaReviewWorkloadInput',
  'A workload to scale.',
  {
    kind: { type: 'identifier', description: `Workload kind: ${SCALABLE_KINDS.join(', ')}.`, example: 'Deployment' },
    namespace: {
      type: 'identifier',
      optional: true,
      defaultsTo: 'default',
      description: 'Workload namespace.',
      example: 'default',
    },
    name: { type: 'identifier', description: 'Workload name.', example: 'web' },
  },
  { openApiName: 'QuotaReviewWorkload' },
);

export const quotaReviewItemInput = object(
  'QuotaReviewItemInput',
  'A request to review against quotas.',
  {
    id: {
      type: 'identifier',
      maximumLength: 200,
      description: 'Your name for the item, repeated in the response.',
      example: 'a',
    },
    namespace: {
      type: 'identifier',
      optional: true,
      description: 'Namespace of the request. Default: that of the manifest, or `default`.',
      example: 'default',
    },
    pod: {
      type: 'kubernetesObject',
      manifest: true,
      optional: true,
      description: `Manifest of a Pod, or of a workload: ${WORKLOAD_KINDS.join(', ')}. Exactly one of \`pod\` and \`workloadRef\` is required.`,
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
      maximum: MAX_REPLICAS,
      description: 'Number of pods, or of replicas. Default: as in the manifest.',
      example: 10,
    },
    fieldValidation: FIELD_VALIDATION,
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
      maximumLength: MAX_REVIEW_ITEMS,
      readApart: true,
      description: `The items to review, in order, at most ${MAX_REVIEW_ITEMS}: each item sees the charges of the items before it. An invalid item does not affect the others.`,
    },
  },
  { restOnly: true },
);

export const refusalCause = object('RefusalCause', 'An entry of `details.causes` in a refusal.', {
  type: { type: 'identifier', description: 'Reason of the cause.', example: 'FieldValueInvalid' },
  field: {
    type: 'identifier',
    description: 'Path of the field in Kubernetes notation.',
    example: 'spec.tolerations[0].operator',
  },
  message: { type: 'string', description: 'Message of the cause.', example: 'Required value' },
});

export const quotaReviewRefusal = object(
  'QuotaReviewRefusal',
  "The API server's response to the first pod that is not admitted.",
  {
    by: {
      type: 'identifier',
      description: 'What refuses the pod: a plugin, validation or decoding.',
      example: 'ResourceQuota',
    },
    status: { type: 'integer', description: 'HTTP status code.', example: 403 },
    message: {
      type: 'string',
      description: 'The exact message.',
      example:
        'pods "web" is forbidden: exceeded quota: team-quota, requested: requests.cpu=1, used: requests.cpu=10, limited: requests.cpu=10',
    },
    causes: {
      type: refusalCause,
      list: true,
      description: 'The individual errors, if returned.',
      example: [],
    },
  },
);

export const quotaRaise = object('QuotaRaise', 'A limit of a quota to raise.', {
  quota: { type: 'identifier', description: 'Quota name.', example: 'team-quota' },
  resource: { type: 'identifier', description: 'Resource name.', example: 'requests.cpu' },
  from: { type: 'identifier', description: 'Current limit.', example: '10' },
  to: { type: 'identifier', description: 'Lowest sufficient limit.', example: '12500m' },
  text: { type: 'string', description: 'The change as text.', example: 'team-quota requests.cpu 10 -> 12500m' },
});

export const quotaRoom = object('QuotaRoom', 'What a quota leaves of one resource for such pods.', {
  quota: { type: 'identifier', description: 'Quota name.', example: 'team-quota' },
  resource: { type: 'identifier', description: 'Resource name.', example: 'requests.cpu' },
  hard: { type: 'identifier', description: 'Limit of the quota.', example: '10' },
  used: { type: 'identifier', description: 'Usage, including earlier items.', example: '10' },
  perPod: { type: 'identifier', description: 'Charge for one pod.', example: '250m' },
  fits: { type: 'integer', description: 'Number of pods that fit.', example: 0 },
});

export const quotaCharge = object('QuotaCharge', 'Usage of a quota before and after an item.', {
  quota: { type: 'identifier', description: 'Quota name.', example: 'team-quota' },
  resource: { type: 'identifier', description: 'Resource name.', example: 'pods' },
  before: { type: 'identifier', description: 'Usage before.', example: '3' },
  after: { type: 'identifier', description: 'Usage after.', example: '4' },
});

export const quotaReviewUndecidedPlugin = object('QuotaReviewUndecidedPlugin', 'A plugin whose result is unknown.', {
  plugin: { type: 'identifier', description: 'Plugin name.', example: 'ResourceQuota' },
  missingKind: {
    type: KEPT_KIND,
    optional: true,
    description: 'The kind that was never loaded; null if something else is unknown.',
    example: 'ResourceQuota',
  },
  why: { type: 'string', description: 'What is unknown.' },
});

export const quotaReview = object('QuotaReview', 'Whether pods would be admitted, and if not, why.', {
  kind: { type: 'identifier', description: 'Kind of the manifest, or of the workload.', example: 'Pod' },
  namespace: { type: 'identifier', description: 'Object namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Object name.', example: 'web' },
  outcome: { type: OUTCOME, description: OUTCOME.description, example: 'partly' },
  wanted: { type: 'integer', description: 'Pods to create; negative if pods are removed.', example: 50 },
  admitted: { type: 'integer', description: 'Pods that are admitted, or removed.', example: 40 },
  fits: {
    type: 'integer',
    optional: true,
    description: 'Number of pods that would be admitted at most; null if no quota limits them.',
    example: 40,
  },
  refusal: {
    type: quotaReviewRefusal,
    optional: true,
    description: 'The refusal; null if there is none.',
    example: exampleOf(quotaReviewRefusal),
  },
  raises: { type: quotaRaise, list: true, description: 'Limits that must be raised to admit all pods.' },
  rooms: { type: quotaRoom, list: true, description: 'What quotas leave for such pods, tightest first.' },
  charges: {
    type: quotaCharge,
    list: true,
    description: 'How the item changes quota usage for later items.',
  },
  undecided: { type: quotaReviewUndecidedPlugin, list: true, description: 'Plugins with an unknown result.' },
  notes: { type: 'string', list: true, description: 'Assumptions and limitations.', example: [] },
});

export const quotaReviewItem = object('QuotaReviewItem', 'The review of one item, or its error.', {
  id: { type: 'identifier', description: 'Your id for the item.', example: 'a' },
  review: {
    type: quotaReview,
    optional: true,
    description: 'The review; null if there is an error.',
    example: exampleOf(quotaReview),
  },
  error: { type: partError, optional: true, description: 'Why there is no review.' },
});

export const quotaReviewAnswerResponse = object(
  'QuotaReviewResponse',
  'Reviews of items in order; each item sees the charges of the items before it.',
  {
    basis: { type: answerBasis, description: 'What all reviews are based on.' },
    items: { type: quotaReviewItem, list: true, description: 'The reviews, in the order of the items.' },
  },
);
