import { enumType, object } from '../schema.js';

export const WHEN_KIND = enumType('WhenKind', 'A point in time, or two times between which something happened.', [
  'point',
  'interval',
]);

export const when = object('When', 'When something happened, as far as it is known.', {
  kind: { type: WHEN_KIND, description: 'A point, or an interval.', example: 'interval' },
  from: {
    type: 'string',
    optional: true,
    description: 'Not before this time (RFC 3339); of an interval null where nothing is known of before.',
    example: '2026-05-04T03:00:00Z',
  },
  to: { type: 'string', description: 'Not after this time; of a point the same.', example: '2026-05-04T03:02:01Z' },
});
