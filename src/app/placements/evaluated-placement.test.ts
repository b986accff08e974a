import { describe, expect, it } from '@jest/globals';
import { finish } from '../../core/collections/finish.js';
import { clusterOfPools, evaluated } from '../../../test/support/evaluated-pod.js';

describe('explanations of nodes', () => {
  it('share their lists if they differ only in the name', () => {
    const placement = evaluated(clusterOfPools(4), 1);
    const [first, second, third] = [placement.node(0), placement.node(1), placement.node(2)];
    expect([first.node, second.node]).toEqual(['n000', 'n001']);
    expect(second.reasons).toBe(first.reasons);
    expect(third.reasons).not.toEqual(first.reasons);
  });

  it('are recomputed if they have many parts', () => {
    const placement = evaluated(clusterOfPools(2), 20);
    const [first, second] = [placement.node(0), placement.node(1)];
    expect(first.reasons.length).toBeGreaterThan(16);
    expect(second.reasons).not.toBe(first.reasons);
    expect(second.reasons).toEqual(first.reasons);
  });

  it('are recomputed beyond the first 200 distinct ones', () => {
    const placement = evaluated(clusterOfPools(404), 1);
    for (let node = 0; node < 404; node += 2) placement.node(node);
    expect(placement.node(399).reasons).toBe(placement.node(398).reasons);
    expect(placement.node(401).reasons).not.toBe(placement.node(400).reasons);
  });
});

describe('fixes', () => {
  it('count once if two requests compute them at the same time', () => {
    const placement = evaluated(clusterOfPools(4), 1);
    const group = placement.groupsOf([0, 1, 2, 3])[0]!;
    for (const make of [() => placement.stepFixesOf(0), () => placement.stepFixesOfGroup(group)]) {
      const before = placement.bytesKept;
      const [first, second] = [make(), make()];
      expect(first.next().done).toBe(false);
      const made = finish<unknown>(second);
      const kept = placement.bytesKept;
      expect(kept).toBeGreaterThan(before);
      expect(finish<unknown>(first)).toEqual(made);
      expect(placement.bytesKept).toBe(kept);
    }
  });
});
