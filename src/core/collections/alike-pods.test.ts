import { describe, expect, it } from '@jest/globals';
import { Dice } from '../../../test/support/dice.js';
import { inOneOrder, podsOfGroup } from '../../../test/support/expand-group.js';
import { AlikePods } from './alike-pods.js';
import { finish } from './finish.js';

const workload = (name: string) => ({ kind: 'Deployment', namespace: 'd', name });
const pod = (name: string, owner: string, rest: object) => ({
  ...{ namespace: 'd', name, workload: workload(owner) },
  ...rest,
});
const OPTIONS = { varying: ['node'], ofWorkload: ['budgets', 'taints.*.toleration'] };

const grouped = (pods: readonly ReturnType<typeof pod>[]) => {
  const alike = new AlikePods(OPTIONS);
  for (const one of pods) alike.add(one);
  return finish(alike.stepGroups()).map((group) => finish(alike.stepByWorkload(group)));
};

describe('AlikePods', () => {
  const taints = (toleration: number) => [{ taint: 'a', toleration }];

  it("lists the values from a workload's template once for each workload", () => {
    expect(
      grouped([
        pod('x-0', 'x', { node: 'm', budgets: ['d/x'], taints: taints(0) }),
        pod('y-0', 'y', { node: 'n', budgets: [], taints: taints(0) }),
        pod('x-1', 'x', { node: 'o', budgets: ['d/x'], taints: taints(0) }),
      ]),
    ).toEqual([
      {
        count: 3,
        shared: { node: null, budgets: null, taints: taints(0) },
        workloads: [
          { workload: workload('x'), count: 2, pods: ['x-0', 'x-1'], values: { budgets: ['d/x'] } },
          { workload: workload('y'), count: 1, pods: ['y-0'], values: { budgets: [] } },
        ],
        columns: [{ name: 'node', values: ['m', 'o', 'n'] }],
      },
    ]);
  });

  it('separates pods of one workload that differ in such a value', () => {
    const [group] = grouped([
      pod('x-0', 'x', { node: 'm', budgets: [], taints: taints(0) }),
      pod('x-1', 'x', { node: 'm', budgets: [], taints: taints(1) }),
    ]);
    expect(group!.workloads).toEqual([
      { workload: workload('x'), count: 1, pods: ['x-0'], values: { 'taints.0.toleration': 0 } },
      { workload: workload('x'), count: 1, pods: ['x-1'], values: { 'taints.0.toleration': 1 } },
    ]);
  });

  it('yields while the many pods of a group are listed', () => {
    const alike = new AlikePods(OPTIONS);
    for (let index = 0; index < 10_000; index++)
      alike.add(pod(`p-${index}`, `w-${index % 100}`, { budgets: [index % 3] }));
    const [group] = finish(alike.stepGroups());
    expect([...alike.stepByWorkload(group!)].length).toBeGreaterThanOrEqual(10 + 100);
  });

  it.each([1, 2, 3, 4])('loses no part of a pod (seed %i)', (seed) => {
    const dice = new Dice(seed);
    const pods = Array.from({ length: 500 }, (_, place) =>
      pod(`p-${place}`, `w-${dice.below(9)}`, {
        node: `n-${dice.below(20)}`,
        action: dice.one(['at', 'never']),
        budgets: dice.some(['d/a', 'd/b'], 30),
        taints: Array.from({ length: dice.below(3) }, () => ({ taint: 'a', toleration: dice.below(3) })),
      }),
    );
    const groups = grouped(pods).map(({ shared, ...group }) => ({ ...group, ...shared }));
    expect(inOneOrder(groups.flatMap(podsOfGroup))).toEqual(inOneOrder(pods));
    expect(groups.length).toBeLessThan(7);
  });
});
