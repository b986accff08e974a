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

const BASIS = { type: answerBasis, description: 'The revision and settings that this response is based on.' } as const;
const PARAMETERS = { cluster: 'example', limit: 10 } as const;

const MANIFEST = {
  metadata: { name: 'batch' },
  spec: { containers: [{ name: 'batch', resources: { requests: { cpu: '1' } } }] },
};

export const explainPreemption = question({
  id: 'preemptions.preemption',
  summary: 'Find the pods that the scheduler would preempt',
  description:
    'Evaluates preemption for a pod that fits on no node, with all filters, on every node where removing pods of lower priority may help. Returns the victims, which of them a budget protects, the chosen node and why it is chosen, and the exact, complete message of the pod. Nothing is stored or evicted.',
  method: 'POST',
  path: 'clusters/{cluster}/preemptions',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  restQuery: { admission: ADMISSION },
  body: { type: preemptionInput, description: 'The preempting pod.', manifest: { member: 'pod' } },
  response: preemption,
  statuses: { 200: 'The outcome of preemption.' },
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
    description: 'The pods that the scheduler would preempt for a pod that fits on no node, and the chosen node.',
    input: { description: 'The preempting pod.' },
  },
});

export const runQueue = question({
  id: 'schedulingRuns.queue',
  summary: 'Place pending pods one after another',
  description:
    'Places the pending pods of the cluster, and pods from the request, in the order of the scheduler (priority, then time), each after those before it. Returns the node or the message of every pod and, on request, single changes that would place more pods, and how many. The run ends when the time budget runs out and reports what was not tried. With `Accept: application/x-ndjson`, each line of the response is JSON: progress, and finally the result. Preemption is not evaluated. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/queue-runs',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: queueRunInput, description: 'The queue to run.', manifest: { member: 'pod', list: 'pods' } },
  response: list({
    name: 'QueueRunResponse',
    item: queueDecision,
    itemsDescription: 'The decisions, in the order of the queue.',
    head: { basis: BASIS, scheduler: SCHEDULER, ...QUEUE_HEAD },
    groups: {
      view: PODS_VIEW,
      item: queueGroup,
      description: 'The decisions in groups: unplaced pods by their reasons, then placed pods; most pods first.',
    },
    connection: { name: 'QueueDecision', description: 'Pods placed one after another, in the order of the queue.' },
  }),
  statuses: { 200: 'The outcome of the run.' },
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
            deviceTolerations: [],
          },
        ],
      },
    },
  },
  graphql: {
    on: 'Cluster',
    name: 'queueRun',
    description: 'Pending pods and pods from the request, placed one after another in the order of the scheduler.',
    input: { description: 'The queue to run.' },
  },
});

export const findCapacity = question({
  id: 'schedulingRuns.capacity',
  summary: 'Compute how many replicas of a pod fit',
  description:
    'Computes how many replicas of a pod fit, and where, exactly as if they were placed one after another. Also returns what stops the next one, over all nodes and by pool, taints and labels, and on request the cost of untolerated taints. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/capacities',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: capacityInput, description: 'The pod.', manifest: { member: 'pod' } },
  response: list({
    name: 'CapacityResponse',
    item: nodeRoom,
    itemsDescription: 'The nodes, most replicas first.',
    head: { basis: BASIS, scheduler: SCHEDULER, ...CAPACITY_HEAD },
    groups: {
      view: NODES_VIEW,
      item: roomGroup,
      description: 'The nodes in groups by what stops the next replica, most replicas first.',
    },
    connection: {
      name: 'NodeRoom',
      description: 'The number of replicas of a pod that fit on each node, most replicas first.',
    },
  }),
  statuses: { 200: 'The capacity.' },
  errors: [...LIST_ERRORS, 'invalid-object', 'admission-refused', 'object-not-found', 'budget-exceeded'],
  examples: {
    parameters: PARAMETERS,
    body: { pod: MANIFEST, taints: true },
    response: { taints: { costs: [], candidates: 0, pendingOmitted: 0 } },
  },
  graphql: {
    on: 'Cluster',
    name: 'capacity',
    description: 'The number of replicas of a pod that fit, and what stops the next one.',
    input: { description: 'The pod.' },
  },
});

const NO_REFUSAL = { message: null, preemption: null, reasons: [] };

export const comparePlacements = question({
  id: 'schedulingRuns.compare',
  summary: 'Compare placements on two states',
  description:
    'Places pending pods, and optionally pods removed from their nodes, one after another on two states: the other is another revision, a scenario, or both. Returns which pods move, no longer fit, or now fit, with the reasons of both sides. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/placement-comparisons',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: comparisonRequest, description: 'The other side.' },
  response: list({
    name: 'ComparisonResponse',
    item: comparedPod,
    itemsDescription: 'The pods with the requested differences, in the order of the queue.',
    head: {
      basis: BASIS,
      against: { type: answerBasis, description: 'The revision and settings that the other side is based on.' },
      scheduler: SCHEDULER,
      againstScheduler: {
        ...SCHEDULER,
        description: 'The scheduler profile of the other side; null for the default profile.',
      },
      outcome: {
        type: COMPLETENESS,
        description: 'Whether every pod was tried on both sides.',
        example: 'complete',
      },
      pods: { type: 'integer', description: 'Number of compared pods.', example: 1 },
      counts: { type: comparisonCounts, description: 'All compared pods, by difference.' },
    },
    connection: { name: 'ComparedPod', description: 'The placements of the same pods on two states.' },
  }),
  statuses: { 200: 'The differences.' },
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
                note: null,
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
    description: 'The placements of the same pods on this state and on another.',
  },
});
