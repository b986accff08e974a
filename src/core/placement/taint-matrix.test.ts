import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import { DEFAULT_GATES, gatesOf } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { TaintMatrix } from './taint-matrix.js';

const node = (name: string, ...taints: Taint[]): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints },
});
const pod = (name: string, ...tolerations: Toleration[]): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [], tolerations },
});

describe('every pod against every node on taints', () => {
  const state = ClusterState.build(
    [
      node('plain'),
      node('soft', { key: 'a', effect: 'PreferNoSchedule' }),
      node('hard', { key: 'a', value: '1', effect: 'NoSchedule' }),
      node('hardest', { key: 'a', value: '1', effect: 'NoSchedule' }, { key: 'b', effect: 'NoExecute' }),
      pod('bare'),
      pod('twin'),
      pod('key', { key: 'a', operator: 'Exists' }),
      pod('all', { operator: 'Exists' }),
      pod('compares', { key: 'a', operator: 'Gt', value: '0' }),
    ],
    ['Node', 'Pod'],
  );
  const tolerated = (comparisonOperators: boolean): Record<string, readonly string[]> => {
    const matrix = new TaintMatrix(state, gatesOf(DEFAULT_RULES, comparisonOperators));
    const nodes = Array.from({ length: state.nodes.count }, (_, index) => index);
    return Object.fromEntries(
      Array.from({ length: state.pods.count }, (_, index) => [
        state.pods.name(index),
        nodes.filter((at) => matrix.tolerates(index, at)).map((at) => state.nodes.name(at)),
      ]),
    );
  };

  it('lets PreferNoSchedule pass and asks for every NoSchedule and NoExecute taint', () => {
    expect(tolerated(false)).toEqual({
      bare: ['plain', 'soft'],
      twin: ['plain', 'soft'],
      key: ['hard', 'plain', 'soft'],
      all: ['hard', 'hardest', 'plain', 'soft'],
      compares: ['plain', 'soft'],
    });
  });

  it('compares only where the feature gate is on', () => {
    expect(tolerated(true)['compares']).toEqual(['hard', 'plain', 'soft']);
  });

  it('counts what it lists', () => {
    const matrix = new TaintMatrix(state, DEFAULT_GATES);
    expect([...matrix.nodesByPod()].sort()).toEqual([2, 2, 2, 3, 4]);
    const key = state.pods.indexOf('default', 'key');
    expect(matrix.nodesByPod()[key]).toBe(3);
    expect(matrix.nodesOf(key).map((at) => state.nodes.name(at))).toEqual(['hard', 'plain', 'soft']);
    const hardest = state.nodes.indexOf('hardest');
    expect(matrix.podsByNode()[hardest]).toBe(1);
    expect(matrix.podsOf(hardest).map((at) => state.pods.name(at))).toEqual(['all']);
  });

  it('leaves out sets that no pod and no node has any more', () => {
    const less = state.apply({ deletes: [{ kind: 'Pod', namespace: 'default', name: 'all' }] });
    expect(new TaintMatrix(less, DEFAULT_GATES).podsByNode()[less.nodes.indexOf('hardest')]).toBe(0);
  });
});
