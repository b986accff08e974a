import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { NodeReadinessRule } from '../kubernetes/objects/node-readiness.js';
import { readinessRuleText } from './readiness-rules.js';

const TAINT = { key: 'readiness.k8s.io/gpu', effect: 'NoSchedule' };
const rule = (name: string, spec: NodeReadinessRule['spec']): NodeReadinessRule => ({
  apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
  kind: 'NodeReadinessRule',
  metadata: { name },
  spec: {
    taint: TAINT,
    conditions: [
      { type: 'example.com/GPUReady', requiredStatus: 'True' },
      { type: 'example.com/Burning', requiredStatus: 'False' },
    ],
    nodeSelector: { matchLabels: { pool: 'gpu' } },
    enforcementMode: 'bootstrap-only',
    ...spec,
  },
});
const text = (...rules: NodeReadinessRule[]): string | undefined =>
  readinessRuleText(ClusterState.build(rules, ['NodeReadinessRule']), TAINT);

describe('the rule behind a readiness taint', () => {
  it('is named with its nodes, conditions and mode', () => {
    expect(text(rule('gpu-ready', {}))).toBe(
      'NodeReadinessRule gpu-ready sets it on nodes with pool=gpu until example.com/GPUReady is True and example.com/Burning is False, and does not set it again afterwards (bootstrap-only).',
    );
    expect(text(rule('any', { conditionPolicy: 'anyOf', enforcementMode: 'continuous', nodeSelector: {} }))).toBe(
      'NodeReadinessRule any sets it on nodes until example.com/GPUReady is True or example.com/Burning is False, and sets it again whenever that is lost.',
    );
  });

  it('is not one that only previews, or that has another effect', () => {
    const none = 'No NodeReadinessRule of this cluster sets it, so the controller does not remove it.';
    expect(text(rule('preview', { dryRun: true }))).toBe(none);
    expect(text(rule('other', { taint: { ...TAINT, effect: 'NoExecute' } }))).toBe(none);
  });

  it('is unknown without the kind, and for other keys', () => {
    expect(readinessRuleText(ClusterState.build([], []), TAINT)).toBeUndefined();
    const state = ClusterState.build([rule('gpu-ready', {})], ['NodeReadinessRule']);
    expect(readinessRuleText(state, { key: 'gpu', effect: 'NoSchedule' })).toBeUndefined();
  });
});
