import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import { DEFAULT_LIFECYCLE_PARAMETERS } from './lifecycle-parameters.js';
import { stepOutageBounds } from './outage-bounds.js';
import { stepOutage, type Outage } from './outage.js';

const node = (name: string, zone: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});

const STATE = ClusterState.build(
  [1, 2, 3, 4, 5, 6, 7, 8].map((index) => node(`n${index}`, index < 6 ? 'a' : 'b')),
  ['Node'],
);
const OPTIONS = { parameters: DEFAULT_LIFECYCLE_PARAMETERS, fromAt: 0, untilAt: 300_000 };

function resultOf<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('stepOutageBounds', () => {
  it('returns the interval of each turn of a zone that reports not ready', () => {
    const outages: Outage[] = [{ nodes: [0, 1], fromAt: 0, how: 'notReady' }];
    expect(resultOf(stepOutageBounds(STATE, outages, OPTIONS))).toEqual([
      { zone: 'a', turn: 1, earliestAt: 0, latestAt: 5099 },
      { zone: 'a', turn: 2, earliestAt: 10_000, latestAt: 15_199 },
    ]);
  });

  it('allows for a lease that was due, and for one more pass, if nodes go silent', () => {
    const outages: Outage[] = [{ nodes: [0], fromAt: 0, how: 'silent' }];
    expect(resultOf(stepOutageBounds(STATE, outages, OPTIONS))).toEqual([
      { zone: 'a', turn: 1, earliestAt: 40_000, latestAt: 60_099 },
    ]);
  });

  it('returns no latest time for a turn that may not come', () => {
    const outages: Outage[] = [{ nodes: [0], fromAt: 0, untilAt: 3000, how: 'notReady' }];
    expect(resultOf(stepOutageBounds(STATE, outages, OPTIONS))).toEqual([
      { zone: 'a', turn: 1, earliestAt: 0, latestAt: undefined },
    ]);
  });

  it('returns no latest time for a turn that may come after the end of the interval', () => {
    const outages: Outage[] = [{ nodes: [0], fromAt: 0, how: 'notReady' }];
    expect(resultOf(stepOutageBounds(STATE, outages, { ...OPTIONS, untilAt: 5000 }))).toEqual([
      { zone: 'a', turn: 1, earliestAt: 0, latestAt: undefined },
    ]);
  });

  it('returns no turn before the beginning of the interval', () => {
    const outages: Outage[] = [{ nodes: [0], fromAt: -45_000, how: 'silent' }];
    expect(resultOf(stepOutageBounds(STATE, outages, OPTIONS))).toMatchObject([{ turn: 1, earliestAt: 0 }]);
  });

  it('depends on whether a pass comes before one of three failing nodes of five has recovered', () => {
    const outages: Outage[] = [
      { nodes: [0], fromAt: 0, untilAt: 3000, how: 'notReady' },
      { nodes: [1, 2], fromAt: 0, how: 'notReady' },
    ];
    // A pass before the recovery stops the queue, which restarts at the next pass without a token.
    expect(resultOf(stepOutageBounds(STATE, outages, OPTIONS))).toEqual([
      { zone: 'a', turn: 1, earliestAt: 3000, latestAt: 18_099 },
      { zone: 'a', turn: 2, earliestAt: 13_000, latestAt: 28_199 },
    ]);
  });

  it('includes the first and the last phase in a sample of phases', () => {
    const others = Array.from({ length: 20 }, (_, index): Outage => {
      const fromAt = 50 + 100 * index;
      return { nodes: [5], fromAt, untilAt: fromAt + 10, how: 'notReady' };
    });
    const outages: Outage[] = [{ nodes: [0], fromAt: 0, how: 'notReady' }, ...others];
    expect(resultOf(stepOutageBounds(STATE, outages, OPTIONS))[0]).toEqual({
      zone: 'a',
      turn: 1,
      earliestAt: 0,
      latestAt: 5099,
    });
  });

  it('contains the turns of every phase', () => {
    const outages: Outage[] = [
      { nodes: [0, 1], fromAt: 1700, how: 'notReady' },
      { nodes: [5], fromAt: 33_300, untilAt: 120_000, how: 'silent' },
    ];
    const bounds = resultOf(stepOutageBounds(STATE, outages, OPTIONS));
    expect(bounds.map(({ zone, turn }) => `${zone}${turn}`)).toEqual(['a1', 'a2', 'b1']);
    for (let phaseMs = 0; phaseMs < 5000; phaseMs += 100) {
      const { changes } = resultOf(stepOutage(STATE, outages, { ...OPTIONS, phaseMs }));
      const turns = changes.filter(({ cause }) => cause === 'turn').map(({ at }) => at);
      expect(turns).toHaveLength(3);
      for (const [index, { earliestAt, latestAt }] of bounds.entries()) {
        expect(turns[index]).toBeGreaterThanOrEqual(earliestAt);
        expect(turns[index]).toBeLessThanOrEqual(latestAt!);
      }
    }
  });
});
