import { answerBasis } from '../common/basis.js';
import { QUOTA_FILTERS } from '../common/filter-options.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { ASSUMPTIONS, quotaCapacity } from './quota-capacity.js';
import { quotaReviewAnswerResponse, quotaReviewRequest } from './quota-review.js';
import { NOT_LOADED, quota, quotaPod } from './quota.js';

const BASIS = { type: answerBasis, description: 'What the answer rests on.' } as const;

export const listQuotas = question({
  id: 'quotas.list',
  summary: 'List ResourceQuotas with what is used of them',
  description:
    'Each quota with what it allows, what the pods and other objects of its namespace add up to now, counted as the resource quota controller does, and what its status says, with the difference explained; its scopes with what they mean. A pod that is being deleted counts until its deletion is overdue by its grace period, so the answer changes with the moment. `standing` and `threshold` pick those at risk.',
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
    description: 'Its ResourceQuotas, with what is used of them as counted now and as their status says.',
  },
});

export const getQuota = question({
  id: 'quotas.get',
  summary: 'Read a ResourceQuota with the pods that make up its usage',
  description:
    'One quota as the list has it, and the pods of its namespace page by page: what each is charged, and of those that do not count why not.',
  method: 'GET',
  path: 'clusters/{cluster}/quotas/{namespace}/{quota}',
  variables: {
    namespace: { in: 'namespace', description: 'Its namespace.' },
    name: { in: 'quota', description: 'Its name.' },
  },
  permission: 'read',
  readsRevision: true,
  beyondRevision: true,
  query: { counting: QUOTA_FILTERS.counting, threshold: QUOTA_FILTERS.threshold },
  response: list({
    name: 'QuotaResponse',
    item: quotaPod,
    itemsDescription: 'The pods of its namespace, by name.',
    head: { basis: BASIS, notLoaded: NOT_LOADED, quota: { type: quota, description: 'The quota.' } },
    connection: {
      name: 'QuotaPod',
      description: "Pods of a ResourceQuota's namespace, by name.",
      within: {
        name: 'QuotaResponse',
        description: 'A ResourceQuota, and the pods of its namespace.',
        member: 'pods',
        memberDescription: 'The pods of its namespace: the page that was asked for.',
      },
    },
  }),
  statuses: { 200: 'The quota and its pods.' },
  errors: [...LIST_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', namespace: 'default', quota: 'team-quota', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'quota',
    description: 'One ResourceQuota; `first` and `after` choose among the pods of its namespace.',
  },
});

export const listQuotaCapacity = question({
  id: 'quotas.capacity',
  summary: 'Compare quotas with the nodes that their namespaces can use',
  description:
    'For each namespace with a quota on what nodes hold: the nodes that its pods can use by taints and cordons, told apart by tolerations, what they have and what is free on them beside what the quota allows and leaves; and the pods that wait for a node, with the scheduler\'s words. The question behind "quota is free, and pods are Pending".',
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
    connection: { name: 'QuotaCapacity', description: 'What quotas allow beside what nodes hold, by namespace.' },
  }),
  statuses: { 200: 'A page of namespaces.' },
  errors: [...LIST_ERRORS, 'budget-exceeded'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'quotaCapacity',
    description: 'What its quotas allow, beside what the nodes hold that the pods of their namespaces can use.',
  },
});

export const reviewQuotas = question({
  id: 'quotas.review',
  summary: 'Ask whether quotas let pods in',
  description:
    "Pods, replicas of them, workloads, and changes of a stored workload's replicas, one after another, each of which sees the charges of those before: taken through the cluster's whole admission; the refusal to the letter where there is one; how many fit before which quota stops them; and which numbers would have to be raised to what. Nothing is stored.",
  method: 'POST',
  path: 'clusters/{cluster}/quota-reviews',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: quotaReviewRequest, description: 'What is asked for.' },
  response: quotaReviewAnswerResponse,
  statuses: { 200: 'The answers.' },
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
    description: 'Whether its quotas let pods in, one after another, each of which sees the charges of those before.',
  },
});
