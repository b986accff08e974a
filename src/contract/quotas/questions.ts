import { answerBasis } from '../common/basis.js';
import { QUOTA_FILTERS } from '../common/filter-options.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { ASSUMPTIONS, quotaCapacity } from './quota-capacity.js';
import { quotaReviewAnswerResponse, quotaReviewRequest } from './quota-review.js';
import { NOT_LOADED } from '../common/not-loaded.js';
import { quota, quotaPod } from './quota.js';

const BASIS = { type: answerBasis, description: 'The revision and settings that this response is based on.' } as const;

export const listQuotas = question({
  id: 'quotas.list',
  summary: 'List ResourceQuotas',
  description:
    'Returns each quota with its limits and scopes, the usage as the resource quota controller would count it now, ' +
    'the usage in its status, and why the two differ. A pod that is being deleted counts until its deletion is ' +
    'overdue by its grace period, so the response changes with time. Use `standing` and `threshold` to select ' +
    'quotas at risk.',
  method: 'GET',
  path: 'clusters/{cluster}/quotas',
  permission: 'read',
  readsRevision: true,
  beyondRevision: true,
  query: {
    namespace: QUOTA_FILTERS.namespace,
    standing: QUOTA_FILTERS.standing,
    threshold: QUOTA_FILTERS.threshold,
  },
  response: list({
    name: 'QuotaList',
    item: quota,
    itemsDescription: 'The quotas, by namespace and name.',
    head: { basis: BASIS, notLoaded: NOT_LOADED },
    connection: { name: 'Quota', description: 'ResourceQuotas, by namespace and name.' },
  }),
  csv: { each: 'resources' },
  statuses: { 200: 'A page of quotas.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'quotas',
    description: 'ResourceQuotas, with the usage as counted now and as stored in their status.',
  },
});

export const getQuota = question({
  id: 'quotas.get',
  summary: 'Get a ResourceQuota and its pods',
  description:
    'Returns one quota with the pods of its namespace, page by page: what each is charged, or why it does not ' +
    'count.',
  method: 'GET',
  path: 'clusters/{cluster}/quotas/{namespace}/{quota}',
  variables: {
    namespace: { in: 'namespace', description: 'Quota namespace.' },
    name: { in: 'quota', description: 'Quota name.' },
  },
  permission: 'read',
  readsRevision: true,
  beyondRevision: true,
  query: { counting: QUOTA_FILTERS.counting, threshold: QUOTA_FILTERS.threshold },
  response: list({
    name: 'QuotaResponse',
    item: quotaPod,
    itemsDescription: 'Pods of the namespace, by name.',
    head: { basis: BASIS, notLoaded: NOT_LOADED, quota: { type: quota, description: 'The quota.' } },
    connection: {
      name: 'QuotaPod',
      description: "Pods of a ResourceQuota's namespace, by name.",
      within: {
        name: 'QuotaResponse',
        description: 'A ResourceQuota and the pods of its namespace.',
        member: 'pods',
        memberDescription: 'The requested page of pods.',
      },
    },
  }),
  statuses: { 200: 'The quota and its pods.' },
  errors: [...LIST_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', namespace: 'default', quota: 'team-quota', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'quota',
    description: 'One ResourceQuota; `first` and `after` page through the pods of its namespace.',
  },
});

export const listQuotaCapacity = question({
  id: 'quotas.capacity',
  summary: 'Compare quotas with node capacity',
  description:
    'Returns for each namespace with a quota on node resources the nodes that its pods can use by taints and ' +
    'cordons, grouped by tolerations; what is allocatable and free on them next to what the quota allows and ' +
    "leaves; and the pending pods with the scheduler's message. Explains why pods are Pending although the quota " +
    'is free.',
  method: 'GET',
  path: 'clusters/{cluster}/quota-capacity',
  permission: 'read',
  readsRevision: true,
  beyondRevision: true,
  query: { namespace: QUOTA_FILTERS.namespace, holds: QUOTA_FILTERS.holds },
  response: list({
    name: 'QuotaCapacityList',
    item: quotaCapacity,
    itemsDescription: 'The namespaces, by name.',
    head: { basis: BASIS, notLoaded: NOT_LOADED, assumptions: ASSUMPTIONS },
    connection: { name: 'QuotaCapacity', description: 'What quotas allow next to what nodes have, by namespace.' },
  }),
  statuses: { 200: 'A page of namespaces.' },
  errors: [...LIST_ERRORS, 'budget-exceeded'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'quotaCapacity',
    description: 'What the quotas allow, next to what is on the nodes that the pods of their namespaces can use.',
  },
});

export const reviewQuotas = question({
  id: 'quotas.review',
  summary: 'Review requests against quotas',
  description:
    "Takes pods, replicas of them, workloads, and changes of a stored workload's replicas through the whole " +
    'admission of the cluster, in order; each item sees the charges of the items before it. Returns the exact ' +
    'refusal, how many pods fit before which quota stops them, and the limits to raise. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/quota-reviews',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: {
    type: quotaReviewRequest,
    description: 'The items to review.',
    manifest: { member: 'pod', list: 'items' },
  },
  response: quotaReviewAnswerResponse,
  statuses: { 200: 'The reviews.' },
  errors: [...READ_ERRORS, 'budget-exceeded'],
  examples: {
    parameters: { cluster: 'example' },
    body: {
      items: [
        {
          id: 'a',
          pod: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'batch' },
            spec: { containers: [{ name: 'batch', image: 'batch', resources: { requests: { cpu: '250m' } } }] },
          },
          replicas: 50,
        },
      ],
    },
  },
  graphql: {
    on: 'Cluster',
    name: 'quotaReview',
    description: 'Whether the quotas admit pods, in order; each item sees the charges of the items before it.',
  },
});
