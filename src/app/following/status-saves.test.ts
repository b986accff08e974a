import { describe, expect, it } from '@jest/globals';
import type { FollowStatus, KindStatus } from './follow-status.js';
import { StatusSaves } from './status-saves.js';

const status = (lastSeenAt: string, state: KindStatus['state'] = 'watching'): FollowStatus => ({
  since: '2026-01-01T00:00:00Z',
  message: null,
  kinds: [
    {
      kind: 'Node',
      state,
      since: '2026-01-01T00:00:00Z',
      resourceVersion: '1',
      lastSeenAt,
      message: null,
      nextTry: null,
      rule: null,
    },
  ],
});

const statusesOf = (...given: readonly FollowStatus[]): ReadonlyMap<number, FollowStatus> =>
  new Map(given.map((one, index) => [index + 1, one]));

/** Saves what is due. */
function round(saves: StatusSaves, statuses: ReadonlyMap<number, FollowStatus>): readonly number[] {
  const due = saves.due(statuses);
  for (const id of due) saves.note(id, statuses.get(id)!);
  return due;
}

describe('StatusSaves', () => {
  it('saves what has another state at once, and what has only moved in turn', () => {
    const saves = new StatusSaves(2);
    expect(round(saves, statusesOf(status('a'), status('a'), status('a')))).toEqual([1, 2, 3]);
    expect(round(saves, statusesOf(status('a'), status('a'), status('a')))).toEqual([]);
    const moved = statusesOf(status('b'), status('b'), status('b'));
    expect(round(saves, moved)).toEqual([1, 2]);
    expect(round(saves, statusesOf(status('c'), status('c'), status('b')))).toEqual([3, 1]);
    expect(round(saves, statusesOf(status('c'), status('d', 'denied'), status('c', 'retrying')))).toEqual([2, 3]);
  });

  it('saves anew what was followed anew', () => {
    const saves = new StatusSaves();
    round(saves, statusesOf(status('a')));
    saves.forget(1);
    expect(saves.due(statusesOf(status('a')))).toEqual([1]);
  });
});
