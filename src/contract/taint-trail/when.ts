import { enumType, object } from '../schema.js';

export const WHEN_KIND = enumType('WhenKind', 'An exact time, or an interval in which something happened.', [
  'point',
  'interval',
]);

export const when = object('When', 'Time of an event, as exactly as it is known.', {
  kind: { type: WHEN_KIND, description: '`point` or `interval`.', example: 'interval' },
  from: {
    type: 'identifier',
    optional: true,
    description: 'Earliest possible time (RFC 3339); null if unknown.',
    example: '2026-05-04T03:00:00Z',
  },
  to: {
    type: 'identifier',
    description: 'Latest possible time; equal to `from` for a point.',
    example: '2026-05-04T03:02:01Z',
  },
});
