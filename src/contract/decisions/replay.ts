import { patchOperationMembers } from '../common/patch.js';
import { exampleOf } from '../example-of.js';
import { object } from '../schema.js';
import { comparedRevision, differenceSummary, OBJECT_CHANGE } from '../snapshots/difference.js';
import { REVISION_KIND } from '../snapshots/snapshot.js';
import { decision, DECISION_VERDICT } from './decision.js';

const VERDICT = {
  type: DECISION_VERDICT,
  optional: true,
  description: 'The verdict now; null if there is no answer.',
  example: 'no',
} as const;

const NOTE = 'What could not be determined, and why; null if nothing.';

export const answerDifference = object('AnswerDifference', 'A place where two answers differ.', {
  pointer: { type: 'identifier', description: 'JSON pointer into the answer.', example: '/summary/feasible' },
  before: {
    type: 'json',
    taintValue: true,
    optional: true,
    description: 'Value as recorded; null if absent.',
    example: 1,
  },
  after: { type: 'json', taintValue: true, optional: true, description: 'Value now; null if absent.', example: 2 },
});

export const replayedRevision = object('ReplayedRevision', 'The question again, on the same revision.', {
  revision: { type: 'integer', description: 'Revision of the decision.', example: 7 },
  rulesVersion: { type: 'identifier', description: 'Kubernetes release whose rules apply now.', example: 'v1.36.2' },
  identical: {
    type: 'boolean',
    optional: true,
    description: 'Whether the answer has the same bytes; null if this cannot be determined, for the reason in `note`.',
    example: true,
  },
  verdict: VERDICT,
  answerHash: { type: 'identifier', optional: true, description: 'Hash of the answer now.', example: null },
  differences: { type: answerDifference, list: true, description: 'The first 100 differences.', example: [] },
  furtherDifferences: { type: 'integer', description: 'Number of further differences.', example: 0 },
  note: { type: 'string', optional: true, description: NOTE, example: null },
});

export const turningObject = object('TurningObject', 'A changed object that turned a verdict.', {
  kind: { type: 'identifier', description: 'Object kind.', example: 'Node' },
  namespace: { type: 'identifier', description: 'Object namespace; empty without one.', example: '' },
  name: { type: 'identifier', description: 'Object name.', example: 'node-1' },
  change: { type: OBJECT_CHANGE, description: OBJECT_CHANGE.description, example: 'changed' },
  patch: {
    type: object('TurningPatch', 'An operation of a JSON Patch (RFC 6902).', patchOperationMembers),
    list: true,
    description: 'The first 20 operations that change a stored object.',
  },
});

export const verdictTurn = object('VerdictTurn', 'The revision and the change that turned a verdict.', {
  from: { type: 'integer', description: 'Last revision with the other verdict.', example: 7 },
  revision: { type: 'integer', description: 'First revision with the verdict of the head.', example: 8 },
  kind: { type: REVISION_KIND, description: REVISION_KIND.description, example: 'snapshot' },
  capturedAt: { type: 'time', description: 'Capture time of the revision.', example: '2026-05-04T03:05:00.000Z' },
  author: { type: 'identifier', optional: true, description: 'Author of the revision, if recorded.', example: null },
  before: { ...VERDICT, description: 'The verdict before it.' },
  after: { ...VERDICT, description: 'The verdict since then.', example: 'yes' },
  objects: {
    type: turningObject,
    list: true,
    description:
      'Changed objects that turn the verdict together, at most 50. Without any one of them it does not turn.',
  },
  kinds: { type: 'identifier', list: true, description: 'Kinds loaded for the first time that turn it.', example: [] },
  note: { type: 'string', optional: true, description: NOTE, example: null },
});

export const replayedHead = object('ReplayedHead', 'The question again, on the head.', {
  revision: { type: 'integer', description: 'The head.', example: 9 },
  capturedAt: { type: 'time', description: 'Capture time of the head.', example: '2026-05-04T04:02:01.000Z' },
  verdict: VERDICT,
  summary: {
    type: 'string',
    optional: true,
    description: 'The answer in a sentence.',
    example: '1 of 2 nodes can take pod shop/web.',
  },
  turned: {
    type: 'boolean',
    optional: true,
    description: 'Whether the verdict differs from the recorded one; null if there is no answer.',
    example: true,
  },
  turnedBy: { type: verdictTurn, optional: true, description: 'What turned it; null if nothing did, or if unknown.' },
  from: {
    type: comparedRevision,
    optional: true,
    description: 'The revision of the decision; null if it is no longer stored.',
  },
  differences: {
    type: differenceSummary,
    optional: true,
    description: 'What changed from that revision to the head; `GET /clusters/{cluster}/diff` lists it.',
  },
  note: { type: 'string', optional: true, description: NOTE, example: null },
});

export const decisionReplay = object('DecisionReplay', 'A recorded question, answered again.', {
  decision: { type: decision, description: 'The decision.' },
  same: { type: replayedRevision, description: 'On the same revision.' },
  head: {
    type: replayedHead,
    optional: true,
    description: 'On the head; null with `head=false`.',
    example: exampleOf(replayedHead),
  },
});
