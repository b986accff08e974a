import { GUARDRAIL_ACTIONS, GUARDRAIL_OUTCOMES, GUARDRAIL_EVALUATIONS } from '../../core/guardrails/guardrail.js';
import { answerBasis } from '../common/basis.js';
import { enumType, object } from '../schema.js';

const ACTION = enumType(
  'GuardrailAction',
  'What happens to a change for which a rule does not hold.',
  GUARDRAIL_ACTIONS,
);
export const GUARDRAIL_OUTCOME = enumType('GuardrailOutcome', 'What a rule says of a change.', GUARDRAIL_OUTCOMES);
const EVALUATION = enumType('GuardrailEvaluation', 'What the expression of a rule gave.', GUARDRAIL_EVALUATIONS);

const DOCUMENT =
  'A document of guardrails: `apiVersion`, `kind` and a list `guardrails`, as `docs/guardrails.schema.json` describes; at most 50.';

/** The document, which is the whole REST body. */
export const guardrailsFields = object(
  'GuardrailsFields',
  '',
  { document: { type: 'json', description: DOCUMENT } },
  { restOnly: true },
);

/** A document to try, or nothing for the stored one. */
export const guardrailTestFields = object(
  'GuardrailTestFields',
  '',
  { document: { type: 'json', optional: true, description: `${DOCUMENT} The stored one by default.` } },
  { restOnly: true },
);

export const EXAMPLE_DOCUMENT = {
  apiVersion: 'kube-placement/v1',
  kind: 'Guardrails',
  guardrails: [
    {
      name: 'few evictions',
      require: 'preview.evictions.now <= 10',
      action: 'refuse',
      messageExpression: '"evicts %d pods at once; 10 are allowed".format([preview.evictions.now])',
      tests: [
        { name: 'ten', given: { preview: { evictions: { now: 10 } } }, expect: 'holds' },
        { name: 'eleven', given: { preview: { evictions: { now: 11 } } }, expect: 'refused' },
      ],
    },
    {
      name: 'two approve production',
      require: 'change.nodes.all(n, n.labels["env"] != "prod") || change.approvals >= 2',
      action: 'requireApproval',
      message: 'changes of production nodes need two approvals',
    },
  ],
};

export const GUARDRAILS_BODY = { type: guardrailsFields, whole: 'document', description: DOCUMENT } as const;
export const GUARDRAIL_TESTS_BODY = {
  type: guardrailTestFields,
  whole: 'document',
  required: false,
  description: `${DOCUMENT} The stored one by default.`,
} as const;

const BASIS = {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
} as const;

const STORED = {
  stored: { type: 'boolean', description: 'Whether guardrails are stored.', example: true },
  document: {
    type: 'json',
    optional: true,
    description: 'The document; null if none is stored.',
    example: EXAMPLE_DOCUMENT,
  },
} as const;

export const storedGuardrails = object('StoredGuardrails', 'The guardrails of a cluster.', { ...BASIS, ...STORED });

export const changedGuardrails = object('ChangedGuardrails', 'The guardrails after the change.', {
  basis: {
    type: answerBasis,
    description: 'The revision that contains the change; for a dry run, the revision that was evaluated.',
  },
  dryRun: { type: 'boolean', description: 'True for a dry run: nothing was stored.', example: false },
  changed: { type: 'boolean', description: 'Whether the guardrails were different before.', example: true },
  ...STORED,
});

export const guardrailCaseResult = object('GuardrailCaseResult', 'How a case went.', {
  rule: { type: 'string', description: 'Name of the rule.', example: 'few evictions' },
  test: { type: 'string', description: 'Name of the case.', example: 'ten' },
  passed: { type: 'boolean', description: 'Whether outcome and message are as expected.', example: true },
  expected: { type: GUARDRAIL_OUTCOME, description: 'The expected outcome.', example: 'holds' },
  outcome: { type: GUARDRAIL_OUTCOME, description: 'The outcome.', example: 'holds' },
  expectedMessage: {
    type: 'string',
    optional: true,
    description: 'The expected message; null if it does not matter.',
    example: null,
  },
  message: { type: 'string', optional: true, description: 'The message; null if the rule holds.', example: null },
  pointer: {
    type: 'identifier',
    description: 'JSON pointer to the case in the document.',
    example: '/guardrails/0/tests/0',
  },
});

export const guardrailTestRun = object('GuardrailTestRun', 'How the tests of a document went.', {
  ...BASIS,
  passed: { type: 'boolean', description: 'Whether all cases passed.', example: true },
  failed: { type: 'integer', description: 'Number of cases that failed.', example: 0 },
  untested: {
    type: 'string',
    list: true,
    description: 'Names of rules without a case.',
    example: ['two approve production'],
  },
  results: { type: guardrailCaseResult, list: true, description: 'The cases, in the order of the document.' },
});

export const guardrailResult = object('GuardrailResult', 'What a rule says of a change.', {
  rule: { type: 'string', description: 'Name of the rule.', example: 'few evictions' },
  action: { type: ACTION, description: ACTION.description, example: 'refuse' },
  outcome: { type: GUARDRAIL_OUTCOME, description: GUARDRAIL_OUTCOME.description, example: 'holds' },
  evaluation: { type: EVALUATION, description: EVALUATION.description, example: 'met' },
  message: {
    type: 'string',
    optional: true,
    description: 'Why the change is refused, warned about or held; null if the rule holds.',
    example: null,
  },
  approvalsNeeded: {
    type: 'integer',
    optional: true,
    description:
      'How many approvals the rule asks for; null if none, or if the number depends on who approves. The change waits until every rule is satisfied.',
    example: null,
  },
});
