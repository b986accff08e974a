import { SEVERITY } from './finding-shape.js';
import type { PropertyOptions } from './property.js';

const filter = (description: string, more: Partial<PropertyOptions> = {}): PropertyOptions => ({
  type: 'string',
  optional: true,
  description,
  ...more,
});

const PATTERNS = { list: true, maximumLength: 50 } as const;

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

/** What findings are picked by, in REST and in GraphQL. */
export const FINDING_FILTERS = {
  severity: filter('Only findings of this severity.', { type: SEVERITY, example: 'warning' }),
  code: filter('Only findings with this code.', { example: 'unmatched-toleration' }),
  namespace: filter('Only findings on what is in this namespace.', { example: 'default' }),
  workload: filter('Only findings on the workload, pod or node of this name.', { example: 'web' }),
  workloadKind: filter('Only findings on this kind.', { example: 'Deployment' }),
};

/** What entries of allowed pods are picked by, in REST and in GraphQL. */
export const ALLOWED_FILTERS = {
  allowed: filter('Only pods that tolerate all of it, or only those that do not.', { type: 'boolean', example: false }),
  namespace: filter('Only workloads of this namespace.', { example: 'default' }),
};
