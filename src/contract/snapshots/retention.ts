import { object } from '../schema.js';

export const retentionInput = object(
  'Retention',
  '',
  {
    keepRevisions: {
      type: 'integer',
      optional: true,
      minimum: 1,
      description: 'Keep at most so many revisions, the newest.',
      example: 100,
    },
    maxAge: {
      type: 'string',
      optional: true,
      maximumLength: 40,
      description:
        'Remove what was received longer ago than this: `30d`, `12h`, `90` (seconds). The head always stays.',
      example: '30d',
    },
    dryRun: { type: 'boolean', optional: true, defaultsTo: false, description: 'Only tell what would be removed.' },
  },
  { restOnly: true },
);
