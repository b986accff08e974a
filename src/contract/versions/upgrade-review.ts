import { NOT_LOADED } from '../common/not-loaded.js';
import { ruleDifference } from '../placements/placement.js';
import { UPGRADE_EFFECT_KINDS } from '../../core/upgrade-review/step-upgrade-review.js';
import { answerBasis } from '../common/basis.js';
import { LIST_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { enumType, object, type Members } from '../schema.js';

export const UPGRADE_EFFECT_KIND = enumType(
  'UpgradeEffectKind',
  'What differs under the rules of another version.',
  UPGRADE_EFFECT_KINDS,
);

export const upgradeReviewRequest = object(
  'UpgradeReview',
  '',
  {
    to: {
      type: 'string',
      maximumLength: 40,
      syntax: 'rulesVersion',
      description: 'The version to compare with: `1.31` to `1.36`, or a patch release.',
      example: '1.36',
    },
    kinds: {
      type: UPGRADE_EFFECT_KIND,
      list: true,
      optional: true,
      maximumLength: UPGRADE_EFFECT_KINDS.length,
      description: 'Only these kinds. Default: all.',
      example: ['refused', 'nodes'],
    },
  },
  { restOnly: true },
);

export const upgradeSubject = object('UpgradeSubject', 'What differs.', {
  kind: {
    type: 'identifier',
    description: 'Kind of the workload, pod or quota; `FeatureGate` for a gate.',
    example: 'Deployment',
  },
  namespace: { type: 'identifier', optional: true, description: 'Namespace; null for a gate.', example: 'shop' },
  name: { type: 'identifier', description: 'Name.', example: 'web' },
});

export const upgradeEffect = object('UpgradeEffect', 'Something that differs under the rules of another version.', {
  kind: { type: UPGRADE_EFFECT_KIND, description: UPGRADE_EFFECT_KIND.description, example: 'score' },
  subject: { type: upgradeSubject, description: 'What differs.' },
  pods: {
    type: 'integer',
    description: 'Number of stored pods that it concerns; 0 for a gate, and for a workload without pods.',
    example: 3,
  },
  before: {
    type: 'string',
    optional: true,
    description: 'Now; null for something that is not there.',
    example: 'node-1',
  },
  after: {
    type: 'string',
    optional: true,
    description: 'In the other version; null for something that is not there.',
    example: 'node-2',
  },
  message: {
    type: 'string',
    description: 'The difference in a sentence.',
    example: 'Other nodes have the highest score for another pod like these.',
  },
});

export const upgradeCounts = object(
  'UpgradeEffectCounts',
  'Number of differences of each kind.',
  Object.fromEntries(
    UPGRADE_EFFECT_KINDS.map((kind) => [kind, { type: 'integer', description: `Number of \`${kind}\`.`, example: 0 }]),
  ) as Record<
    (typeof UPGRADE_EFFECT_KINDS)[number],
    { type: 'integer'; description: string; example: number }
  > satisfies Members,
);

export const reviewUpgrade = question({
  id: 'upgradeReviews.review',
  summary: 'Compare a cluster under two versions of Kubernetes',
  description:
    'Evaluates the stored cluster by the rules of its own version and by those of another one, and returns what differs: pods that would be refused or admitted, fields that begin to count, other nodes, other best nodes, other messages, usages of quotas, times of evictions, and feature gates. Of each group of equal pods of a workload, another pod like them is evaluated, and of a workload without pods, a pod of its template. It is a comparison of two evaluations: what has no effect on this cluster is not in it.',
  method: 'POST',
  path: 'clusters/{cluster}/upgrade-reviews',
  permission: 'evaluate',
  readsRevision: true,
  body: { type: upgradeReviewRequest, description: 'The version to compare with.' },
  response: list({
    name: 'UpgradeReviewList',
    item: upgradeEffect,
    itemsDescription: 'Differences by kind, namespace and name.',
    head: {
      basis: { type: answerBasis, description: 'The state and the rules that apply now.' },
      against: { type: answerBasis, description: 'The same state with the rules of the other version.' },
      counts: { type: upgradeCounts, description: 'Differences of each kind.' },
      groups: {
        type: 'integer',
        description: 'Number of groups of equal pods of a workload, and of workloads without pods.',
        example: 12,
      },
      evaluatedGroups: {
        type: 'integer',
        description: 'Number of these groups that were evaluated within 20 s.',
        example: 12,
      },
      notLoaded: {
        ...NOT_LOADED,
        description: 'Kinds of pods, workloads and quotas that were never loaded, and are therefore not compared.',
      },
      ruleDifferences: {
        type: ruleDifference,
        list: true,
        description:
          'What the comparison does not know: rules that differ between the version of the cluster and the one that is taken for it, where the rules of its version are not known, and feature gates of the cluster that are not evaluated.',
        example: [],
      },
    },
    connection: { name: 'UpgradeEffect', description: 'What differs under the rules of another version.' },
  }),
  statuses: { 200: 'A page of differences.' },
  errors: [...LIST_ERRORS, 'budget-exceeded'],
  examples: { parameters: { cluster: 'example', limit: 10 }, body: { to: '1.34' } },
  graphql: {
    on: 'Cluster',
    name: 'upgradeReview',
    description: 'What differs under the rules of another version of Kubernetes.',
    input: { description: 'The version to compare with.' },
  },
});
