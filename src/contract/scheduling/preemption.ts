import { object, enumType } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { podAddition } from '../placements/placement.js';
import { ADMISSION } from '../common/admission-mode.js';
import { POD_SUBJECT } from '../common/pod-subject.js';
import { SCHEDULER } from '../placements/ranking.js';

export const MAX_CANDIDATES = 500;

export const FEW_CANDIDATES = 10;

/** The preempting pod. */
export const preemptionInput = object(
  'PreemptionInput',
  'The pod to evaluate preemption for.',
  {
    pod: POD_SUBJECT.pod,
    workload: POD_SUBJECT.workload,
    podRef: { ...POD_SUBJECT.podRef, description: 'A stored pod, evaluated as if it were not bound.' },
    workloadRef: POD_SUBJECT.workloadRef,
    fieldValidation: POD_SUBJECT.fieldValidation,
    featureGates: POD_SUBJECT.featureGates,
    admission: ADMISSION,
    mostCandidates: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: MAX_CANDIDATES,
      defaultsTo: FEW_CANDIDATES,
      description: 'Maximum number of candidates to list, the best first.',
      example: FEW_CANDIDATES,
    },
  },
  { openApiName: 'Preemption' },
);

export const OUTCOME = enumType('PreemptionOutcome', 'The outcome of preemption for a pod that fits on no node.', [
  'nominated',
  'unschedulable',
  'error',
  'unknown',
  'notTried',
]);

export const SOURCE = enumType('PreemptionSource', 'Source of the pod.', ['manifest', 'template', 'stored']);

export const preemptionVictim = object('PreemptionVictim', 'A pod that would be preempted.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'batch' },
  name: { type: 'identifier', description: 'Pod name.', example: 'worker-1' },
  priority: { type: 'integer', description: 'Pod priority.', example: 0 },
});

export const preemptionCandidate = object(
  'PreemptionCandidate',
  'A node where the pod would fit if some pods were removed.',
  {
    node: { type: 'identifier', description: 'The node.', example: 'node-1' },
    victims: {
      type: preemptionVictim,
      list: true,
      description: 'Pods that would be preempted, the most important first.',
    },
    pdbViolations: {
      type: 'integer',
      description: 'Number of victims that a PodDisruptionBudget protects.',
      example: 0,
    },
    highestPriority: { type: 'integer', description: 'Priority of the most important victim.', example: 0 },
    prioritySum: {
      type: 'identifier',
      description: 'Sum of the priorities of the victims, each counted from -2147483648.',
      example: '2147483648',
    },
    earliestStart: {
      type: 'identifier',
      optional: true,
      description: 'Earliest start time of the victims with the highest priority; null means now.',
      example: '2026-06-26T10:14:15.000Z',
    },
  },
);

export const preemption = object(
  'Preemption',
  'The pods that the scheduler would preempt for a pod that fits on no node, and the chosen node.',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
    name: { type: 'identifier', description: 'Pod name.', example: 'web' },
    source: { type: SOURCE, description: 'Source of the pod.', example: 'manifest' },
    priority: {
      type: 'integer',
      description: 'Pod priority; pods with a lower priority can be preempted.',
      example: 1000,
    },
    preemptionPolicy: {
      type: 'identifier',
      optional: true,
      description: '`preemptionPolicy` of the pod.',
      example: 'PreemptLowerPriority',
    },
    added: { type: podAddition, list: true, description: 'What was added to the manifest.', example: [] },
    scheduler: SCHEDULER,
    outcome: { type: OUTCOME, description: OUTCOME.description, example: 'nominated' },
    why: {
      type: 'string',
      description: 'Explanation of the outcome.',
      example:
        'The pod fits on no node, but would fit on this one without the victims; it is nominated to the node and waits until the victims are gone.',
    },
    message: {
      type: 'string',
      optional: true,
      description:
        "The exact, complete message that Kubernetes writes into the pod's condition and event; null if the pod fits, or if something unknown could change it.",
      example: '0/3 nodes are available: 3 Insufficient cpu.',
    },
    nominatedNodeName: {
      type: 'identifier',
      optional: true,
      description: 'Node that the pod is nominated to.',
      example: 'node-1',
    },
    victims: { type: preemptionVictim, list: true, description: 'The preempted pods, the most important first.' },
    tied: {
      type: 'identifier',
      list: true,
      description: 'Nodes that are as good as the chosen one, including it; kube-scheduler chooses any of them.',
      example: ['node-1'],
    },
    decidedBy: {
      type: 'string',
      optional: true,
      description: 'What makes the chosen node better than the next best; null if there is no other.',
      example: 'fewer victims',
    },
    clearsNomination: {
      type: 'boolean',
      optional: true,
      description: 'If preemption fails: whether an existing nomination is cleared. Null otherwise.',
      example: null,
    },
    potentialNodes: {
      type: 'integer',
      description: 'Number of nodes where preemption was tried: those where removing pods may help.',
      example: 3,
    },
    candidateCount: { type: 'integer', description: 'Number of nodes where preemption would help.', example: 2 },
    candidates: { type: preemptionCandidate, list: true, description: 'The best candidates, best first.' },
    assumptions: {
      type: 'string',
      list: true,
      description: 'Assumptions made because no snapshot contained a kind.',
      example: [],
    },
  },
);
