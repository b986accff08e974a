import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { STOCK_ADMISSION } from '../admission/admission-configuration.js';
import { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import { namespaceCapacity, waitingPods } from './namespace-capacity.js';
import { NodeRooms } from './node-rooms.js';

const GATES = DEFAULT_GATES;

const node = (name: string, spec: Node['spec'] = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec,
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } },
});

interface PodParts {
  readonly nodeName?: string;
  readonly cpu?: string;
  readonly phase?: string;
  readonly isDeleted?: boolean;
  readonly tolerations?: readonly Toleration[];
}

const pod = (name: string, { nodeName, cpu = '1', phase, isDeleted, tolerations }: PodParts = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'team', ...(isDeleted === true && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
  spec: {
    containers: [{ name: 'c', resources: { requests: { cpu } } }],
    ...(nodeName !== undefined && { nodeName }),
    ...(tolerations && { tolerations }),
  },
  status: { phase: phase ?? (nodeName === undefined ? 'Pending' : 'Running') },
});

const stateOf = (...objects: (Node | Pod)[]): ClusterState => ClusterState.build(objects, ['Node', 'Pod', 'Namespace']);
const all = ({ pods }: ClusterState): readonly number[] => Array.from({ length: pods.count }, (_, index) => index);

describe('NodeRooms', () => {
  it('ignores the overcommitment of one node on the others', () => {
    const state = stateOf(node('a'), node('b'), pod('p', { nodeName: 'a', cpu: '7' }), pod('q', { nodeName: 'b' }));
    const { allocatable, free } = new NodeRooms(state, GATES).roomOf([0, 1], 'cpu');
    expect([allocatable.toString(), free.toString()]).toEqual(['8', '3']);
  });

  it('counts the nodes whose cordon and whose NoSchedule and NoExecute taints are tolerated', () => {
    const state = stateOf(
      node('open'),
      node('soft', { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] }),
      node('hard', { taints: [{ key: 'x', effect: 'NoSchedule' }] }),
      node('leaving', { taints: [{ key: 'x', effect: 'NoExecute' }] }),
      node('cordoned', { unschedulable: true }),
    );
    const rooms = new NodeRooms(state, GATES);
    const names = (...tolerations: Toleration[]) =>
      rooms
        .nodesFor(tolerations)
        .map((index) => state.nodes.name(index))
        .sort();
    expect(names()).toEqual(['open', 'soft']);
    expect(names({ key: 'x', operator: 'Exists', effect: 'NoSchedule' })).toEqual(['hard', 'open', 'soft']);
    expect(names({ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' })).toEqual([
      'cordoned',
      'open',
      'soft',
    ]);
    expect(names({ operator: 'Exists' })).toHaveLength(5);
  });
});

describe('namespaceCapacity and waitingPods', () => {
  const wide: Toleration = { operator: 'Exists' };

  it("includes the nodes that the namespace's pods tolerate, unless the pods have ended", () => {
    const state = stateOf(
      node('open'),
      node('tainted', { taints: [{ key: 'x', effect: 'NoSchedule' }] }),
      pod('plain', { nodeName: 'open' }),
      pod('over', { nodeName: 'tainted', phase: 'Succeeded', tolerations: [wide] }),
    );
    const question = { namespace: 'team', usages: [], pods: all(state), configuration: STOCK_ADMISSION, now: 0 };
    const { groups, nodes } = namespaceCapacity(state, new NodeRooms(state, GATES), question);
    expect(groups.filter(({ of }) => of === 'stored').map(({ pods }) => pods)).toEqual([1]);
    expect([...nodes]).toEqual([state.nodes.indexOf('open')]);
  });

  it('returns pods without a node that have not ended and are not being deleted, the largest group first', () => {
    const state = stateOf(
      node('open'),
      pod('a', { cpu: '2' }),
      pod('c'),
      pod('b'),
      pod('bound', { nodeName: 'open' }),
      pod('over', { phase: 'Failed' }),
      pod('leaving', { isDeleted: true }),
    );
    const names = waitingPods(state, all(state)).map(({ pods }) => pods.map((index) => state.pods.name(index)));
    expect(names).toEqual([['b', 'c'], ['a']]);
  });
});
