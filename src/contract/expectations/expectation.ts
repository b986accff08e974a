import { EXPECTATION_KINDS } from '../../core/expectations/expectation.js';
import { answerBasis } from '../common/basis.js';
import { workloadName } from '../common/workload-name.js';
import { enumType, object } from '../schema.js';

export const EXPECTATION_VERDICT = enumType(
  'ExpectationVerdict',
  'Whether an expectation holds. `unknown`: something that decides it is not known; the reason names it.',
  ['holds', 'broken', 'unknown'],
);

const KIND = enumType('ExpectationKind', 'What an expectation checks.', EXPECTATION_KINDS);
const OBJECT_CHANGE = enumType('TurningObjectChange', 'How an object changed.', ['upserted', 'removed']);

const FILE =
  'A file of expectations: `apiVersion`, `kind` and a list `expectations`, as `docs/expectations.schema.json` describes; at most 500.';

/** The file, which is the whole REST body. */
export const expectationsFields = object(
  'ExpectationsFields',
  '',
  { file: { type: 'json', description: FILE } },
  { restOnly: true },
);

export const EXAMPLE_FILE = {
  apiVersion: 'kube-placement/v1',
  kind: 'Expectations',
  expectations: [
    {
      name: 'No more than 2 nodes carry NoExecute',
      taintedNodes: { taint: { effect: 'NoExecute' }, atMost: 2 },
    },
    { name: 'There is a node for everybody', nodeCount: { schedulable: true, atLeast: 1 } },
  ],
};

export const EXPECTATIONS_BODY = { type: expectationsFields, whole: 'file', description: FILE } as const;

export const turningObject = object('ExpectationTurningObject', 'An object whose change turned an expectation.', {
  change: { type: OBJECT_CHANGE, description: OBJECT_CHANGE.description, example: 'upserted' },
  kind: { type: 'identifier', description: 'Kind; `Expectations` for the file itself.', example: 'Node' },
  namespace: { type: 'identifier', optional: true, description: 'Namespace.', example: null },
  name: { type: 'identifier', description: 'Name.', example: 'node-1' },
});

export const expectationCause = object('ExpectationCause', 'The change that turned an expectation.', {
  revision: { type: 'integer', description: 'The revision with the change.', example: 8 },
  author: {
    type: 'identifier',
    optional: true,
    description: 'Who made the revision through this service; null for a snapshot.',
    example: null,
  },
  objects: {
    type: turningObject,
    list: true,
    description: 'Objects of the revision whose changes suffice to turn the expectation: the first of them.',
  },
  objectCount: { type: 'integer', description: 'Number of these objects.', example: 1 },
  changedObjects: { type: 'integer', description: 'Number of all objects that the revision changes.', example: 4 },
  isMinimal: {
    type: 'boolean',
    description: 'Whether none of these changes can be left out. False if trying took too long.',
    example: true,
  },
});

export const expectationTurn = object('ExpectationTurn', 'An expectation got another verdict.', {
  turn: { type: 'int64', description: 'Number of the turn in its cluster, from 1.', example: 3 },
  name: { type: 'string', description: 'Name of the expectation.', example: 'No more than 2 nodes carry NoExecute' },
  revision: { type: 'integer', description: 'The first revision with the verdict.', example: 8 },
  capturedAt: {
    type: 'time',
    description: 'When this revision was captured in the cluster.',
    example: '2026-05-04T03:02:01.000Z',
  },
  former: {
    type: EXPECTATION_VERDICT,
    optional: true,
    description: 'The verdict before; null if there was none.',
    example: 'holds',
  },
  verdict: { type: EXPECTATION_VERDICT, description: 'The verdict since.', example: 'broken' },
  reason: {
    type: 'string',
    description: 'The facts behind the verdict.',
    example: '3 of 40 nodes carry a taint with effect NoExecute; at most 2 wanted.',
  },
  cause: {
    type: expectationCause,
    optional: true,
    description: 'The change that turned it; null if it is new, or its revision is no longer stored.',
  },
});

export const expectationResult = object('ExpectationResult', 'The verdict on one expectation.', {
  name: { type: 'string', description: 'The sentence.', example: 'No more than 2 nodes carry NoExecute' },
  description: { type: 'string', optional: true, description: 'Its description.', example: null },
  kind: { type: KIND, description: KIND.description, example: 'taintedNodes' },
  verdict: { type: EXPECTATION_VERDICT, description: EXPECTATION_VERDICT.description, example: 'holds' },
  reason: {
    type: 'string',
    description: 'The facts behind the verdict.',
    example: '0 of 40 nodes carry a taint with effect NoExecute; at most 2 wanted.',
  },
  count: { type: 'int64', optional: true, description: 'What was counted.', example: 0 },
  details: {
    type: 'string',
    list: true,
    description: 'More facts, such as messages of the scheduler; at most 10.',
    example: [],
  },
  nodes: { type: 'identifier', list: true, description: 'Nodes that decide it; at most 10.', example: [] },
  pods: {
    type: 'identifier',
    list: true,
    description: 'Pods that decide it, as `namespace/name`; at most 10.',
    example: [],
  },
  workloads: { type: workloadName, list: true, description: 'Workloads that decide it; at most 10.', example: [] },
});

const COUNTS = {
  holds: { type: 'integer', description: 'Number of expectations that hold.', example: 2 },
  broken: { type: 'integer', description: 'Number of broken ones.', example: 0 },
  unknown: { type: 'integer', description: 'Number of unknown ones.', example: 0 },
} as const;

const RESULTS = {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  verdict: {
    type: EXPECTATION_VERDICT,
    description: '`broken` if any is broken, otherwise `unknown` if any is, otherwise `holds`.',
    example: 'holds',
  },
  ...COUNTS,
  results: { type: expectationResult, list: true, description: 'One result each, in the order of the file.' },
} as const;

export const expectationCheck = object('ExpectationCheck', 'The verdicts on a file of expectations.', RESULTS);

export const expectationStanding = object('ExpectationStanding', 'The verdicts on the stored expectations.', {
  ...RESULTS,
  turns: {
    type: expectationTurn,
    list: true,
    description: 'The last turn of each of them, the newest first, as recorded for the newest revisions.',
  },
});

export const storedExpectations = object('StoredExpectations', 'The expectations of a cluster.', {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  stored: { type: 'boolean', description: 'Whether expectations are stored.', example: true },
  file: { type: 'json', optional: true, description: 'The file; null if none is stored.', example: EXAMPLE_FILE },
});

export const changedExpectations = object('ChangedExpectations', 'The expectations after the change.', {
  basis: {
    type: answerBasis,
    description: 'The revision that contains the change; for a dry run, the revision that was evaluated.',
  },
  dryRun: { type: 'boolean', description: 'True for a dry run: nothing was stored.', example: false },
  changed: { type: 'boolean', description: 'Whether the expectations were different before.', example: true },
  stored: { type: 'boolean', description: 'Whether expectations are stored.', example: true },
  file: { type: 'json', optional: true, description: 'The file; null if none is stored.', example: EXAMPLE_FILE },
});
