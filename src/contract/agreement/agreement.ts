import { AGREEMENT_RULES, UNKNOWN_CODES } from '../../core/agreement/judgement.js';
import { enumType, object } from '../schema.js';

export const AGREEMENT_RULE = enumType(
  'AgreementRule',
  'What a prediction is compared about. Of a pod that was bound: whether its node is feasible (`filter`), and among the best (`score`).',
  AGREEMENT_RULES,
);
export const UNKNOWN_CODE = enumType(
  'AgreementUnknownCode',
  'Why it is not known whether a prediction agrees.',
  UNKNOWN_CODES,
);
export const CASE_OUTCOME = enumType(
  'AgreementCaseOutcome',
  'Disagreements, or predictions of which it is not known.',
  ['disagreed', 'unknown'],
);

const COUNTS = {
  agreed: { type: 'int64', description: 'Number of predictions that agree.', example: 4990 },
  disagreed: { type: 'int64', description: 'Number of predictions that disagree.', example: 2 },
  unknown: { type: 'int64', description: 'Number of predictions of which it is not known.', example: 8 },
  rate: {
    type: 'number',
    optional: true,
    description: 'The share of `agreed` in `agreed` and `disagreed`; null if both are 0.',
    example: 0.9996,
  },
} as const;
const SCHEDULER = {
  type: 'identifier',
  description:
    'The scheduler that decided; `taint-eviction-controller` for evictions. Beyond 20 of them, the others are counted as `(others)`.',
  example: 'default-scheduler',
} as const;
const RULE = { type: AGREEMENT_RULE, description: AGREEMENT_RULE.description, example: 'filter' } as const;

export const agreementOfRule = object('AgreementOfRule', 'How many predictions of one rule agree.', {
  rule: RULE,
  ...COUNTS,
});
export const agreementOfScheduler = object(
  'AgreementOfScheduler',
  'How many predictions of the decisions of one scheduler agree.',
  { scheduler: SCHEDULER, ...COUNTS },
);
export const agreementOfDay = object(
  'AgreementOfDay',
  'How many predictions of one rule agree, for one scheduler on one day.',
  {
    day: { type: 'identifier', description: 'The day, in UTC.', example: '2026-05-04' },
    scheduler: SCHEDULER,
    rule: RULE,
    ...COUNTS,
  },
);

const agreementRefusal = object('AgreementRefusal', 'Why our filters refuse the node that was chosen.', {
  plugin: { type: 'identifier', description: 'The plugin.', example: 'TaintToleration' },
  message: { type: 'string', description: 'What it says.', example: 'node(s) had untolerated taint(s)' },
});

const agreementScore = object('AgreementScore', 'A score in which the chosen node and the best one differ.', {
  plugin: { type: 'identifier', description: 'The plugin.', example: 'NodeResourcesFit' },
  chosen: { type: 'number', description: 'Weighted score of the chosen node.', example: 47 },
  best: { type: 'number', description: 'Weighted score of the best node.', example: 86 },
});

export const agreementDifference = object('AgreementDifference', 'What was predicted, beside what happened.', {
  node: { type: 'identifier', optional: true, description: 'The node in question.', example: 'node-1' },
  best: {
    type: 'identifier',
    list: true,
    description: 'The first of the nodes that were predicted.',
    example: ['node-2'],
  },
  refusals: { type: agreementRefusal, list: true, description: 'What our filters say against the chosen node.' },
  total: { type: 'number', optional: true, description: 'Our total of the chosen node.', example: 416 },
  bestTotal: { type: 'number', optional: true, description: 'The greatest total.', example: 454 },
  scores: { type: agreementScore, list: true, description: 'The scores in which they differ.' },
  ours: { type: 'string', optional: true, description: 'Our words.', example: null },
  theirs: { type: 'string', optional: true, description: 'The words of the cluster.', example: null },
  differsAt: {
    type: 'integer',
    optional: true,
    description: 'Position of the first character that differs, from 0.',
    example: null,
  },
  predictedFrom: {
    type: 'time',
    optional: true,
    description: 'The earliest time that was predicted; null also if no bound is known.',
    example: null,
  },
  predictedTo: { type: 'time', optional: true, description: 'The latest time that was predicted.', example: null },
  happened: { type: 'time', optional: true, description: 'The real time.', example: null },
});

export const agreementCase = object('AgreementCase', 'A prediction that does not agree, or of which it is not known.', {
  number: { type: 'int64', description: 'Number of the case in its cluster.', example: 3 },
  outcome: { type: CASE_OUTCOME, description: CASE_OUTCOME.description, example: 'disagreed' },
  rule: RULE,
  scheduler: SCHEDULER,
  namespace: { type: 'identifier', description: 'Namespace of the pod.', example: 'shop' },
  name: { type: 'identifier', description: 'Name of the pod.', example: 'web-0' },
  revision: { type: 'integer', description: 'The revision that shows what happened.', example: 8 },
  capturedAt: {
    type: 'time',
    description: 'When this revision was captured in the cluster.',
    example: '2026-05-04T03:02:01.000Z',
  },
  because: {
    type: UNKNOWN_CODE,
    optional: true,
    description: 'Why it is not known; null for a disagreement.',
    example: null,
  },
  text: {
    type: 'string',
    description: 'The difference as a sentence.',
    example: 'node-1 was chosen with a total of 416, 38 behind node-2 with 454: NodeResourcesFit 47 to 86',
  },
  difference: { type: agreementDifference, optional: true, description: 'The same as data; null if there is none.' },
  hasCase: {
    type: 'boolean',
    description: 'Whether it can be downloaded as a case for the conformance runner.',
    example: true,
  },
});

export const agreement = object('Agreement', 'How often predictions agree with what the cluster did.', {
  comparedUntil: {
    type: 'integer',
    description: 'The last revision that was compared with the one before; 0 if none was.',
    example: 8,
  },
  ...COUNTS,
  rules: { type: agreementOfRule, list: true, description: 'By rule.' },
  schedulers: { type: agreementOfScheduler, list: true, description: 'By scheduler.' },
  days: { type: agreementOfDay, list: true, description: 'By day, scheduler and rule, the newest day first.' },
  disagreements: { type: agreementCase, list: true, description: 'The last disagreements, at most 10.' },
  unknowns: {
    type: agreementCase,
    list: true,
    description: 'The last predictions of which it is not known, at most 10.',
  },
});

export const downloadedCase = object('DownloadedCase', 'A case as the conformance runner takes it.', {
  name: { type: 'identifier', description: 'Name of the case.', example: 'disagreement-filter' },
  k8sVersion: { type: 'identifier', description: 'The version whose rules are meant.', example: 'v1.36.2' },
  profile: { type: 'identifier', description: 'How the control plane is configured.', example: 'default' },
  recordedAt: { type: 'time', description: 'When it happened.', example: '2026-05-04T03:02:01.000Z' },
  input: { type: 'json', description: 'The pod, and other objects that matter.', example: {} },
  observed: { type: 'json', description: 'The nodes and pods as stored, and what the scheduler decided.', example: {} },
});
