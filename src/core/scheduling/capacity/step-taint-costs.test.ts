import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import { finish } from '../../collections/finish.js';
import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { DEFAULT_ARGUMENTS } from '../../placement/plugin-arguments.js';
import { DEFAULT_FILTERS } from '../../placement/profile.js';
import { DEFAULT_SCORES } from '../../placement/score-profile.js';
import { stepPendingPods } from '../queue/queued-work.js';
import { stepCapacity } from './step-capacity.js';
import { stepTaintCosts, type TaintCosts } from './step-taint-costs.js';

const PROFILE = {
  filters: DEFAULT_FILTERS,
  scores: DEFAULT_SCORES,
  args: DEFAULT_ARGUMENTS,
  gates: DEFAULT_GATES,
};
const node = (name: string, more: Readonly<Record<string, string>>): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
  status: { allocatable: { cpu: '4', pods: '110', ...more } },
});
const pod = (name: string, cpu = '1'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] },
});

function costs(state: ClusterState): TaintCosts {
  const question = { pod: pod('asked'), profile: PROFILE, unknowns: [] };
  const { work } = finish(stepPendingPods(state, 'default-scheduler'));
  return finish(stepTaintCosts(state, question, finish(stepCapacity(state, question)), work, {}));
}

describe('the costs of taints', () => {
  it('are the same in whatever order nodes and pods have come', () => {
    const nodes = [node('a', { 'example.com/z': '1' }), node('b', { 'example.com/a': '1', memory: '8Gi' })];
    // Of 70 kinds of pending pods, 64 are evaluated, of which the last do not fit.
    const pending = Array.from({ length: 70 }, (_, n) => pod(`p${10 + n}`, `${n < 35 ? 1000 + n : 9000 + n}m`));
    const found = costs(ClusterState.build([...nodes, ...pending], ['Node', 'Pod']));
    expect(found).toMatchObject({ pendingOmitted: 6, costs: [{ frees: 8, pendingHelped: 35 }] });
    expect(found.costs[0]!.resources.map(({ resource }) => resource)).toEqual([
      'cpu',
      'memory',
      'pods',
      'example.com/a',
      'example.com/z',
    ]);
    let state = ClusterState.empty(['Node', 'Pod']);
    for (const object of [...nodes, ...pending].reverse()) state = state.apply({ upserts: [object] });
    expect(costs(state)).toEqual(found);
  });
});
