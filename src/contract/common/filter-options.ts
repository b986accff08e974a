import type { Member } from '../schema.js';
import { enumType } from '../schema.js';
import { FINDING_CODE, SEVERITY } from '../findings/finding.js';
import { HOLDS } from '../quotas/quota-capacity.js';
import { COUNTING, STANDING } from '../quotas/quota.js';
import { CHANNEL, RECORD_KIND } from '../taint-trail/record-kind.js';

type Text = { readonly type: 'string'; readonly optional: true };

/** A text to filter by; `more` goes before. */
const filter = <const More extends Partial<Member> = object>(description: string, more?: More) =>
  ({ type: 'string', optional: true, description, ...more }) as unknown as Omit<Text, keyof More> & {
    readonly description: string;
  } & More;

export const PATTERNS = { list: true, maximumLength: 50 } as const;

/** What nodes are picked by, in REST and in GraphQL. */
export const NODE_FILTERS = {
  labelSelector: filter("Only nodes with these labels, in kubectl's syntax.", { example: 'pool=gpu,zone in (a,b)' }),
  fieldSelector: filter("Only nodes with these fields, in kubectl's syntax: `metadata.name`, `spec.unschedulable`.", {
    example: 'spec.unschedulable=false',
  }),
  taint: filter('Only nodes with such a taint: `key[=value][:effect]`. Given several times, a taint for each.', {
    ...PATTERNS,
    example: ['dedicated=gpu:NoSchedule'],
  }),
  untoleratedBy: filter(
    'Only nodes with a NoSchedule or NoExecute taint that this stored pod, `namespace/name`, does not tolerate.',
    { example: 'default/web-0' },
  ),
};

/** What pods are picked by, in REST and in GraphQL. */
export const POD_FILTERS = {
  labelSelector: filter("Only pods with these labels, in kubectl's syntax.", { example: 'app=web' }),
  fieldSelector: filter("Only pods with these fields, in kubectl's syntax, such as `spec.nodeName`, `status.phase`.", {
    example: 'status.phase!=Succeeded',
  }),
  namespace: filter('Only pods of this namespace.', { example: 'default' }),
  nodeName: filter('Only pods bound to this node; empty: to none.', { example: 'node-1' }),
  phase: filter('Only pods in this phase.', { example: 'Pending' }),
  workload: filter('Only pods of the workload of this name.', { example: 'web' }),
  workloadKind: filter('Only pods of workloads of this kind.', { example: 'DaemonSet' }),
  toleratesTaint: filter(
    'Only pods that tolerate this taint: `key[=value]:effect`. Given several times, all of them.',
    {
      ...PATTERNS,
      example: ['dedicated=gpu:NoSchedule'],
    },
  ),
};

/** What PodDisruptionBudgets are picked by, in REST and in GraphQL. */
export const BUDGET_FILTERS = {
  namespace: filter('Only budgets of this namespace.', { example: 'default' }),
  name: filter('Only the budget of this name.', { example: 'web' }),
};

/** What ResourceQuotas, and their pods, are picked by, in REST and in GraphQL. */
export const QUOTA_FILTERS = {
  namespace: filter('Only quotas of this namespace.', { example: 'default' }),
  standing: filter('Only quotas that stand so, by the worst of their resources. Several: any of them.', {
    type: STANDING,
    list: true,
    maximumLength: 6,
    example: ['over', 'full', 'atRisk'],
  }),
  threshold: filter('From how many percent on a quota is at risk.', {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    defaultsTo: 90,
    example: 80,
  }),
  holds: filter('Only namespaces of which this holds. Several: any of them.', {
    type: HOLDS,
    list: true,
    maximumLength: 3,
    example: ['beyond'],
  }),
  counting: filter('Only pods that count so. Several: any of them.', {
    type: COUNTING,
    list: true,
    maximumLength: 5,
    example: ['finished'],
  }),
};

/** What findings are picked by, in REST and in GraphQL. */
export const FINDING_FILTERS = {
  severity: filter('Only findings of this severity.', { type: SEVERITY, example: 'warning' }),
  code: filter('Only findings with this code.', { type: FINDING_CODE, example: 'unmatched-toleration' }),
  namespace: filter('Only findings on what is in this namespace.', { example: 'default' }),
  workload: filter('Only findings on the workload, pod or node of this name.', { example: 'web' }),
  workloadKind: filter('Only findings on this kind.', { example: 'Deployment' }),
};

/** What entries of allowed pods are picked by, in REST and in GraphQL. */
export const ALLOWED_FILTERS = {
  allowed: filter('Only pods that tolerate all of it, or only those that do not.', { type: 'boolean', example: false }),
  namespace: filter('Only workloads of this namespace.', { example: 'default' }),
};

/** What records of trails are picked by, in REST and in GraphQL. */
export const RECORD_FILTERS = {
  node: filter('Only records about this node.', { example: 'node-1' }),
  key: filter('Only records that touch a taint with this key.', { example: 'dedicated' }),
  effect: filter('Only records that touch a taint with this effect.', { example: 'NoSchedule' }),
  author: filter('Only records that name this user.', { example: 'alice' }),
  channel: filter('Only records that were learnt so.', { type: CHANNEL, example: 'snapshot' }),
  kind: filter('Only records of these kinds.', {
    type: RECORD_KIND,
    list: true,
    maximumLength: 8,
    example: ['change'],
  }),
  change: filter('Only records of this change that was made here: its id.'),
  from: filter('Only what may have happened at this time or later.', { type: 'time' }),
  to: filter('Only what may have happened before this time.', { type: 'time' }),
};

/** Which chain, where a name was that of several clusters. */
export const TRAIL = filter(
  'The id of the cluster whose trail is meant, see `taint-trails`; else the cluster that there is, or the last of its name.',
  { type: 'int64', example: 1 },
);

export const CURRENT = filter('Without the records that later ones have taken the place of.', {
  type: 'boolean',
});

export const ORDER = filter('Which come first; newest by default.', {
  type: enumType('TrailOrder', 'Which records come first.', ['newest', 'oldest']),
});

export const TRAIL_CLUSTERS = filter(
  "Only clusters that are there and have these labels, in kubectl's syntax; else all, deleted ones too.",
  { example: 'env=prod' },
);
