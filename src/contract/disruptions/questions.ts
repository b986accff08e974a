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
  summary: 'Compare a drain with a NoExecute taint',
  description:
    'Returns for each pod of the selected nodes the decision of kubectl drain with its message, the response of ' +
    'the Eviction API now with the blocking budget, and the effect of a NoExecute taint. It also simulates a ' +
    'rolling drain of the nodes under their budgets, with the nodes on which the scheduler places replacement pods, ' +
    'and lists its assumptions. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/drains',
  permission: 'evaluate',
  readsRevision: true,
  body: { type: drainInput, description: 'The nodes to drain, and how.' },
  response: list({
    name: 'DrainList',
    item: drainedPod,
    itemsDescription: 'The pods, by node, namespace and name.',
    head: drainHead.members,
    groups: {
      view: PODS_VIEW,
      item: drainedPodGroup,
      description:
        'Pods in groups: first those that the rolling drain does not evict, then those whose replacements find no node; ' +
        'largest first.',
    },
    connection: {
      name: 'DrainedPod',
      description: 'Pods of drained nodes, by node, namespace and name.',
      within: {
        name: 'Drain',
        description: 'A drain compared with a NoExecute taint.',
        member: 'pods',
        memberDescription: 'The requested page of pods.',
      },
    },
  }),
  statuses: { 200: 'The drain plan.' },
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
    description: 'Compares a drain with a NoExecute taint; `first` and `after` page through its pods.',
    input: { description: 'The nodes to drain, and how.' },
  },
});

export const listDisruptionBudgets = question({
  id: 'disruptions.budgets',
  summary: 'List PodDisruptionBudgets',
  description:
    'Returns each budget with its stored status and the status that the disruption controller would compute now ' +
    'from the stored pods and workloads, including the calculation; or why that is unknown.',
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
    head: { basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' } },
    connection: { name: 'DisruptionBudget', description: 'PodDisruptionBudgets, by namespace and name.' },
  }),
  statuses: { 200: 'A page of budgets.' },
  errors: LIST_ERRORS,
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Cluster',
    name: 'disruptionBudgets',
    description:
      'PodDisruptionBudgets with their stored status and the status that the disruption controller would compute now.',
  },
});

export const rankEvictions = question({
  id: 'disruptions.evictionRanks',
  summary: 'Rank the pods of a node by kubelet eviction order',
  description:
    'For a node that runs short of memory, disk, inodes or processes, given the usage of its pods: returns the ' +
    'eviction order with a reason for each position, the pods that are skipped, and the one that is evicted.',
  method: 'POST',
  path: 'clusters/{cluster}/eviction-ranks',
  permission: 'evaluate',
  readsRevision: true,
  body: { type: evictionRankInput, description: 'The node, and the usage of its pods.' },
  response: list({
    name: 'EvictionRankList',
    item: rankedPod,
    itemsDescription: 'The pods, first to be evicted first.',
    head: evictionRankHead.members,
    connection: {
      name: 'RankedPod',
      description: 'Pods in eviction order.',
      within: {
        name: 'EvictionRank',
        description: 'The eviction order of the pods of a node.',
        member: 'pods',
        memberDescription: 'The requested page of pods.',
      },
    },
  }),
  statuses: { 200: 'The eviction order.' },
  errors: [...LIST_ERRORS, 'object-not-found'],
  examples: {
    parameters: PARAMETERS,
    body: { signal: 'memory', node: 'node-1', usage: { 'default/web-0': '200Mi' } },
  },
  graphql: {
    on: 'Cluster',
    name: 'evictionRank',
    description: 'The order in which the kubelet of a node evicts its pods; `first` and `after` page through them.',
    input: { description: 'The node, and the usage of its pods.' },
  },
});

export const readDisruptionKinds = question({
  id: 'disruptions.kinds',
  summary: 'List the kinds of pod disruption',
  description:
    'Returns API-initiated eviction, taint eviction, preemption, termination by the kubelet and garbage ' +
    'collection: the initiator, the DisruptionTarget reason, how each treats budgets, grace periods, priority and ' +
    'tolerations, and common misconceptions.',
  method: 'GET',
  path: 'disruption-kinds',
  permission: 'any caller',
  response: disruptionKindList,
  statuses: { 200: 'All kinds of disruption.' },
  errors: [],
  examples: {},
  graphql: {
    on: 'Query',
    name: 'disruptionKinds',
    description: 'The ways in which Kubernetes removes a pod.',
    member: 'items',
  },
});
