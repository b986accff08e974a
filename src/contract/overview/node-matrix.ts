import { answerBasis } from '../common/basis.js';
import { taint } from '../common/taint.js';
import { workloadName } from '../common/workload-name.js';
import { toleration } from '../pods/pod.js';
import { enumType, object } from '../schema.js';

/** Maximum number of cells: more than a thousand lists of tolerations times two hundred lists of taints. */
export const MAX_CELLS = 250_000;

const verdict = enumType(
  'NodeMatrixVerdict',
  '`allowed`: nothing repels the pods. `discouraged`: a PreferNoSchedule taint makes the scheduler rank the nodes last. ' +
    '`refused`: a NoSchedule taint or the cordon repels new pods. `evicted`: a NoExecute taint evicts the pods.',
  ['allowed', 'discouraged', 'refused', 'evicted'],
);

export const frontCodedNames = object(
  'FrontCodedNames',
  'Sorted names in front coding: `name = previous.slice(0, shared) + rest`.',
  {
    shared: {
      type: 'integer',
      list: true,
      description: 'UTF-16 code units that each name shares with the start of the previous one; 0 for the first.',
      example: [0, 5],
    },
    rest: { type: 'identifier', list: true, description: 'The rest of each name.', example: ['node-1', '2'] },
  },
);

const nodeGroup = object('NodeMatrixNodes', 'Nodes with the same taints and the same cordon.', {
  taints: {
    type: 'integer',
    list: true,
    description: 'Taints of the nodes in order, including the one for the cordon, as indexes into `taints`.',
    example: [0],
  },
  unschedulable: { type: 'boolean', description: 'Whether the nodes are cordoned.', example: false },
  nodes: { type: 'integer', description: 'Number of nodes.', example: 2 },
  names: { type: frontCodedNames, description: 'Names of the nodes.' },
});

const workloadsOfGroup = object('NodeMatrixWorkloads', 'Workloads, and how many pods of the group each has.', {
  names: {
    type: frontCodedNames,
    description: 'Each as `namespace/kind/name`.',
    example: { shared: [0], rest: ['default/Deployment/web'] },
  },
  pods: { type: 'integer', list: true, description: 'Number of pods, in the order of `names`.', example: [40] },
});

const podGroup = object('NodeMatrixPods', 'The non-terminated pods with one list of tolerations.', {
  tolerations: { type: toleration, list: true, description: 'The tolerations, in order.' },
  pods: { type: 'integer', description: 'Number of pods.', example: 40 },
  workloads: { type: 'integer', description: 'Number of workloads that the pods belong to.', example: 6 },
  examples: { type: workloadName, list: true, description: 'Some of these workloads.' },
  members: {
    type: workloadsOfGroup,
    optional: true,
    description: 'All of these workloads; null unless asked for with `details`.',
    example: null,
  },
  tolerating: {
    type: 'integer',
    list: true,
    optional: true,
    description:
      'For each of the top-level `taints`, the index of the first toleration that matches it, or -1; null unless asked for with `details`.',
    example: null,
  },
  cells: {
    type: 'integer',
    list: true,
    description: 'The outcome for each group of nodes, in the order of `nodeGroups`, as indexes into `outcomes`.',
    example: [0],
  },
});

export const nodeMatrixOutcome = object('NodeMatrixOutcome', 'The outcome for pods on nodes, judged by taints only.', {
  verdict: { type: verdict, description: verdict.description, example: 'refused' },
  taints: {
    type: 'integer',
    list: true,
    description: 'The taints that cause the verdict, as indexes into `taints`; none for `allowed`.',
    example: [0],
  },
  tolerationSeconds: {
    type: 'int64',
    optional: true,
    description: 'How long evicted pods may stay, in seconds; null for other verdicts.',
    example: null,
  },
  refusesNew: {
    type: 'boolean',
    description: 'Whether new pods are repelled too, by an untolerated NoSchedule or NoExecute taint.',
    example: true,
  },
});

export const nodeMatrix = object(
  'NodeMatrix',
  'All nodes against all pods, judged by taints only: groups of nodes with the same taints against groups of pods with the same tolerations.',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    taints: { type: taint, list: true, description: 'The distinct taints, by key, value and effect.' },
    nodeGroups: { type: nodeGroup, list: true, description: 'The groups of nodes, the largest first.' },
    podGroups: { type: podGroup, list: true, description: 'The groups of pods, the largest first.' },
    outcomes: { type: nodeMatrixOutcome, list: true, description: 'The distinct outcomes that `cells` refers to.' },
  },
);
