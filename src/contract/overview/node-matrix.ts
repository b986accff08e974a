import { answerBasis } from '../common/basis.js';
import { taint } from '../common/taint.js';
import { workloadName } from '../common/workload-name.js';
import { toleration } from '../pods/pod.js';
import { enumType, object } from '../schema.js';

/** Cells of a matrix: more than a thousand lists of tolerations against two hundred of taints. */
export const MOST_CELLS = 250_000;

const verdict = enumType(
  'NodeMatrixVerdict',
  'allowed: nothing keeps the pods off; discouraged: the scheduler puts the nodes last, for a PreferNoSchedule taint; refused: ' +
    'a NoSchedule taint or the cordon keeps new pods off; evicted: a NoExecute taint ends the pods there.',
  ['allowed', 'discouraged', 'refused', 'evicted'],
);

const frontCodedNames = object(
  'FrontCodedNames',
  'Sorted names, each as what it shares with the one before and what follows: name = previous.slice(0, shared) + rest.',
  {
    shared: {
      type: 'integer',
      list: true,
      description: 'How many UTF-16 code units each name shares with the name before; 0 for the first.',
      example: [0, 5],
    },
    rest: { type: 'string', list: true, description: 'What follows after these.', example: ['node-1', '2'] },
  },
);

const nodeGroup = object('NodeMatrixNodes', 'Nodes with equal taints and an equal cordon.', {
  taints: {
    type: 'integer',
    list: true,
    description: 'Their taints in order, as places in `taints`; that of the cordon included.',
    example: [0],
  },
  unschedulable: { type: 'boolean', description: 'Whether they are cordoned.', example: false },
  nodes: { type: 'integer', description: 'How many nodes.', example: 2 },
  names: { type: frontCodedNames, description: 'Their names.' },
});

const podGroup = object('NodeMatrixPods', 'The pods with one list of tolerations, those that have ended left out.', {
  tolerations: { type: toleration, list: true, description: 'The tolerations, in order.' },
  pods: { type: 'integer', description: 'How many pods.', example: 40 },
  workloads: { type: 'integer', description: 'Of how many workloads.', example: 6 },
  examples: { type: workloadName, list: true, description: 'A few of the workloads.' },
  cells: {
    type: 'integer',
    list: true,
    description:
      'What each group of nodes means for these pods, as places in `outcomes`, in the order of `nodeGroups`.',
    example: [0],
  },
});

const outcome = object('NodeMatrixOutcome', 'What nodes mean for pods, as far as taints decide it.', {
  verdict: { type: verdict, description: 'What becomes of the pods there.', example: 'refused' },
  taints: {
    type: 'integer',
    list: true,
    description: 'The taints that this verdict follows from, as places in `taints`; none for allowed.',
    example: [0],
  },
  tolerationSeconds: {
    type: 'int64',
    optional: true,
    description: 'How long evicted pods may stay; 0 for not at all, null for the other verdicts.',
    example: null,
  },
  refusesNew: {
    type: 'boolean',
    description: 'Whether new pods are kept off as well: a NoSchedule or NoExecute taint is not tolerated.',
    example: true,
  },
});

export const nodeMatrix = object(
  'NodeMatrix',
  'All nodes against all pods as far as taints decide: groups of nodes with equal taints against groups of pods with equal tolerations.',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    taints: { type: taint, list: true, description: 'The distinct taints, by key, value and effect.' },
    nodeGroups: { type: nodeGroup, list: true, description: 'The groups of nodes, the largest first.' },
    podGroups: { type: podGroup, list: true, description: 'The groups of pods, the largest first.' },
    outcomes: { type: outcome, list: true, description: 'The distinct outcomes that cells point to.' },
  },
);
