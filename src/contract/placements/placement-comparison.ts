import { RULES_VERSION_MEMBER } from '../common/revision.js';
import { object, enumType } from '../schema.js';
import { refusalTexts } from '../common/refusal.js';
import { DIFFERENCES } from '../../core/scheduling/comparison/compare-runs.js';
import { CONFIGURATION } from '../scheduling/queue-run.js';
import { SCENARIO } from '../scenarios/scenario-request.js';

export const DIFFERENCE = enumType(
  'RunDifference',
  '`stays`: the same node. `moves`: another node. `fitsNoMore`: a node only on the first side. `fitsNow`: a node only on the other side. `neither`: no node on either side. `unclear`: unknown on at least one side.',
  DIFFERENCES,
);

export const SIDE_OUTCOME = enumType(
  'ComparedOutcome',
  'The outcome for a pod on one side. `absent`: the side does not have the pod.',
  ['placed', 'unplaced', 'unknown', 'gated', 'error', 'notTried', 'absent'],
);

export const DIFFERENCES_FILTER = {
  type: DIFFERENCE,
  list: true,
  optional: true,
  maximumLength: DIFFERENCES.length,
  description: 'List only pods with these differences. Default: all except `stays`. Counts cover all pods.',
} as const;

export const comparisonSideInput = object(
  'ComparisonSideInput',
  'The other side of a comparison.',
  {
    revision: {
      type: 'integer',
      optional: true,
      minimum: 1,
      description: 'The revision. Default: that of the first side.',
    },
    at: { type: 'time', optional: true, description: 'Read the state at this time (RFC 3339).' },
    rulesVersion: {
      ...RULES_VERSION_MEMBER,
      description: 'The version of Kubernetes whose rules apply on this side. Default: that of the first side.',
    },
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
      type: 'identifier',
      optional: true,
      description: 'Only pods in this namespace. Default: all namespaces.',
      example: 'default',
    },
    labelSelector: { type: 'string', optional: true, description: 'Label selector for pods, in kubectl syntax.' },
  },
  { openApiName: 'PodSelection' },
);

export const AGAINST = {
  type: comparisonSideInput,
  description:
    'The other side: another revision, a scenario, the rules of another version of Kubernetes, another configuration of the scheduler, or several of these.',
} as const;

export const SELECTION = {
  type: podSelectionInput,
  optional: true,
  description:
    'Pods to remove from their nodes and place again with the pending pods. Pods of DaemonSets and static pods stay. By default, only pending pods are placed.',
} as const;

export const comparedSide = object('ComparedSide', 'The outcome for a pod on one side.', {
  ...refusalTexts.members,
  outcome: { type: SIDE_OUTCOME, description: SIDE_OUTCOME.description, example: 'placed' },
  node: { type: 'identifier', optional: true, description: 'Node of the pod; null if it has none.', example: 'node-1' },
});

export const comparedPod = object('ComparedPod', 'The outcome for a pod on both sides.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
  difference: { type: DIFFERENCE, description: DIFFERENCE.description, example: 'fitsNow' },
  before: { type: comparedSide, description: 'The first side.' },
  after: { type: comparedSide, description: 'The other side.' },
});

export const comparisonCounts = object('ComparisonCounts', 'Number of pods by difference.', {
  stays: { type: 'integer', description: 'Pods on the same node.', example: 0 },
  moves: { type: 'integer', description: 'Pods on another node.', example: 0 },
  fitsNoMore: { type: 'integer', description: 'Pods with a node only on the first side.', example: 0 },
  fitsNow: { type: 'integer', description: 'Pods with a node only on the other side.', example: 1 },
  neither: { type: 'integer', description: 'Pods without a node on either side.', example: 0 },
  unclear: {
    type: 'integer',
    description: 'Pods whose outcome is unknown on at least one side.',
    example: 0,
  },
});
