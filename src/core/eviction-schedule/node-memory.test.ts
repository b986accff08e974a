import { describe, expect, it } from '@jest/globals';
import type { When } from '../audit/attributed-change.js';
import type { TaintInterval } from '../audit/node-history.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { boundMoment, type NodePast, pastTimeline } from './node-memory.js';

const at = (second: number): string => new Date(second * 1000).toISOString();
const between = (from: number | undefined, to: number): When => ({
  kind: 'interval',
  ...(from !== undefined && { from: at(from) }),
  to: at(to),
});
const point = (second: number): When => ({ kind: 'point', at: at(second) });
const execute = (key: string, timeAdded?: number): Taint => ({
  key,
  effect: 'NoExecute',
  ...(timeAdded !== undefined && { timeAdded: at(timeAdded) }),
});
const mark = (sequence: number) => ({ sequence, confirmed: true });
const stands = (what: Taint, from: When, to: When | null = null, sequence = 1): TaintInterval => ({
  what,
  from,
  setBy: mark(sequence),
  to,
  removedBy: to === null ? null : mark(sequence),
});
const a = execute('a');
const b = execute('b');

function past(intervals: readonly TaintInterval[], taints: readonly Taint[], more: Partial<NodePast> = {}) {
  return pastTimeline({
    intervals,
    taints,
    channelOf: () => 'snapshot',
    createdAt: 0,
    until: 1_000_000,
    ...more,
  }).map(({ moment, known, taints: then }) => ({
    seconds: [moment.earliest / 1000, moment.latest / 1000],
    known,
    keys: then.map(({ key }) => key),
  }));
}

describe('pastTimeline', () => {
  it('is empty for a node without NoExecute taints', () => {
    expect(past([stands(a, point(5), point(9))], [])).toEqual([]);
  });

  it('begins between the last snapshot without the taint and the first one with it', () => {
    expect(past([stands(a, between(100, 200))], [a])).toEqual([
      { seconds: [100, 200], known: 'snapshots', keys: ['a'] },
    ]);
  });

  it('begins after the creation of the node if the first snapshot shows the taint', () => {
    const found = past([stands(a, between(undefined, 200))], [a], { createdAt: 50_000 });
    expect(found).toEqual([{ seconds: [50, 200], known: 'firstSeen', keys: ['a'] }]);
  });

  it.each([
    ['an audit event', 'auditEvent', 'auditEvent'],
    ['a change made here', 'api', 'recordedChange'],
  ])('begins at the very moment of %s', (_, channel, known) => {
    const found = past([stands(a, point(150))], [a], { channelOf: () => channel });
    expect(found).toEqual([{ seconds: [150, 150], known, keys: ['a'] }]);
  });

  it.each<[string, Taint, [number, number], string]>([
    [
      'believes timeAdded of a key of the node controller',
      execute('node.kubernetes.io/unreachable', 150),
      [150, 151],
      'timeAdded',
    ],
    ['believes it of either key', execute('node.kubernetes.io/not-ready', 150), [150, 151], 'timeAdded'],
    [
      'believes it in the second in which a snapshot had no taint yet, from that snapshot on',
      execute('node.kubernetes.io/not-ready', 99.5),
      [100, 100.5],
      'timeAdded',
    ],
    [
      'believes it in the second in which a snapshot has the taint, up to that snapshot',
      execute('node.kubernetes.io/not-ready', 200),
      [200, 200],
      'timeAdded',
    ],
    ['does not believe it of another key', execute('a', 150), [100, 200], 'snapshots'],
    [
      'does not believe it where a later snapshot had no taint',
      execute('node.kubernetes.io/not-ready', 90),
      [100, 200],
      'snapshots',
    ],
    [
      'does not believe it where it lies in the future',
      execute('node.kubernetes.io/not-ready', 900),
      [100, 200],
      'snapshots',
    ],
    [
      'does not believe what is no time',
      { ...execute('node.kubernetes.io/not-ready'), timeAdded: 'soon' },
      [100, 200],
      'snapshots',
    ],
  ])('%s', (_, taint, seconds, known) => {
    expect(past([stands(taint, between(100, 200))], [taint])).toEqual([{ seconds, known, keys: [taint.key] }]);
  });

  it('has every change since the last moment without a taint', () => {
    const intervals = [stands(a, point(10), point(20)), stands(a, point(30)), stands(b, point(40), point(50))];
    expect(past(intervals, [a]).map(({ seconds: [from], keys }) => [from, keys])).toEqual([
      [30, ['a']],
      [40, ['a', 'b']],
      [50, ['a']],
    ]);
  });

  it('treats a swap of taints at one moment as one change, not as a moment without taints', () => {
    const intervals = [stands(a, point(10), between(20, 30)), stands(b, between(20, 30))];
    expect(past(intervals, [b]).map(({ seconds, keys }) => [...seconds, ...keys])).toEqual([
      [10, 10, 'a'],
      [20, 30, 'b'],
    ]);
  });

  it('treats a new value of a taint as a removal and an addition at one moment', () => {
    const was = { ...a, value: '1' };
    const is = { ...a, value: '2' };
    expect(
      past([stands(was, point(10), point(20)), stands(is, point(20))], [is]).map(({ seconds }) => seconds),
    ).toEqual([
      [10, 10],
      [20, 20],
    ]);
  });

  it('begins no earlier than the last of several changes with the same latest time', () => {
    const intervals = [stands(a, between(10, 50)), stands(b, between(30, 50))];
    expect(past(intervals, [a, b])).toEqual([{ seconds: [30, 50], known: 'snapshots', keys: ['a', 'b'] }]);
  });

  it('has the taints in the order of the node, not of their additions', () => {
    expect(past([stands(a, point(10)), stands(b, point(20))], [b, a]).map(({ keys }) => keys)).toEqual([
      ['a'],
      ['b', 'a'],
    ]);
  });

  it('does not know the beginning of a taint of which only the end is recorded', () => {
    const ended = { ...stands(b, between(undefined, 5), point(40)), setBy: null };
    expect(past([ended, stands(a, point(10))], [a])[0]).toEqual({
      seconds: [10, 10],
      known: 'auditEvent',
      keys: ['a'],
    });
  });

  it('ignores changes after the state', () => {
    const intervals = [stands(a, point(10), point(900)), stands(b, point(800))];
    expect(past(intervals, [a], { until: 500_000 })).toHaveLength(1);
  });

  it('ignores changes that may have come after the state, if the state does not show them', () => {
    const intervals = [stands(a, between(100, 200), between(500, 900)), stands(b, between(500, 900))];
    expect(past(intervals, [a], { until: 500_000 })).toEqual([
      { seconds: [100, 200], known: 'snapshots', keys: ['a'] },
    ]);
    expect(past(intervals, [b], { until: 600_000 }).at(-1)).toEqual({
      seconds: [500, 600],
      known: 'snapshots',
      keys: ['b'],
    });
  });

  it('prefers the record of a change made here, or of its audit event, to a snapshot that showed it later', () => {
    const channelOf = (sequence: number): string => (sequence === 1 ? 'api' : 'auditEvent');
    const [found] = past([stands(a, between(100, 200))], [a], { channelOf });
    expect(found).toEqual({ seconds: [100, 200], known: 'recordedChange', keys: ['a'] });
    const carried = { ...stands(a, point(150)), setBy: { sequence: 1, carriedOutBy: 2, confirmed: true } };
    expect(past([carried], [a], { channelOf })).toEqual([{ seconds: [150, 150], known: 'auditEvent', keys: ['a'] }]);
  });

  it('ignores cordons and effects other than NoExecute', () => {
    const intervals = [
      stands({ key: 'x', effect: 'NoSchedule' }, point(5)),
      { ...stands(a, point(6)), what: 'cordon' as const },
      stands(a, point(10)),
    ];
    expect(past(intervals, [a])).toHaveLength(1);
  });

  it('does not mistake an earlier value of a taint for the current one', () => {
    expect(past([stands({ ...a, value: '1' }, point(10))], [{ ...a, value: '2' }])).toMatchObject([
      { seconds: [0, 1000], known: 'firstSeen' },
    ]);
  });

  it('does not begin after the state, even if the node claims to be newer', () => {
    expect(past([], [a], { createdAt: 2_000_000 })).toMatchObject([{ seconds: [1000, 1000] }]);
  });

  it('reports an unknown beginning if the records do not lead to the taints of the node', () => {
    expect(past([stands(b, point(10))], [a], { createdAt: 7000 })).toEqual([
      { seconds: [7, 1000], known: 'firstSeen', keys: ['a'] },
    ]);
  });
});

describe('boundMoment', () => {
  const metadata = { name: 'p', creationTimestamp: at(10) };
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: at(20) };
  it('is the transition time of PodScheduled, within the second that it is truncated to', () => {
    expect(boundMoment({ metadata, status: { conditions: [scheduled] } }, 99_000)).toEqual({
      earliest: 20_000,
      latest: 21_000,
    });
  });

  it('ignores a PodScheduled condition that is False', () => {
    const failed = { ...scheduled, status: 'False' };
    expect(boundMoment({ metadata, status: { conditions: [failed], startTime: at(30) } }, 99_000)).toEqual({
      earliest: 10_000,
      latest: 31_000,
    });
  });

  it('is between creation and start without that condition', () => {
    expect(boundMoment({ metadata, status: { startTime: at(30) } }, 99_000)).toEqual({
      earliest: 10_000,
      latest: 31_000,
    });
  });

  it('is before the pod was seen if nothing else is known', () => {
    expect(boundMoment({ metadata }, 99_000)).toEqual({ earliest: 10_000, latest: 99_000 });
  });
});
