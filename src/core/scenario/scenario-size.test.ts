import { expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { applyScenario } from './apply-scenario.js';
import type { ScenarioChange } from './scenario.js';

const state = ClusterState.build(
  Array.from({ length: 300 }, (_, i) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${i}` } })),
  ['Node', 'Pod'],
);

it('a scenario is refused if it makes too many edits, including the labels of the nodes', () => {
  const changes = Array.from({ length: 30 }, (_, change): ScenarioChange => ({
    type: 'editNodes',
    allNodes: true,
    labels: Array.from({ length: 100 }, (_, i) => `c${change}-${i}=v`),
  }));
  expect(applyScenario(state, { changes: changes.slice(0, 5) }).outcome).toBe('applied');
  expect(applyScenario(state, { changes })).toMatchObject({
    outcome: 'refused',
    faults: [{ code: 'scenario-too-large', message: expect.stringContaining('at most 2000000 edits of nodes') }],
  });
});
