import { object } from '../schema.js';

export const retentionInput = object(
  'Retention',
  '',
  {
    keepRevisions: {
      type: 'integer',
      optional: true,
      minimum: 1,
      description: 'Number of revisions to keep, the newest.',
      example: 100,
    },
    maxAge: {
      type: 'identifier',
      optional: true,
      maximumLength: 40,
      syntax: 'duration',
      description:
        'Remove revisions received longer ago than this: `30d`, `12h`, `90` (seconds). The head is always kept.',
      example: '30d',
    },
    dryRun: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Dry run: report what would be removed.',
    },
  },
  { restOnly: true },
);
