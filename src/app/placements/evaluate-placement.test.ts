import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import type { ReadState } from '../reads/read-state.js';
import { ServiceMetrics } from '../service-metrics.js';
import { EvaluatePlacement } from './evaluate-placement.js';
import { EvaluatedPlacements } from './evaluated-placements.js';

const NODES = 2000;
const state = ClusterState.build(
  Array.from({ length: NODES }, (_, i) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${i}` } })),
  ['Node', 'Pod'],
);
const basis = {
  cluster: 'c',
  revision: 1,
  capturedAt: new Date(0),
  ageSeconds: 0,
  kubernetesVersion: null,
  rulesSource: 'default' as const,
  featureGates: [],
  rulesVersion: 'v1.36.2',
  intents: { unconfirmedNodes: 0, included: true },
  scenario: null,
  harmlessWebhooks: [],
  decisionId: 'd',
};
// Placements on a loaded state read nothing.
const useCase = new EvaluatePlacement(
  undefined as unknown as ReadState,
  new EvaluatedPlacements(),
  new ServiceMetrics(),
);

/** A term counts one, and so does each of its expressions. */
const OF_A_TERM = 100;

function infeasible(requirements: number): number {
  const [terms, more] = [Math.floor(requirements / OF_A_TERM), requirements % OF_A_TERM];
  const nodeSelectorTerms = Array.from({ length: terms }, (_, term) => ({
    matchExpressions: Array.from({ length: OF_A_TERM - 1 }, (_, i) => ({
      key: `label-${term}-${i}`,
      operator: 'Exists',
    })),
  }));
  const nodeSelector = Object.fromEntries(Array.from({ length: more }, (_, i) => [`label-${i}`, 'v']));
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
  const spec = { containers: [{ name: 'c' }], nodeSelector, ...(terms > 0 && { affinity }) };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
  return useCase.evaluate({ pod }, { basis, state }).evaluated.placement.counts.infeasible;
}

describe('a pod with very many node requirements', () => {
  it('is evaluated if that does not block other requests', () => {
    expect(infeasible(5000)).toBe(NODES);
  });

  it('is rejected beyond the limit, before the evaluation', () => {
    expect(() => infeasible(5001)).toThrow(
      'The pod has 5001 requirements and terms of node selector and node affinity; on 2000 nodes at most 5000 are evaluated.',
    );
  });

  it('does not retain labels that no node has', () => {
    infeasible(10);
    expect(state.nodes.labelColumn('label-1')).toBeUndefined();
    expect(state.nodes.labelKeys()).toEqual([]);
  });
});
