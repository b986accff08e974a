import { object, enumType } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { podAddition } from '../placements/placement.js';
import { ADMISSION } from '../common/admission-mode.js';
import { POD_SUBJECT } from '../common/pod-subject.js';
import { SCHEDULER } from '../placements/ranking.js';

export const MOST_CANDIDATES = 500;

export const FEW_CANDIDATES = 10;

/** Which pod. */
export const preemptionInput = object(
  'PreemptionInput',
  'A pod that preemption is asked about.',
  {
    pod: POD_SUBJECT.pod,
    workload: POD_SUBJECT.workload,
    podRef: { ...POD_SUBJECT.podRef, description: 'A stored pod, as if it were on no node.' },
    workloadRef: POD_SUBJECT.workloadRef,
    featureGates: POD_SUBJECT.featureGates,
    admission: ADMISSION,
    mostCandidates: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: MOST_CANDIDATES,
      defaultsTo: FEW_CANDIDATES,
      description: 'How many candidates are told, the best first.',
      example: FEW_CANDIDATES,
    },
  },
  { openApiName: 'Preemption' },
);

export const OUTCOME = enumType('PreemptionOutcome', 'What preemption comes to for a pod that fits nowhere.', [
  'nominated',
  'unschedulable',
  'error',
  'unknown',
  'notTried',
]);

export const SOURCE = enumType('PreemptionSource', 'Where the pod came from.', ['manifest', 'template', 'stored']);

export const preemptionVictim = object('PreemptionVictim', 'A pod that would have to go.', {
  namespace: { type: 'string', description: 'Its namespace.', example: 'batch' },
  name: { type: 'string', description: 'Its name.', example: 'worker-1' },
  priority: { type: 'integer', description: 'Its priority.', example: 0 },
});

export const preemptionCandidate = object('PreemptionCandidate', 'A node where the pod would fit if some pods went.', {
  node: { type: 'string', description: 'The node.', example: 'node-1' },
  victims: { type: preemptionVictim, list: true, description: 'Who would go, the most important first.' },
  pdbViolations: { type: 'integer', description: 'Victims that a PodDisruptionBudget protects.', example: 0 },
  highestPriority: { type: 'integer', description: 'The priority of the most important victim.', example: 0 },
  prioritySum: {
    type: 'string',
    description: 'The sum of their priorities, each counted from -2147483648.',
    example: '2147483648',
  },
  earliestStart: {
    type: 'string',
    optional: true,
    description: 'When the most important victims started, the earliest of them; null for now.',
    example: '2026-06-26T10:14:15.000Z',
  },
});

export const preemption = object(
  'Preemption',
  'Whom the scheduler would take away for a pod that fits nowhere, and from which node.',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    namespace: { type: 'string', description: "The pod's namespace.", example: 'default' },
    name: { type: 'string', description: "The pod's name.", example: 'web' },
    source: { type: SOURCE, description: 'Where the pod came from.', example: 'manifest' },
    priority: { type: 'integer', description: 'Its priority: pods of a lower one can be preempted.', example: 1000 },
    preemptionPolicy: {
      type: 'string',
      optional: true,
      description: 'Its preemptionPolicy.',
      example: 'PreemptLowerPriority',
    },
    added: { type: podAddition, list: true, description: 'What was added to what was sent.', example: [] },
    scheduler: SCHEDULER,
    outcome: { type: OUTCOME, description: 'What preemption comes to.', example: 'nominated' },
    why: {
      type: 'string',
      description: 'Why.',
      example:
        'The pod fits on no node, but would on this one without the victims; it is nominated to it and waits until they have gone.',
    },
    message: {
      type: 'string',
      optional: true,
      description:
        "What Kubernetes writes into the pod's condition and event, complete and to the letter; null where the pod fits, or what is not known could change it.",
      example: '0/3 nodes are available: 3 Insufficient cpu.',
    },
    nominatedNodeName: {
      type: 'string',
      optional: true,
      description: 'The node that the pod is nominated to.',
      example: 'node-1',
    },
    victims: { type: preemptionVictim, list: true, description: 'Who goes, the most important first.' },
    tied: {
      type: 'string',
      list: true,
      description: 'The nodes that are as good as the chosen one, itself included: upstream takes any of them.',
      example: ['node-1'],
    },
    decidedBy: {
      type: 'string',
      optional: true,
      description: 'What makes the chosen node better than the next best; null where there is none.',
      example: 'fewer victims',
    },
    clearsNomination: {
      type: 'boolean',
      optional: true,
      description: 'Where it comes to nothing: whether an existing nomination is cleared. Null elsewhere.',
      example: null,
    },
    potentialNodes: {
      type: 'integer',
      description: 'Nodes where it was tried: those where removing pods may help.',
      example: 3,
    },
    candidateCount: { type: 'integer', description: 'Nodes where it would help.', example: 2 },
    candidates: { type: preemptionCandidate, list: true, description: 'The best of them, the best first.' },
    assumptions: {
      type: 'string',
      list: true,
      description: 'What was taken for given, as a kind was never loaded.',
      example: [],
    },
  },
);
