import type { Member } from '../schema.js';
import { enumType } from '../schema.js';
import { FINDING_CODE, SEVERITY } from '../findings/finding.js';
import { HOLDS } from '../quotas/quota-capacity.js';
import { COUNTING, STANDING } from '../quotas/quota.js';
import { CHANNEL, RECORD_KIND } from '../taint-trail/record-kind.js';

type Text = { readonly type: 'string'; readonly optional: true };

/** A string to filter by; `more` overrides its properties. */
const filter = <const More extends Partial<Member> = object>(description: string, more?: More) =>
  ({ type: 'string', optional: true, description, ...more }) as unknown as Omit<Text, keyof More> & {
    readonly description: string;
  } & More;

export const PATTERNS = { list: true, maximumLength: 50 } as const;

/** Filters for nodes, in REST and GraphQL. */
export const NODE_FILTERS = {
  labelSelector: filter('Label selector for nodes, in kubectl syntax.', {
    syntax: 'labelSelector',
    example: 'pool=gpu,zone in (a,b)',
  }),
  fieldSelector: filter('Field selector for nodes, in kubectl syntax: `metadata.name`, `spec.unschedulable`.', {
    syntax: 'nodeFieldSelector',
    example: 'spec.unschedulable=false',
  }),
  taint: filter('Only nodes with this taint, as `key[=value][:effect]`; with several, nodes must have each of them.', {
    ...PATTERNS,
    syntax: 'taintPattern',
    example: ['dedicated=gpu:NoSchedule'],
  }),
  untoleratedBy: filter(
    'Only nodes with a NoSchedule or NoExecute taint that this stored pod (`namespace/name`) does not tolerate.',
    { syntax: 'podKey', example: 'default/web-0' },
  ),
};

/** Filters for pods, in REST and GraphQL. */
export const POD_FILTERS = {
  labelSelector: filter('Label selector for pods, in kubectl syntax.', { syntax: 'labelSelector', example: 'app=web' }),
  fieldSelector: filter('Field selector for pods, in kubectl syntax, such as on `spec.nodeName` or `status.phase`.', {
    syntax: 'podFieldSelector',
    example: 'status.phase!=Succeeded',
  }),
  namespace: filter('Only pods in this namespace.', { example: 'default' }),
  nodeName: filter('Only pods bound to this node; an empty string selects unbound pods.', { example: 'node-1' }),
  phase: filter('Only pods in this phase.', { example: 'Pending' }),
  workload: filter('Only pods of the workload with this name.', { example: 'web' }),
  workloadKind: filter('Only pods of workloads of this kind.', { example: 'DaemonSet' }),
  toleratesTaint: filter(
    'Only pods that tolerate this taint, as `key[=value]:effect`; with several, pods must tolerate each of them.',
    {
      ...PATTERNS,
      syntax: 'taint',
      example: ['dedicated=gpu:NoSchedule'],
    },
  ),
};

/** Filters for PodDisruptionBudgets, in REST and GraphQL. */
export const BUDGET_FILTERS = {
  namespace: filter('Only budgets in this namespace.', { example: 'default' }),
  name: filter('Only budgets with this name.', { example: 'web' }),
};

/** Filters for ResourceQuotas and their pods, in REST and GraphQL. */
export const QUOTA_FILTERS = {
  namespace: filter('Only quotas in this namespace.', { example: 'default' }),
  standing: filter('Only quotas with one of these levels of usage; the most severe level of their resources counts.', {
    type: STANDING,
    list: true,
    maximumLength: 6,
    example: ['over', 'full', 'atRisk'],
  }),
  threshold: filter('Usage from which a quota is at risk, in percent.', {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    defaultsTo: 90,
    example: 80,
  }),
  holds: filter('Only namespaces with one of these results.', {
    type: HOLDS,
    list: true,
    maximumLength: 3,
    example: ['beyond'],
  }),
  counting: filter('Only pods that are counted in one of these ways.', {
    type: COUNTING,
    list: true,
    maximumLength: 5,
    example: ['finished'],
  }),
};

/** Filters for findings, in REST and GraphQL. */
export const FINDING_FILTERS = {
  severity: filter('Only findings of this severity.', { type: SEVERITY, example: 'warning' }),
  code: filter('Only findings with this code.', { type: FINDING_CODE, example: 'unmatched-toleration' }),
  namespace: filter('Only findings on objects in this namespace.', { example: 'default' }),
  workload: filter('Only findings on the workload, pod or node with this name.', { example: 'web' }),
  workloadKind: filter('Only findings on objects of this kind.', { example: 'Deployment' }),
};

/** Filters for entries of allowed pods, in REST and GraphQL. */
export const ALLOWED_FILTERS = {
  allowed: filter('True for only pods that tolerate all of the taints, false for only the others.', {
    type: 'boolean',
    example: false,
  }),
  namespace: filter('Only workloads in this namespace.', { example: 'default' }),
};

/** Filters for records of trails, in REST and GraphQL. */
export const RECORD_FILTERS = {
  node: filter('Only records about this node.', { example: 'node-1' }),
  deviceTaintRule: filter('Only records about the DeviceTaintRule with this name.', { example: 'broken-gpu' }),
  key: filter('Only records that concern a taint with this key.', { example: 'dedicated' }),
  effect: filter('Only records that concern a taint with this effect.', { example: 'NoSchedule' }),
  author: filter('Only records that name this user.', { example: 'alice' }),
  channel: filter('Only records from this channel.', { type: CHANNEL, example: 'snapshot' }),
  kind: filter('Only records of these kinds.', {
    type: RECORD_KIND,
    list: true,
    maximumLength: 8,
    example: ['change'],
  }),
  change: filter('Only records of the change with this id, made through this service.'),
  from: filter('Only records of what may have happened at or after this time.', { type: 'time' }),
  to: filter('Only records of what may have happened before this time.', { type: 'time' }),
};

/** The trail to read, where several clusters have had the same name. */
export const TRAIL = filter(
  'Id of the cluster whose trail to read, from `taint-trails`. Default: the existing cluster, or the last one with this name.',
  { type: 'int64', example: 1 },
);

export const CURRENT = filter('Omit records that later records supersede.', {
  type: 'boolean',
});

export const ORDER = filter('Order of the records. Default: newest first.', {
  type: enumType('TrailOrder', 'Order of records.', ['newest', 'oldest']),
});

export const TRAIL_CLUSTERS = filter(
  'Label selector for existing clusters, in kubectl syntax. Default: all clusters, including deleted ones.',
  { syntax: 'labelSelector', example: 'env=prod' },
);
