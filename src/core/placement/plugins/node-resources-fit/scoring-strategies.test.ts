import { DEFAULT_GATES } from '../../../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../../cluster/cluster-state.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import { DEFAULT_ARGUMENTS } from '../../plugin-arguments.js';
import type { ScoringStrategy } from './arguments.js';
import { nodeResourcesFitScore } from './score.js';
import { strategyOf } from './scoring-strategies.js';

const NODE = {
  apiVersion: 'v1',
  kind: 'Node' as const,
  metadata: { name: 'n' },
  status: { allocatable: { cpu: '4', memory: '4Gi', 'ephemeral-storage': '4Gi', pods: '10' } },
};

/** The score of the node for a pod with some requests. */
function scoreOf(requests: Record<string, string>, scoringStrategy: ScoringStrategy): number | undefined {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'd' },
    spec: { containers: [{ name: 'c', resources: { requests } }] },
  };
  const args = { ...DEFAULT_ARGUMENTS, nodeResourcesFit: { ...DEFAULT_ARGUMENTS.nodeResourcesFit, scoringStrategy } };
  const state = ClusterState.build([NODE], ['Node', 'Pod']);
  const gates = DEFAULT_GATES;
  const scored = nodeResourcesFitScore.score({ state, pod, gates, nodes: Int32Array.of(0), args });
  return scored.outcome === 'Score' ? scored.raw[0] : undefined;
}

const resources = ['cpu', 'memory', 'ephemeral-storage'].map((name) => ({ name, weight: 1 }));
const rising = { shape: [0, 100].map((utilization) => ({ utilization, score: utilization / 10 })) };

describe('strategies of scoring', () => {
  it('rounds the mean of a shape, and leaves out what scores nothing', () => {
    // 50 and 25: 37.5; the disk scores 0 and weighs nothing.
    const strategy = { type: 'RequestedToCapacityRatio', resources, requestedToCapacityRatio: rising } as const;
    expect(scoreOf({ cpu: '2', memory: '1Gi' }, strategy)).toBe(38);
  });

  it('cuts the mean of the most allocated, of which every resource counts', () => {
    expect(scoreOf({ cpu: '2', memory: '1Gi' }, { type: 'MostAllocated', resources })).toBe(25);
    expect(scoreOf({ cpu: '3', memory: '1Gi' }, { type: 'LeastAllocated', resources: resources.slice(0, 2) })).toBe(50);
  });

  it('reads a falling shape with what is cut towards zero, flat beyond its ends', () => {
    const shape = [
      { utilization: 20, score: 10 },
      { utilization: 70, score: 3 },
    ];
    const { resource } = strategyOf({
      type: 'RequestedToCapacityRatio',
      resources,
      requestedToCapacityRatio: { shape },
    });
    expect([10, 20, 53, 70, 90, 200].map((requested) => resource(requested, 100))).toEqual([100, 100, 54, 30, 30, 30]);
  });

  it('takes more than there is for full', () => {
    expect(strategyOf({ type: 'MostAllocated', resources }).resource(9, 4)).toBe(100);
    expect(strategyOf({ type: 'LeastAllocated', resources }).resource(9, 4)).toBe(0);
  });
});
