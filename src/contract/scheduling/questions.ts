import { ADMISSION } from '../common/admission-mode.js';
import { answerBasis } from '../common/basis.js';
import { NODES_VIEW, PODS_VIEW } from '../common/group.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { comparedPod, comparisonCounts } from '../placements/placement-comparison.js';
import { SCHEDULER } from '../placements/ranking.js';
import { list, question } from '../question.js';
import { capacityInput } from './capacity-request.js';
import { CAPACITY_HEAD, nodeRoom, roomGroup } from './capacity.js';
import { comparisonRequest } from './comparison-request.js';
import { preemption, preemptionInput } from './preemption.js';
import { COMPLETENESS, QUEUE_HEAD, queueDecision, queueGroup, queueRunInput } from './queue-run.js';

const BASIS = { type: answerBasis, description: 'What the answer rests on.' } as const;
const PARAMETERS = { cluster: 'example', limit: 10 } as const;

const MANIFEST = {
  metadata: { name: 'batch' },
  spec: { containers: [{ name: 'batch', resources: { requests: { cpu: '1' } } }] },
};

export const explainPreemption = question({
  id: 'preemptions.preemption',
  summary: 'Ask whom the scheduler would take away for a pod that fits nowhere',
  description:
    "Every node where removing pods of a lower priority may help is tried, with every filter: which pods would go, which of them a budget protects, which node is chosen and by what; and the pod's message, complete and to the letter. Nothing is stored, and nobody goes.",
  method: 'POST',
  path: 'clusters/{cluster}/preemptions',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  restQuery: { admission: ADMISSION },
  body: { type: preemptionInput, description: 'Which pod.' },
  response: preemption,
  statuses: { 200: 'Who would go.' },
  errors: [...READ_ERRORS, 'invalid-object', 'object-not-found', 'admission-refused'],
  examples: {
    parameters: { cluster: 'example' },
    body: {
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'urgent', namespace: 'default' },
        spec: {
          priority: 1000,
          containers: [{ name: 'main', image: 'main:1', resources: { requests: { cpu: '100' } } }],
        },
      },
      admission: 'skip',
    },
  },
  graphql: {
    on: 'Cluster',
    name: 'preemption',
    description: 'Whom the scheduler would take away for a pod that fits nowhere, and from which node.',
    input: { description: 'Which pod.' },
  },
});

export const runQueue = question({
  id: 'schedulingRuns.queue',
  summary: 'Place pending pods one after another',
  description:
    'The pods that wait in the cluster, and those that you bring, in the order in which the scheduler takes them (priority, then time), each seeing those before: the node, or the message, of every one; and on request which single change lets how many of those go that found none. It ends when its time is over and says what it did not come to. With `Accept: application/x-ndjson` it tells its progress, a line of JSON each, and the answer in the last line. Preemption does not take place. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/queue-runs',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: queueRunInput, description: 'What is in the queue.' },
  response: list({
    name: 'QueueRunResponse',
    item: queueDecision,
    itemsDescription: 'The decisions, in the order of the queue.',
    head: { basis: BASIS, scheduler: SCHEDULER, ...QUEUE_HEAD },
    groups: {
      view: PODS_VIEW,
      item: queueGroup,
      description:
        'The decisions in groups: pods on no node by what keeps them, then those that are placed; most pods first.',
    },
    connection: { name: 'QueueDecision', description: 'Pods placed one after another, in the order of the queue.' },
  }),
  statuses: { 200: 'What became of them.' },
  errors: [...LIST_ERRORS, 'invalid-object', 'budget-exceeded'],
  examples: {
    parameters: PARAMETERS,
    body: {
      pending: false,
      pods: [{ id: 'batch', pod: MANIFEST, replicas: 5 }],
      unblocking: true,
      timeBudgetMs: 5000,
    },
    response: {
      unblocking: {
        tried: 1,
        candidates: 1,
        isPartial: false,
        changes: [
          {
            kind: 'AddNodes',
            summary: 'add 1 node like node-1',
            unblocks: 1,
            blocks: 0,
            taint: null,
            workload: null,
            like: 'node-1',
            nodes: 1,
          },
        ],
      },
    },
  },
  graphql: {
    on: 'Cluster',
    name: 'queueRun',
    description: 'Pending pods and those of the question, placed one after another in the order of the scheduler.',
    input: { description: 'What is in the queue.' },
  },
});

export const findCapacity = question({
  id: 'schedulingRuns.capacity',
  summary: 'Ask how many replicas of a pod fit',
  description:
    'How many replicas of a pod fit on the nodes as they are, exactly as if they were placed one after another; where; what stops the next one, counted over all nodes and by pool, taints and labels; and on request what the taints cost that the pod does not tolerate. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/capacities',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: capacityInput, description: 'The pod.' },
  response: list({
    name: 'CapacityResponse',
    item: nodeRoom,
    itemsDescription: 'The nodes, those with most room first.',
    head: { basis: BASIS, scheduler: SCHEDULER, ...CAPACITY_HEAD },
    groups: {
      view: NODES_VIEW,
      item: roomGroup,
      description: 'The nodes in groups by what stops the next replica, those with most room first.',
    },
    connection: {
      name: 'NodeRoom',
      description: 'How many replicas of a pod fit, node by node, those with most room first.',
    },
  }),
  statuses: { 200: 'The room.' },
  errors: [...LIST_ERRORS, 'invalid-object', 'admission-refused', 'object-not-found', 'budget-exceeded'],
  examples: {
    parameters: PARAMETERS,
    body: { pod: MANIFEST, taints: true },
    response: { taints: { costs: [], candidates: 0, pendingOmitted: 0 } },
  },
  graphql: {
    on: 'Cluster',
    name: 'capacity',
    description: 'How many replicas of a pod fit, and what stops the next one.',
    input: { description: 'The pod.' },
  },
});

const NO_REFUSAL = { message: null, preemption: null, reasons: [] };

export const comparePlacements = question({
  id: 'schedulingRuns.compare',
  summary: 'Compare where pods go on two states',
  description:
    'The pods that wait, or a selection that is taken off its nodes too, placed one after another on two states: another revision, a scenario, or both. Who moves, who fits no more, who fits now, with the reasons of both sides. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/placement-comparisons',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: comparisonRequest, description: 'The other side.' },
  response: list({
    name: 'ComparisonResponse',
    item: comparedPod,
    itemsDescription: 'Those that are asked for, in the order of the queue.',
    head: {
      basis: BASIS,
      against: { type: answerBasis, description: 'What the other side rests on.' },
      scheduler: SCHEDULER,
      againstScheduler: { ...SCHEDULER, description: 'The same of the other side.' },
      outcome: {
        type: COMPLETENESS,
        description: 'Whether every pod had its turn on both sides.',
        example: 'complete',
      },
      pods: { type: 'integer', description: 'Pods that were placed.', example: 1 },
      counts: { type: comparisonCounts, description: 'All of them, by what differs.' },
    },
    connection: { name: 'ComparedPod', description: 'What becomes of the same pods on two states.' },
  }),
  statuses: { 200: 'What differs.' },
  errors: [...LIST_ERRORS, 'budget-exceeded'],
  examples: {
    parameters: PARAMETERS,
    body: {
      selection: { namespace: 'default' },
      against: { scenario: { changes: [{ resizeNodes: { nodes: ['node-1'], allocatable: { pods: '1' } } }] } },
    },
    response: {
      counts: { stays: 0, moves: 0, fitsNoMore: 1, fitsNow: 0, neither: 0, unclear: 0 },
      items: [
        {
          namespace: 'default',
          name: 'web-0',
          difference: 'fitsNoMore',
          before: { outcome: 'placed', node: 'node-1', ...NO_REFUSAL },
          after: {
            outcome: 'unplaced',
            node: null,
            message: '0/1 nodes are available: 1 Too many pods.',
            preemption: 'notEvaluated',
            reasons: [
              {
                plugin: 'NodeResourcesFit',
                code: 'TooManyPods',
                message: 'Too many pods',
                nodes: 1,
                first: 1,
                taints: [],
              },
            ],
          },
        },
      ],
    },
  },
  graphql: {
    on: 'Cluster',
    name: 'placementComparison',
    description: 'Where the same pods go on this state and on another.',
  },
});
