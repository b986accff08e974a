import { object, enumType } from '../schema.js';
import { refusalTexts } from '../common/refusal.js';
import { DIFFERENCES } from '../../core/scheduling/comparison/compare-runs.js';
import { CONFIGURATION } from '../scheduling/queue-run.js';
import { SCENARIO } from '../scenarios/scenario-request.js';

export const DIFFERENCE = enumType(
  'RunDifference',
  'The same node; another node; a node on the first side only; on the other side only; none on both sides; not known on both sides.',
  DIFFERENCES,
);

export const SIDE_OUTCOME = enumType(
  'ComparedOutcome',
  'The outcome for a pod on one side; `absent`: the side does not have it.',
  ['placed', 'unplaced', 'gated', 'error', 'notTried', 'absent'],
);

export const DIFFERENCES_FILTER = {
  type: DIFFERENCE,
  list: true,
  optional: true,
  maximumLength: DIFFERENCES.length,
  description: 'List only these; by default all except `stays`. Counts cover all pods.',
} as const;

export const comparisonSideInput = object(
  'ComparisonSideInput',
  '',
  {
    revision: {
      type: 'integer',
      optional: true,
      minimum: 1,
      description: 'The revision; by default that of the first side.',
    },
    at: { type: 'time', optional: true, description: 'The state at this time, in RFC 3339.' },
    scenario: SCENARIO,
    configuration: CONFIGURATION,
  },
  { openApiName: 'ComparisonSide' },
);

export const podSelectionInput = object(
  'PodSelectionInput',
  '',
  {
    namespace: {
      type: 'string',
      optional: true,
      description: 'Only pods of this namespace; by default of all.',
      example: 'default',
    },
    labelSelector: { type: 'string', optional: true, description: "Only pods with these labels, in kubectl's syntax." },
  },
  { openApiName: 'PodSelection' },
);

export const AGAINST = {
  type: comparisonSideInput,
  description:
    'The other side: another revision, a scenario, another configuration of the scheduler, or several of these.',
} as const;

export const SELECTION = {
  type: podSelectionInput,
  optional: true,
  description:
    'Pods to remove from their nodes and place again together with the pending ones; pods of DaemonSets and static pods stay. By default only pending pods are placed.',
} as const;

export const comparedSide = object('ComparedSide', 'The outcome for a pod on one side.', {
  ...refusalTexts.members,
  outcome: { type: SIDE_OUTCOME, description: 'The outcome.', example: 'placed' },
  node: { type: 'string', optional: true, description: 'Its node.', example: 'node-1' },
});

export const comparedPod = object('ComparedPod', 'The outcome for a pod on both sides.', {
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web-0' },
  difference: { type: DIFFERENCE, description: 'What differs.', example: 'fitsNow' },
  before: { type: comparedSide, description: 'The first side.' },
  after: { type: comparedSide, description: 'The other side.' },
});

export const comparisonCounts = object('ComparisonCounts', 'Pods by difference.', {
  stays: { type: 'integer', description: 'The same node.', example: 0 },
  moves: { type: 'integer', description: 'Another node.', example: 0 },
  fitsNoMore: { type: 'integer', description: 'A node on the first side only.', example: 0 },
  fitsNow: { type: 'integer', description: 'A node on the other side only.', example: 1 },
  neither: { type: 'integer', description: 'None on both sides.', example: 0 },
  unclear: { type: 'integer', description: 'Not known on both sides.', example: 0 },
});
