import { describe, expect, it } from '@jest/globals';
import { Dice } from '../../../test/support/dice.js';
import { membersOf } from '../../../test/support/expand-group.js';
import { finish } from './finish.js';
import { AlikeGroups, type AlikeOptions } from './alike-groups.js';

const OPTIONS: AlikeOptions = {
  identity: ['name'],
  varying: ['node', 'at.earliest', 'at.latest', 'taints.*.since', 'gone'],
  splitting: ['at.latest'],
};

const grouped = (items: readonly object[], options = OPTIONS) => {
  const groups = new AlikeGroups(options);
  for (const item of items) groups.add(item);
  return finish(groups.stepGroups());
};

describe('AlikeGroups', () => {
  it('has shared values once, and the others in columns', () => {
    const taint = { key: 'a', since: 1 };
    expect(
      grouped([
        { name: 'x', node: 'n', action: 'at', at: { earliest: 1, latest: 5 }, taints: [taint] },
        { name: 'z', node: 'n', action: 'never', at: null, taints: [] },
        { name: 'y', node: 'm', action: 'at', at: { earliest: 2, latest: 5 }, taints: [{ ...taint, since: 2 }] },
      ]),
    ).toEqual([
      {
        members: [0, 2],
        shared: { node: null, action: 'at', at: { earliest: null, latest: 5 }, taints: [{ key: 'a', since: null }] },
        columns: [
          { name: 'node', values: ['n', 'm'] },
          { name: 'at.earliest', values: [1, 2] },
          { name: 'taints.0.since', values: [1, 2] },
        ],
      },
      { members: [1], shared: { node: 'n', action: 'never', at: null, taints: [] }, columns: [] },
    ]);
  });

  it('yields often while many values are compared', () => {
    const groups = new AlikeGroups(OPTIONS);
    for (let place = 0; place < 20_000; place++) groups.add({ name: `${place}`, node: 'n', at: { latest: place } });
    expect([...groups.stepGroups()].length).toBeGreaterThanOrEqual(20);
  });

  it('splits by a value with few variants, and puts one with many into a column', () => {
    const at = (count: number) =>
      Array.from({ length: count }, (_, place) => ({ name: `${place}`, at: { earliest: 0, latest: place } }));
    expect(grouped(at(4))).toHaveLength(4);
    const [all, ...others] = grouped(at(5));
    expect(others).toEqual([]);
    expect(all!.columns).toEqual([{ name: 'at.latest', values: Array.from({ length: 5 }, (_, place) => place) }]);
  });

  it('distinguishes strings, numbers, big integers, times and lists', () => {
    const values = [1, 1n, '1', true, null, [1], ['1'], {}, { a: 1 }, { a: '1,b:1' }, { a: 1, b: 1 }, new Date(1), ''];
    expect(grouped(values.map((value) => ({ value })))).toHaveLength(values.length);
    expect(grouped([...values, ...values].map((value) => ({ value })))).toHaveLength(values.length);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('loses no part of an item (seed %i)', (seed) => {
    const dice = new Dice(seed);
    const moment = () => ({ earliest: dice.one([null, 1, 2]), latest: dice.below(400) });
    const items = Array.from({ length: 2000 }, (_, place) => ({
      name: `p-${place}`,
      node: `n-${dice.below(6)}`,
      action: dice.one(['at', 'now', 'never']),
      at: dice.chance(30) ? null : moment(),
      gone: dice.one([null, new Date(5).toISOString(), { by: 'kubelet' }]),
      taints: Array.from({ length: dice.below(3) }, () => ({ key: dice.one(['a', 'b']), since: dice.below(2) })),
      notes: dice.some(['x', 'y'], 30),
    }));
    const groups = grouped(items);
    const back: object[] = [];
    for (const { members, shared, columns } of groups) {
      const expanded = membersOf({ count: members.length, columns, ...shared }, members.length);
      members.forEach((member, place) => (back[member] = { name: items[member]!.name, ...expanded[place] }));
    }
    expect(back).toEqual(items);
    expect(groups.length).toBeLessThan(items.length / 2);
    const firsts = groups.map(({ members }) => members[0]!);
    expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    expect(grouped(items)).toEqual(groups);
  });
});
