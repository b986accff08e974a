import { describe, expect, it } from '@jest/globals';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { When } from './attributed-change.js';
import { nodeHistory, type NodeRecord, type TaintInterval, presenceAt } from './node-history.js';
import type { TaintDifference } from './taint-difference.js';

const A: Taint = { key: 'a', value: '1', effect: 'NoSchedule' };
const A2: Taint = { ...A, value: '2' };
const B: Taint = { key: 'b', effect: 'NoExecute' };
const at = (hour: number): string => `2026-05-04T${String(hour).padStart(2, '0')}:00:00Z`;
const point = (hour: number): When => ({ kind: 'point', at: at(hour) });
const between = (from: number, to: number): When => ({ kind: 'interval', from: at(from), to: at(to) });
const before = (to: number): When => ({ kind: 'interval', to: at(to) });

const difference = (some: Partial<TaintDifference>): TaintDifference => ({
  added: [],
  removed: [],
  changed: [],
  ...some,
});
const change = (sequence: number, when: When, some: Partial<TaintDifference>, more: object = {}): NodeRecord => ({
  sequence,
  kind: 'change',
  body: { node: 'n', when, channel: 'snapshot', difference: difference(some), intents: [], auditIDs: [], ...more },
});
const found = (sequence: number, to: number, taints: readonly Taint[], more: object = {}): NodeRecord => ({
  sequence,
  kind: 'found',
  body: { node: 'n', when: before(to), channel: 'snapshot', state: { taints, unschedulable: false }, ...more },
});
const made = (sequence: number, hour: number, some: Partial<TaintDifference>, id = `c${sequence}`): NodeRecord =>
  change(sequence, point(hour), some, { channel: 'api', change: id, status: 'recorded' });
const outcome = (sequence: number, id: string, status: string, hour: number): NodeRecord => ({
  sequence,
  kind: 'intent',
  body: { node: 'n', change: id, status, saidBy: { observation: { at: at(hour), revision: 2 } } },
});

/** `a=1 [1..2] #1 -> (2..3] #2`: the taint, when and by which record it began, when and by which record it ended. */
function show({ what, from, setBy, to, removedBy }: TaintInterval): string {
  const name = what === 'cordon' ? what : `${what.key}${what.value === undefined ? '' : `=${what.value}`}`;
  const time = (text: string | undefined): string => (text === undefined ? '' : String(Number(text.slice(11, 13))));
  const when = (one: When): string => (one.kind === 'point' ? time(one.at) : `${time(one.from)}..${time(one.to)}`);
  const mark = (one: TaintInterval['setBy']): string =>
    one === null
      ? ''
      : ` #${one.sequence}${one.carriedOutBy === undefined ? '' : `/#${one.carriedOutBy}`}${one.confirmed ? '' : '?'}`;
  return `${name} ${when(from)}${mark(setBy)} -> ${to === null ? '' : `${when(to)}${mark(removedBy)}`}`.trim();
}
const history = (records: readonly NodeRecord[], intents: 'include' | 'exclude' = 'include') =>
  nodeHistory(records, { intents }).intervals.map(show);

describe('the history of a node', () => {
  it.each<[string, NodeRecord[], string[]]>([
    ['nothing', [], []],
    [
      'a taint that two snapshots bound on both sides',
      [change(1, between(1, 2), { added: [A] }), change(2, between(2, 3), { removed: [A] })],
      ['a=1 1..2 #1 -> 2..3 #2'],
    ],
    [
      'records in whatever order',
      [change(2, point(3), { removed: [A] }), change(5, point(1), { added: [A] })],
      ['a=1 1 #5 -> 3 #2'],
    ],
    [
      'another value as another interval',
      [change(1, point(1), { added: [A] }), change(2, point(2), { changed: [{ before: A, after: A2 }] })],
      ['a=1 1 #1 -> 2 #2', 'a=2 2 #2 ->'],
    ],
    [
      'what stood when the node was first seen',
      [found(1, 5, [A]), change(2, point(6), { removed: [A] })],
      ['a=1 ..5 #1 -> 6 #2'],
    ],
    [
      'no later than its only owner wrote the list last',
      [found(1, 5, [A], { lastWriters: { taints: [{ manager: 'm', time: at(2) }], unschedulable: [] } })],
      ['a=1 ..2 #1 ->'],
    ],
    ['an end with an unknown beginning', [change(1, between(4, 5), { removed: [B] })], ['b ..4 -> 4..5 #1']],
    [
      'a cordon beside the taints',
      [change(1, point(1), { cordon: 'cordoned', added: [B] }), change(2, point(2), { cordon: 'uncordoned' })],
      ['cordon 1 #1 -> 2 #2', 'b 1 #1 ->'].sort(),
    ],
    [
      'what was written where nothing was known before',
      [
        change(1, point(1), { added: [B] }),
        change(2, point(2), {}, { difference: null, set: { taints: [A], unschedulable: true } }),
      ],
      ['b 1 #1 -> 2 #2', 'a=1 ..2 #2 ->', 'cordon ..2 #2 ->'],
    ],
    [
      'the end of everything with its node',
      [change(1, point(1), { added: [A, B] }), change(2, point(2), {}, { difference: null, life: 'deleted' })],
      ['b 1 #1 -> 2 #2', 'a=1 1 #1 -> 2 #2'],
    ],
    ['a change made here, unconfirmed', [made(1, 1, { added: [A] })], ['a=1 1 #1? ->']],
    [
      'a change made here, from when the cluster has it',
      [made(1, 1, { added: [A] }), outcome(3, 'c1', 'confirmed', 4)],
      ['a=1 1..4 #1 ->'],
    ],
    [
      'a change made here, from when an event shows its being carried out',
      [
        made(1, 1, { added: [A] }),
        change(2, point(3), { added: [A] }, { channel: 'auditEvent', intents: ['c1'] }),
        outcome(3, 'c1', 'confirmed', 4),
      ],
      ['a=1 3 #1/#2 ->'],
    ],
    [
      'a removal made here, to when an event shows it',
      [
        change(1, point(1), { added: [A] }),
        made(2, 2, { removed: [A] }),
        change(3, point(5), { removed: [A] }, { channel: 'auditEvent', intents: ['c2'] }),
        outcome(4, 'c2', 'confirmed', 5),
      ],
      ['a=1 1 #1 -> 5 #2/#3'],
    ],
    [
      'another value made here and carried out',
      [
        change(1, point(1), { added: [A] }),
        made(2, 2, { changed: [{ before: A, after: A2 }] }),
        change(3, point(5), { changed: [{ before: A, after: A2 }] }, { channel: 'auditEvent', intents: ['c2'] }),
        outcome(4, 'c2', 'confirmed', 5),
      ],
      ['a=1 1 #1 -> 2..5 #2', 'a=2 5 #2/#3 ->'],
    ],
    [
      'no change made here that never came to the cluster',
      [made(1, 1, { added: [A] }), outcome(2, 'c1', 'notApplied', 2)],
      [],
    ],
  ])('has %s', (_, records, expected) => {
    expect(history(records).sort()).toEqual([...expected].sort());
  });

  it('excludes unconfirmed changes if told to, and keeps confirmed ones', () => {
    const records = [made(1, 1, { added: [A] }), made(2, 2, { added: [B] }), outcome(3, 'c2', 'confirmed', 3)];
    expect(history(records, 'exclude')).toEqual(['b 2..3 #2 ->']);
  });

  it('lists changes made here that the cluster never had, with the record of that outcome', () => {
    const records = [
      made(1, 1, { added: [A] }),
      outcome(2, 'c1', 'notApplied', 2),
      made(3, 3, { added: [B] }),
      outcome(4, 'c3', 'overwritten', 4),
    ];
    expect(nodeHistory(records, { intents: 'include' }).unapplied).toEqual([
      { sequence: 1, change: 'c1', difference: difference({ added: [A] }), status: 'notApplied', decidingSequence: 2 },
      { sequence: 3, change: 'c3', difference: difference({ added: [B] }), status: 'overwritten', decidingSequence: 4 },
    ]);
  });

  it('uses the last outcome of a change that was first reported as not applied', () => {
    const records = [made(1, 1, { added: [A] }), outcome(3, 'c1', 'confirmed', 6), outcome(2, 'c1', 'notApplied', 2)];
    expect(history(records)).toEqual(['a=1 1..6 #1 ->']);
  });
});

describe('the presence of a taint at a time', () => {
  const interval = (from: When, to: When | null): TaintInterval => ({
    what: A,
    from,
    setBy: null,
    to,
    removedBy: null,
  });
  it.each<[string, TaintInterval, number, string]>([
    ['before it began', interval(point(2), null), 1, 'no'],
    ['when it began', interval(point(2), null), 2, 'yes'],
    ['while it lasts', interval(point(2), null), 9, 'yes'],
    ['when it ended', interval(point(2), point(4)), 4, 'no'],
    ['just before it ended', interval(point(2), point(4)), 3, 'yes'],
    ['between the snapshots that bound its beginning', interval(between(2, 4), null), 3, 'maybe'],
    ['when a snapshot lacked it', interval(between(2, 4), null), 2, 'no'],
    ['when a snapshot first had it', interval(between(2, 4), null), 4, 'yes'],
    ['when a snapshot last had it', interval(between(2, 4), between(6, 8)), 6, 'yes'],
    ['between the snapshots that bound its end', interval(between(2, 4), between(6, 8)), 7, 'maybe'],
    ['when a snapshot lacked it again', interval(between(2, 4), between(6, 8)), 8, 'no'],
    ['before anything was known', interval(before(4), null), 1, 'maybe'],
  ])('%s', (_, one, hour, answer) => {
    expect(presenceAt(one, at(hour))).toBe(answer);
  });
});
