import { AUTHOR_KIND } from '../common/author-kind.js';
import { enumType, object } from '../schema.js';

export const DECISION_VERDICT = enumType('DecisionVerdict', 'What a decision says.', ['yes', 'no', 'unknown']);

export const DECISION_TYPE = enumType('DecisionType', 'The question that a decision answers.', ['gate', 'placement']);

const WORKLOAD_STATUS = enumType('DecidedWorkloadStatus', 'What became of a workload after a decision about it.', [
  'added',
  'changed',
  'removed',
  'unchanged',
  'missing',
  'unknown',
]);

export const ID = {
  type: 'id',
  description: 'Decision id: the `basis.decisionId` of the answer.',
  example: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11',
} as const;
const ASKED_AT = { type: 'time', description: 'When it was asked.', example: '2026-05-04T03:02:43.000Z' } as const;
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const QUESTION_HASH = {
  type: 'identifier',
  description: 'SHA-256 of the question as canonical JSON: sorted keys, no white space.',
  example: HASH,
} as const;
const ANSWER_HASH = {
  type: 'identifier',
  description: 'SHA-256 of the answer as canonical JSON.',
  example: HASH,
} as const;

/** Names a decision in the answer that it records. */
export const decisionRef = object('DecisionRef', 'A recorded decision.', {
  id: ID,
  askedAt: ASKED_AT,
  questionHash: QUESTION_HASH,
  answerHash: ANSWER_HASH,
});

export const decidedWorkload = object(
  'DecidedWorkload',
  'A workload that a decision is about; a pod without a controller is of kind Pod.',
  {
    kind: { type: 'identifier', description: 'Workload kind.', example: 'Deployment' },
    namespace: { type: 'identifier', description: 'Workload namespace.', example: 'shop' },
    name: { type: 'identifier', description: 'Workload name; empty if it is generated.', example: 'web' },
  },
);

export const decisionCaller = object('DecisionCaller', 'Who asked.', {
  name: { type: 'identifier', description: 'Name of the caller.', example: 'ci' },
  kind: { type: AUTHOR_KIND, description: 'anonymous, token or oidc.', example: 'token' },
  issuer: {
    type: 'identifier',
    optional: true,
    description: 'Identity provider that issued the name; null for other kinds.',
    example: null,
  },
});

export const decisionReason = object('DecisionReason', 'Why a verdict is not `yes`.', {
  code: { type: 'identifier', description: 'Stable code of the reason.', example: 'InsufficientResources' },
  verdict: { type: DECISION_VERDICT, description: 'no or unknown.', example: 'no' },
  message: { type: 'string', description: "Kubernetes' message if it has one.", example: 'Insufficient cpu' },
  object: {
    type: decidedWorkload,
    optional: true,
    description: 'What the reason is about; null if it is about several objects.',
  },
  count: { type: 'integer', optional: true, description: 'Number of pods or nodes; null if not counted.', example: 2 },
});

export const decision = object('Decision', 'A recorded answer. It is never changed, and outlives its cluster.', {
  id: ID,
  cluster: { type: 'identifier', description: 'Cluster name.', example: 'eks-prod' },
  clusterId: { type: 'int64', description: 'Cluster id, unique across clusters with the same name.', example: 1 },
  revision: { type: 'integer', description: 'Revision that the answer is based on.', example: 7 },
  rulesVersion: { type: 'identifier', description: 'Kubernetes release whose rules applied.', example: 'v1.36.2' },
  askedAt: ASKED_AT,
  caller: { type: decisionCaller, description: 'Who asked.' },
  type: { type: DECISION_TYPE, description: DECISION_TYPE.description, example: 'placement' },
  verdict: { type: DECISION_VERDICT, description: DECISION_VERDICT.description, example: 'no' },
  summary: { type: 'string', description: 'The answer in a sentence.', example: '0 of 2 nodes can take pod shop/web.' },
  workloads: { type: decidedWorkload, list: true, description: 'What the decision is about.' },
  questionHash: QUESTION_HASH,
  answerHash: ANSWER_HASH,
});

export const nodePods = object('DecidedNode', 'The pods of a workload on one node.', {
  name: { type: 'identifier', description: 'Node name.', example: 'node-1' },
  pods: { type: 'integer', description: 'Number of pods.', example: 2 },
});

export const workloadOutcome = object('DecidedWorkloadOutcome', 'What became of a workload.', {
  ...decidedWorkload.members,
  status: { type: WORKLOAD_STATUS, description: WORKLOAD_STATUS.description, example: 'added' },
  sinceRevision: {
    type: 'integer',
    optional: true,
    description: 'First later revision that shows the status; null if nothing changed, or if it is no longer known.',
    example: 8,
  },
  since: {
    type: 'time',
    optional: true,
    description: 'Capture time of that revision; null if it is no longer stored.',
    example: '2026-05-04T03:05:00.000Z',
  },
  bound: { type: 'integer', optional: true, description: 'Pods with a node; null if not known.', example: 2 },
  pending: { type: 'integer', optional: true, description: 'Pods without a node; null if not known.', example: 0 },
  nodes: { type: nodePods, list: true, description: 'Nodes of the bound pods by name, at most 100.' },
  note: { type: 'string', optional: true, description: 'Why something is not known.', example: null },
});

export const decisionOutcome = object('DecisionOutcome', 'What the cluster did after a decision.', {
  revision: { type: 'integer', description: 'The head, which the outcome is read from.', example: 9 },
  capturedAt: { type: 'time', description: 'Capture time of the head.', example: '2026-05-04T04:02:01.000Z' },
  workloads: { type: workloadOutcome, list: true, description: 'The workloads of the decision, at most 200.' },
});

/** A decision with its question and answer: a line of an export. */
export const decisionRecord = object('DecisionRecord', 'A decision with its question and answer.', {
  ...decision.members,
  reasons: {
    type: decisionReason,
    list: true,
    description: 'Why the verdict is not yes, what to fix first comes first.',
  },
  question: {
    type: 'json',
    optional: true,
    description:
      'The question; null if `questionNote` says why. Values that may be secrets are replaced by `withheld`.',
    example: { podRef: { namespace: 'shop', name: 'web' } },
  },
  questionNote: {
    type: 'identifier',
    optional: true,
    description: 'Why there is no question, or how many values were replaced in it.',
    example: null,
  },
  answer: { type: 'json', optional: true, description: 'The answer; null if it is too large to keep.', example: {} },
});

export const decisionDetails = object('DecisionDetails', 'A decision beside what the cluster then did.', {
  ...decisionRecord.members,
  outcome: {
    type: decisionOutcome,
    optional: true,
    description: 'What later revisions show; null if `outcomeNote` says why.',
  },
  outcomeNote: { type: 'identifier', optional: true, description: 'Why there is no outcome.', example: null },
});
