import { enumType, object } from '../schema.js';

export const CONFIRM = enumType(
  'Confirm',
  'Whom to ask besides: `dryRun` has the API server of the connected cluster apply workloads and create pods as dry runs, so that webhooks and all plugins are asked.',
  ['dryRun'],
);

const DRY_RUN_OUTCOME = enumType(
  'DryRunOutcome',
  'What the API server answered; `failed` if it gave no answer to the question, which leaves unknown what was unknown.',
  ['admitted', 'refused', 'failed'],
);

const DRY_RUN_SUBJECT = enumType('DryRunSubject', 'What was sent: the object itself, or a pod of its template.', [
  'object',
  'pod',
]);

export const dryRun = object('DryRun', 'Something that the API server created or applied as a dry run, or not.', {
  subject: { type: DRY_RUN_SUBJECT, description: DRY_RUN_SUBJECT.description, example: 'pod' },
  kind: { type: 'identifier', description: 'Kind of the manifest.', example: 'Deployment' },
  namespace: { type: 'identifier', description: 'Namespace.', example: 'shop' },
  name: { type: 'identifier', description: 'Name of the manifest.', example: 'web' },
  askedAt: { type: 'time', description: 'When the API server was asked.', example: '2026-05-04T03:02:01.000Z' },
  outcome: { type: DRY_RUN_OUTCOME, description: DRY_RUN_OUTCOME.description, example: 'admitted' },
  code: { type: 'integer', optional: true, description: 'HTTP status of its answer.', example: 201 },
  message: {
    type: 'string',
    optional: true,
    description: 'Its message, or why there is no answer; else null.',
    example: null,
  },
  warnings: { type: 'string', list: true, description: 'Texts of its Warning headers.', example: [] },
  difference: {
    type: 'string',
    optional: true,
    description: 'What was evaluated here, if it was certain and differs from the answer, which counts; else null.',
    example: null,
  },
});

/** The member of a request that has the API server asked. */
export const CONFIRM_MEMBER = {
  type: CONFIRM,
  sharedAs: 'ConfirmByDryRun',
  optional: true,
  description: CONFIRM.description,
  example: 'dryRun',
} as const;
