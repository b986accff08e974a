import { answerBasis } from '../common/basis.js';
import { BUDGET_FILTERS } from '../common/filter-options.js';
import { PODS_VIEW } from '../common/group.js';
import { LIST_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { disruptionKindList } from './disruption-kind.js';
import { disruptionBudget } from './disruption-budget.js';
import { drainedPod, drainedPodGroup, drainHead } from './drain.js';
import { drainInput } from './drain-request.js';
import { evictionRankHead, evictionRankInput, rankedPod } from './eviction-rank.js';

const PARAMETERS = { cluster: 'example', limit: 10 } as const;

export const planDrain = question({
  id: 'disruptions.drains',
  summary: 'Ask what a drain would do, beside a NoExecute taint',
  description:
    'For nodes by name or by labels: pod by pod what kubectl drain decides in its own words, what the Eviction API would answer now and which budget blocks it, and what a NoExecute taint would do to the same pod; and the nodes drained one after another under the budgets, with what that rests on. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/drains',
  permission: 'evaluate',
  readsRevision: true,
  body: { type: drainInput, description: 'Which nodes, and how.' },
  response: list({
    name: 'DrainList',
    item: drainedPod,
    itemsDescription: 'The pods, by node, namespace and name.',
    head: drainHead.members,
    groups: {
      view: PODS_VIEW,
      item: drainedPodGroup,
      description: 'The pods in groups: those that the rolling drain does not evict first; most pods first.',
    },
    connection: {
      name: 'DrainedPod',
      description: 'Pods of nodes that are drained, by node, namespace and name.',
      within: {
        name: 'Drain',
        description: 'What a drain would do, beside a NoExecute taint.',
        member: 'pods',
        memberDescription: 'The pods: the page that was asked for.',
      },
    },
  }),
  statuses: { 200: 'What would happen.' },
  errors: LIST_ERRORS,
  examples: {
    parameters: PARAMETERS,
    body: {
      nodes: ['node-1'],
      options: { ignoreDaemonSets: true, deleteEmptyDirData: true },
      taint: 'maintenance=true:NoExecute',
      rolling: { maxParallel: 1, replacementReadySeconds: 60 },
    },
  },
  graphql: {
    on: 'Cluster',
    name: 'drain',
    description: 'What a drain would do, beside a NoExecute taint; `first` and `after` choose among its pods.',
    input: { description: 'Which nodes, and how.' },
  },
});

export const listDisruptionBudgets = question({
  id: 'disruptions.budgets',
  summary: 'List PodDisruptionBudgets with their arithmetic',
  description:
    'Each budget as it is stored, and with the status that the disruption controller would compute now from the stored pods and workloads, its numbers spelled out; or why that is not known.',
  method: 'GET',
  path: 'clusters/{cluster}/disruption-budgets',
  permission: 'read',
  readsRevision: true,
  beyondRevision: true,
  query: { namespace: BUDGET_FILTERS.namespace, name: BUDGET_FILTERS.name },
  response: list({
    name: 'DisruptionBudgetList',
    item: disruptionBudget,
    itemsDescription: 'The budgets, by namespace and name.',
    head: { basis: { type: answerBasis, description: 'What the answer rests on.' } },
    connection: { name: 'DisruptionBudget', description: 'PodDisruptionBudgets, by namespace and name.' },
  }),
  statuses: { 200: 'A page of budgets.' },
  errors: LIST_ERRORS,
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Cluster',
    name: 'disruptionBudgets',
    description: 'Its PodDisruptionBudgets, as they are stored and as the disruption controller would have them now.',
  },
});

export const rankEvictions = question({
  id: 'disruptions.evictionRanks',
  summary: 'Ask in which order a kubelet would evict the pods of its node',
  description:
    'For a node that runs short of memory, disk, inodes or processes, by usage that comes with the question: the order with the reason for each place, the pods that are passed over, and the one that is evicted.',
  method: 'POST',
  path: 'clusters/{cluster}/eviction-ranks',
  permission: 'evaluate',
  readsRevision: true,
  body: { type: evictionRankInput, description: 'The node, and what its pods use.' },
  response: list({
    name: 'EvictionRankList',
    item: rankedPod,
    itemsDescription: 'The pods, first to be evicted first.',
    head: evictionRankHead.members,
    connection: {
      name: 'RankedPod',
      description: 'Pods in the order of eviction.',
      within: {
        name: 'EvictionRank',
        description: 'In which order a kubelet would evict the pods of its node.',
        member: 'pods',
        memberDescription: 'The pods: the page that was asked for.',
      },
    },
  }),
  statuses: { 200: 'The order.' },
  errors: [...LIST_ERRORS, 'object-not-found'],
  examples: {
    parameters: PARAMETERS,
    body: { signal: 'memory', node: 'node-1', usage: { 'default/web-0': '200Mi' } },
  },
  graphql: {
    on: 'Cluster',
    name: 'evictionRank',
    description: 'In which order the kubelet of a node would evict its pods; `first` and `after` choose among them.',
    input: { description: 'The node, and what its pods use.' },
  },
});

export const readDisruptionKinds = question({
  id: 'disruptions.kinds',
  summary: 'Tell the ways apart in which Kubernetes takes a pod away',
  description:
    'API-initiated eviction, taint eviction, preemption, termination by the kubelet and garbage collection: who does it, the DisruptionTarget reason that it leaves, what it makes of budgets, grace periods, priority and tolerations, and what it is taken for.',
  method: 'GET',
  path: 'disruption-kinds',
  permission: 'any caller',
  response: disruptionKindList,
  statuses: { 200: 'All of them.' },
  errors: [],
  examples: {},
  graphql: {
    on: 'Query',
    name: 'disruptionKinds',
    description: 'The ways in which Kubernetes takes a pod away, told apart.',
    member: 'items',
  },
});
