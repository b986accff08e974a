import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import type { ScenarioChange } from '../../core/scenario/scenario.js';
import { Access } from '../../auth/access.js';
import { ANONYMOUS } from '../../auth/caller.js';
import { WithheldValues } from '../withheld-values.js';
import { givenScenario } from '../reads/given-scenario.js';
import { DerivedStateCache } from './derived-state-cache.js';
import { ScenarioStates } from './scenario-states.js';

const ASKER = {
  cluster: 'c',
  context: { caller: ANONYMOUS, access: Access.everything, withheld: new WithheldValues() },
};

const node: KubernetesObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } };
const tainted = (key: string) =>
  givenScenario({ changes: [{ type: 'editNodes', nodes: ['a'], taints: [`${key}:NoSchedule`] }] });

describe('the states of scenarios', () => {
  it('return the stored state without a scenario', async () => {
    const base = ClusterState.build([node], ['Node']);
    expect(await new ScenarioStates(new DerivedStateCache()).apply(base, undefined, ASKER)).toEqual({
      state: base,
      scenario: null,
    });
  });

  it('create one state for equal scenarios, whatever the order of their members, and one for each other', async () => {
    const base = ClusterState.build([node], ['Node']);
    const states = new ScenarioStates(new DerivedStateCache());
    const change: ScenarioChange = { type: 'editNodes', nodes: ['a'], taints: ['k:NoSchedule'] };
    const turned: ScenarioChange = { taints: ['k:NoSchedule'], nodes: ['a'], type: 'editNodes' };
    const [one, same, other] = await Promise.all([
      states.apply(base, givenScenario({ changes: [change] }), ASKER),
      states.apply(base, givenScenario({ changes: [turned] }), ASKER),
      states.apply(base, tainted('j'), ASKER),
    ]);
    expect(same.state).toBe(one.state);
    expect(other.state).not.toBe(one.state);
    expect(one.scenario).toMatchObject({ changes: 1, nodes: { added: 0, removed: 0, changed: 1 }, notes: [] });
    const elsewhere = ClusterState.build([node], ['Node']);
    expect((await states.apply(elsewhere, tainted('j'), ASKER)).state).not.toBe(other.state);
  });

  it('drop the least recently used one', async () => {
    const base = ClusterState.build([node], ['Node']);
    const states = new ScenarioStates(new DerivedStateCache());
    const first = (await states.apply(base, tainted('k0'), ASKER)).state;
    const second = (await states.apply(base, tainted('k1'), ASKER)).state;
    for (let i = 2; i < 16; i++) await states.apply(base, tainted(`k${i}`), ASKER);
    expect((await states.apply(base, tainted('k0'), ASKER)).state).toBe(first);
    await states.apply(base, tainted('k16'), ASKER);
    expect((await states.apply(base, tainted('k0'), ASKER)).state).toBe(first);
    expect((await states.apply(base, tainted('k1'), ASKER)).state).not.toBe(second);
  });

  it('recompute data about pods only if pods, or the set of nodes, changed', async () => {
    const base = ClusterState.build([node], ['Node']);
    const digests = new DerivedStateCache();
    const states = new ScenarioStates(digests);
    const groups = digests.podGroups(base);
    expect(digests.podGroups((await states.apply(base, tainted('k'), ASKER)).state)).toBe(groups);
    const removed = givenScenario({ changes: [{ type: 'removeNodes', nodes: ['a'] }] });
    expect(digests.podGroups((await states.apply(base, removed, ASKER)).state)).not.toBe(groups);
  });

  it('report every error, and cache nothing', async () => {
    const base = ClusterState.build([node], ['Node']);
    const states = new ScenarioStates(new DerivedStateCache());
    const wrong = givenScenario({ changes: [{ type: 'removeNodes', nodes: ['x', 'y'] }] });
    const error = {
      code: 'invalid-scenario',
      message:
        'The scenario cannot be applied: scenario.changes[0].removeNodes.nodes[0]: nodes "x" not found (and 1 more)',
    };
    await expect(states.apply(base, wrong, ASKER)).rejects.toMatchObject(error);
    await expect(states.apply(base, wrong, ASKER)).rejects.toMatchObject(error);
  });
});
