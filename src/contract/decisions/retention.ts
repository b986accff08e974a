import { answerBasis } from '../common/basis.js';
import { enumType, object } from '../schema.js';

const SOURCE = enumType('DecisionRetentionSource', 'What sets how long decisions are kept.', [
  'cluster',
  'service',
  'none',
]);

const MAX_AGE = {
  type: 'identifier',
  maximumLength: 40,
  description: 'How long decisions are kept: `90d`, `12h`, `3600` (seconds), or `forever`.',
  example: '365d',
} as const;

export const decisionRetentionFields = object(
  'DecisionRetentionFields',
  '',
  {
    maxAge: MAX_AGE,
    dryRun: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Dry run: return the result without storing it.',
    },
  },
  { restOnly: true },
);

export const decisionRetention = object('DecisionRetention', 'How long the decisions about a cluster are kept.', {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  maxAge: MAX_AGE,
  source: { type: SOURCE, description: SOURCE.description, example: 'cluster' },
});

export const declaredDecisionRetention = object('DeclaredDecisionRetention', 'The new retention of decisions.', {
  ...decisionRetention.members,
  changed: { type: 'boolean', description: 'Whether the setting changed.', example: true },
  dryRun: { type: 'boolean', description: 'True for a dry run: nothing was stored.', example: false },
});
