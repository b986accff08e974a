import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { outOfTreeFilter } from '../placement/out-of-tree-filter.js';
import { DEFAULT_PROFILE } from '../scheduler-configuration/default-profile.js';
import { NodeRanking, rankPlacement } from './node-ranking.js';
import { profilePlugins } from './profile-plugins.js';
import { schedulePod } from './schedule-pod.js';

const PROFILE = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);

const node = (name: string, cpu: string, taint?: string): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    ...(taint === undefined ? {} : { spec: { taints: [{ key: taint, effect: 'PreferNoSchedule' }] } }),
    status: { allocatable: { cpu, memory: '8Gi', pods: '10' } },
  }) as KubernetesObject;

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked', namespace: 'default' },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
};

const STATE = ClusterState.build(
  [node('a', '4', 'busy'), node('b', '4'), node('c', '8'), node('d', '8'), node('e', '500m')],
  ['Node', 'Pod'],
);

const ranked = (seed?: number): NodeRanking =>
  rankPlacement(evaluatePlacement(STATE, { pod: POD }), PROFILE, seed === undefined ? {} : { seed });

const names = (ranking: NodeRanking): readonly (readonly [string, number, number])[] =>
  ranking.nodes().map(({ node: index, rank, total }) => [STATE.nodes.name(index), rank, total]);

describe('a ranking of nodes', () => {
  it('has the feasible nodes in descending order of totals, and gives equal totals the same rank', () => {
    expect(names(ranked()).map(([name, rank]) => [name, rank])).toEqual([
      ['c', 1],
      ['d', 1],
      ['b', 3],
      ['a', 4],
    ]);
    expect(ranked().tied).toBe(2);
  });

  it('has the total of the decision, which is the sum of its parts', () => {
    const [first] = ranked().nodes(0, 1);
    expect(schedulePod(STATE, POD, PROFILE)).toMatchObject({
      outcome: 'placed',
      node: first!.node,
      total: first!.total,
    });
    expect(first!.scores.reduce((sum, { weighted }) => sum + (weighted ?? 0), 0)).toBe(first!.total);
    const fit = first!.scores.find(({ plugin }) => plugin === 'NodeResourcesFit');
    expect(fit).toMatchObject({
      raw: 87,
      normalized: 87,
      weighted: 87,
      arithmetic: {
        terms: [
          { of: 'cpu', score: 87 },
          { of: 'memory', score: 87 },
        ],
      },
    });
  });

  it('draws the first of the best nodes by a seed, reproducibly, and each of them for some seed', () => {
    const firsts = Array.from({ length: 20 }, (_, seed) => names(ranked(seed))[0]![0]);
    expect(new Set(firsts)).toEqual(new Set(['c', 'd']));
    expect(Array.from({ length: 20 }, (_, seed) => names(ranked(seed))[0]![0])).toEqual(firsts);
    const drawn = Array.from({ length: 20 }, (_, seed) => seed).find((seed) => firsts[seed] === 'd')!;
    expect(names(ranked(drawn)).map(([name]) => name)).toEqual(['d', 'c', 'b', 'a']);
  });

  it('explains the difference between two nodes, which is empty for tied ones', () => {
    expect(ranked().difference()).toMatchObject({ margin: 0, scores: [] });
    const [, , , last] = ranked().nodes();
    const { margin, scores } = ranked().difference(last!.node)!;
    expect(scores[0]).toEqual({ plugin: 'TaintToleration', ahead: 300, behind: 0, difference: 300 });
    expect(scores.reduce((sum, { difference }) => sum + difference, 0)).toBe(margin);
  });

  it('returns the rank of a requested node, and undefined for infeasible ones', () => {
    expect(ranked().node(1)).toMatchObject({ rank: 3 });
    expect(ranked().node(4)).toBeUndefined();
    expect(ranked().difference(4)).toBeUndefined();
  });

  it('is uncertain if a filter is unknown, and then ranks the nodes that no filter refuses', () => {
    const filters = [...PROFILE.filters, outOfTreeFilter('Coscheduling', false)];
    const ranking = rankPlacement(evaluatePlacement(STATE, { pod: POD, filters }), { ...PROFILE, filters });
    expect(ranking.uncertain).toEqual(['Coscheduling']);
    expect(ranking.count).toBe(4);
  });

  it('sorts totals that are far apart', () => {
    const totals = Float64Array.of(5, 3_000_000, 5, 9);
    const ranking = new NodeRanking({ nodes: Int32Array.of(0, 1, 2, 3), plugins: [], totals });
    expect(ranking.nodes().map(({ node: index, rank }) => [index, rank])).toEqual([
      [1, 1],
      [3, 2],
      [0, 3],
      [2, 3],
    ]);
  });

  it('is empty without nodes', () => {
    const ranking = new NodeRanking({ nodes: new Int32Array(), plugins: [], totals: new Float64Array() });
    expect([ranking.count, ranking.tied, ranking.difference()]).toEqual([0, 0, undefined]);
  });
});
