import { object, enumType } from '../schema.js';
import { refusalTexts } from '../common/refusal.js';
import { DIFFERENCES } from '../../core/scheduling/comparison/compare-runs.js';
import { CONFIGURATION } from '../scheduling/queue-run.js';
import { SCENARIO } from '../scenarios/scenario-request.js';

export const DIFFERENCE = enumType(
  'RunDifference',
  'The same node; another one; a node on the first side alone; on the other alone; none on both; not known on both.',
  DIFFERENCES,
);

export const SIDE_OUTCOME = enumType('ComparedOutcome', 'What became of a pod on one side; absent: it is not there.', [
  'placed',
  'unplaced',
  'gated',
  'error',
  'notTried',
  'absent',
]);

export const DIFFERENCES_FILTER = {
  type: DIFFERENCE,
  list: true,
  optional: true,
  maximumLength: DIFFERENCES.length,
  description: 'List only these; all but `stays` by default. The counts are of all.',
} as const;

export const comparisonSideInput = object(
  'ComparisonSideInput',
  'The other side of a comparison: a state, with or without hypothetical changes.',
  {
    revision: {
      type: 'integer',
      optional: true,
      minimum: 1,
      description: 'Its revision; that of the first side by default.',
    },
    at: { type: 'time', optional: true, description: 'Its state as of this moment, an RFC 3339 time.' },
    scenario: SCENARIO,
    configuration: CONFIGURATION,
  },
  { openApiName: 'ComparisonSide' },
);

export const podSelectionInput = object(
  'PodSelectionInput',
  'Which pods are compared.',
  {
    namespace: {
      type: 'string',
      optional: true,
      description: 'Of this namespace; of all by default.',
      example: 'default',
    },
    labelSelector: { type: 'string', optional: true, description: "With these labels, in kubectl's syntax." },
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
    'Pods that are taken off their nodes and placed again together with those that wait; those of DaemonSets and static pods stay. By default only pods that wait are placed.',
} as const;

export const comparedSide = object('ComparedSide', 'What became of a pod on one side.', {
  ...refusalTexts.members,
  outcome: { type: SIDE_OUTCOME, description: 'The outcome.', example: 'placed' },
  node: { type: 'string', optional: true, description: 'Its node.', example: 'node-1' },
});

export const comparedPod = object('ComparedPod', 'What became of a pod on both sides.', {
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web-0' },
  difference: { type: DIFFERENCE, description: 'What differs.', example: 'fitsNow' },
  before: { type: comparedSide, description: 'On the first side.' },
  after: { type: comparedSide, description: 'On the other.' },
});

export const comparisonCounts = object('ComparisonCounts', 'Pods by what differs.', {
  stays: { type: 'integer', description: 'The same node.', example: 0 },
  moves: { type: 'integer', description: 'Another node.', example: 0 },
  fitsNoMore: { type: 'integer', description: 'A node on the first side alone.', example: 0 },
  fitsNow: { type: 'integer', description: 'A node on the other side alone.', example: 1 },
  neither: { type: 'integer', description: 'None on both.', example: 0 },
  unclear: { type: 'integer', description: 'Not known on both.', example: 0 },
});
