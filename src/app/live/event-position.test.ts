import { describe, expect, it } from '@jest/globals';
import { readPosition, writePosition } from './event-position.js';
import { hasHad, moved } from './live-event.js';

const POSITION = { clusterId: 7, revision: 17, sequence: 42 };
const EVICTIONS = { schedule: 17, dueBy: 16, dueUntil: 1_767_225_600_000 };

describe('the position of a follower', () => {
  it.each([
    ['7-17.42', POSITION],
    ['7-0.0', { clusterId: 7, revision: 0, sequence: 0 }],
    ['7-17.42+3', { ...POSITION, turn: 3 }],
    ['7-17.42^5', { ...POSITION, disagreement: 5 }],
    ['7-17.42+3^5~17~16.1767225600000', { ...POSITION, turn: 3, disagreement: 5, evictions: EVICTIONS }],
    ['7-17.42~17~16.1767225600000', { ...POSITION, evictions: EVICTIONS }],
  ])('is read as it was written: %s', (text, position) => {
    expect(writePosition(position)).toBe(text);
    expect(readPosition(text)).toEqual(position);
  });

  it('may be a revision number', () => {
    expect([readPosition('0'), readPosition('17')]).toEqual([0, 17]);
  });

  it.each(['', 'head', '-1', '1.5', '7-', '7-17', '7-17.', '7-17.42~', '7-17.42~1', '7-17.42~1~2', ' 7-17.42', '1e3'])(
    'is not %j',
    (text) => {
      expect(readPosition(text)).toBeUndefined();
    },
  );

  it('covers what its follower has received, part by part', () => {
    expect([17, 18].map((revision) => hasHad(POSITION, { revision }))).toEqual([true, false]);
    expect([42, 43].map((sequence) => hasHad(POSITION, { sequence }))).toEqual([true, false]);
    const position = { ...POSITION, evictions: EVICTIONS };
    expect([17, 18].map((schedule) => hasHad(position, { evictions: { schedule } }))).toEqual([true, false]);
    const due = (dueBy: number, dueUntil: number) => hasHad(position, { evictions: { dueBy, dueUntil } });
    const { dueUntil } = EVICTIONS;
    expect([due(15, dueUntil + 9), due(16, dueUntil), due(16, dueUntil + 1), due(17, 0)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(hasHad(POSITION, { evictions: { schedule: 1 } })).toBe(false);
  });

  it('only moves forward', () => {
    expect(moved(POSITION, { revision: 18, sequence: 3 })).toEqual({ ...POSITION, revision: 18 });
    expect(moved(POSITION, { evictions: { schedule: 18 } })).toEqual(POSITION);
    expect(moved({ ...POSITION, evictions: EVICTIONS }, { evictions: { schedule: 18 } })).toEqual({
      ...POSITION,
      evictions: { ...EVICTIONS, schedule: 18 },
    });
  });
});
