import { expect, it } from '@jest/globals';
import { ClusterState } from '../../../cluster/cluster-state.js';
import { rulesOfMinor, withGates } from '../../../kubernetes/kubernetes-rules.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import { evaluatePlacement } from '../../evaluate-placement.js';
import { NAME } from './node-resources-fit.js';

it('has no node for a stored pod with sidecars where their gate is off', () => {
  const node = {
    apiVersion: 'v1',
    kind: 'Node' as const,
    metadata: { name: 'a' },
    status: { allocatable: { pods: '9' } },
  };
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'd' },
    spec: { containers: [{ name: 'c' }], initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }] },
  };
  const under = (minor: number, asked = pod): unknown => {
    const rules = withGates(rulesOfMinor(minor), { SidecarContainers: false });
    const placement = evaluatePlacement(ClusterState.build([node], ['Node', 'Pod'], rules), {
      pod: asked,
      filterNames: [NAME],
    });
    return placement
      .explainNode(0)
      .reasons.map(({ code, status, message, fields }) => [
        code,
        status,
        message,
        fields.map(({ pointer }) => pointer),
      ]);
  };
  expect(under(32)).toEqual([
    [
      'SidecarsDisabled',
      'UnschedulableAndUnresolvable',
      'Pod has a restartable init container and the SidecarContainers feature is disabled',
      ['/spec/initContainers/1/restartPolicy'],
    ],
  ]);
  expect(under(32, { ...pod, spec: { containers: [{ name: 'c' }], initContainers: [{ name: 'i' }] } })).toEqual([]);
  // The gate is locked.
  expect(under(33)).toEqual([]);
});
