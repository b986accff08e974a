import { describe, expect, it } from '@jest/globals';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Taint } from '../../kubernetes/objects/taints.js';
import type { RankedReason } from '../node-explanation.js';
import { changeNode } from './node-fixes.js';

const nodeOf = (taints: readonly Taint[]): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  spec: { taints, unschedulable: true },
});

const reasonOf = (code: 'NodeUnschedulable' | 'UntoleratedTaint', taint: Taint): RankedReason => ({
  plugin: code === 'NodeUnschedulable' ? code : 'TaintToleration',
  code,
  first: true,
  status: 'UnschedulableAndUnresolvable',
  message: '',
  facts: { taint },
  fields: [],
});

describe('changes of a node', () => {
  it('remove a taint as its command does, by key and effect whatever the value', () => {
    const [one, two]: readonly [Taint, Taint] = [
      { key: 'k', value: '1', effect: 'NoSchedule' },
      { key: 'k', value: '2', effect: 'NoSchedule' },
    ];
    const other: Taint = { key: 'k', value: '1', effect: 'NoExecute' };
    const { node, fixes } = changeNode(nodeOf([one, other, two]), [
      reasonOf('UntoleratedTaint', one),
      reasonOf('UntoleratedTaint', two),
    ]);
    expect(node.spec?.taints).toEqual([other]);
    expect(fixes).toMatchObject([{ kind: 'RemoveTaint', taint: one, command: 'kubectl taint nodes n k:NoSchedule-' }]);
  });

  it('take the taint of the cordon along with it, as the node lifecycle controller does', () => {
    const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', value: 'true', effect: 'NoSchedule' };
    const other: Taint = { key: 'k', effect: 'NoSchedule' };
    const { node } = changeNode(nodeOf([cordon, other]), [reasonOf('NodeUnschedulable', cordon)]);
    expect(node.spec).toMatchObject({ taints: [other], unschedulable: false });
  });
});
