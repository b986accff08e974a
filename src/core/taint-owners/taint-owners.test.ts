import { describe, expect, it } from '@jest/globals';
import type { TaintDifference } from '../audit/taint-difference.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { ownedEdits, type OwnedNode } from './taint-owners.js';

const taint = (key: string, effect = 'NoSchedule', value?: string): Taint => ({
  key,
  effect,
  ...(value !== undefined && { value }),
});
const NODE: OwnedNode = { labels: {}, annotations: undefined, ownership: undefined };
const difference = (more: Partial<TaintDifference>): TaintDifference => ({
  added: [],
  removed: [],
  changed: [],
  ...more,
});
const owners = (node: OwnedNode, more: Partial<TaintDifference>): readonly string[] =>
  ownedEdits(node, difference(more), 'kube-placement').map(
    ({ taint: { key, effect }, edit, owner }) => `${edit} ${key}:${effect} ${owner}`,
  );
const wrote = (manager: string, operation: string): OwnedNode['ownership'] => [
  { manager, operation, owns: ['spec.taints'] },
];

describe('the owner of an edited taint', () => {
  it.each([
    ['node.kubernetes.io/not-ready', 'NoSchedule', 'the node lifecycle controller of kube-controller-manager'],
    ['node.kubernetes.io/unreachable', 'NoExecute', 'the node lifecycle controller of kube-controller-manager'],
    ['node.kubernetes.io/memory-pressure', 'NoSchedule', 'the node lifecycle controller of kube-controller-manager'],
    ['node.kubernetes.io/unschedulable', 'NoSchedule', 'the node lifecycle controller of kube-controller-manager'],
    [
      'node.cloudprovider.kubernetes.io/uninitialized',
      'NoSchedule',
      'the node controller of the cloud-controller-manager',
    ],
    [
      'node.cloudprovider.kubernetes.io/shutdown',
      'NoSchedule',
      'the cloud node lifecycle controller of the cloud-controller-manager',
    ],
    ['node.cluster.x-k8s.io/uninitialized', 'NoSchedule', "Cluster API's Machine controller"],
    ['node.cluster.x-k8s.io/outdated-revision', 'PreferNoSchedule', "Cluster API's Machine controller"],
    ['karpenter.sh/disrupted', 'NoSchedule', 'Karpenter'],
    ['karpenter.sh/unregistered', 'NoExecute', 'Karpenter'],
    ['ToBeDeletedByClusterAutoscaler', 'NoSchedule', 'the cluster autoscaler'],
    ['DeletionCandidateOfClusterAutoscaler', 'PreferNoSchedule', 'the cluster autoscaler'],
    ['readiness.k8s.io/acme.com/network-unavailable', 'NoSchedule', 'the Node Readiness Controller'],
  ])('of %s:%s is %s, whether it is added or removed', (key, effect, owner) => {
    expect(owners(NODE, { added: [taint(key, effect)] })).toEqual([`added ${key}:${effect} ${owner}`]);
    expect(owners(NODE, { removed: [taint(key, effect)] })).toEqual([`removed ${key}:${effect} ${owner}`]);
  });

  it('is nobody for the taints of persons, and for effects that no controller keeps', () => {
    const own = [
      taint('dedicated'),
      taint('node.kubernetes.io/out-of-service', 'NoExecute'),
      taint('node.kubernetes.io/memory-pressure', 'NoExecute'),
      taint('startup-taint.cluster-autoscaler.kubernetes.io/gpu'),
      taint('nvidia.com/gpu'),
      taint('readiness.k8s.io/'),
    ];
    expect(owners(NODE, { added: own, removed: own })).toEqual([]);
  });

  it('is nobody for the taint that follows a cordon', () => {
    const unschedulable = taint('node.kubernetes.io/unschedulable');
    expect(owners(NODE, { cordon: 'cordoned', added: [unschedulable] })).toEqual([]);
    expect(owners(NODE, { cordon: 'uncordoned', removed: [unschedulable] })).toEqual([]);
  });

  it('is Cluster API for what its annotation lists, with or without values', () => {
    const node = {
      ...NODE,
      annotations: { 'cluster.x-k8s.io/taints-from-machine': 'gpu:NoSchedule, edge=yes:NoExecute,:NoSchedule,x' },
    };
    const removed = [taint('gpu'), taint('gpu', 'NoExecute'), taint('edge', 'NoExecute', 'no'), taint('x')];
    expect(owners(node, { removed })).toEqual([
      'removed gpu:NoSchedule Cluster API',
      'removed edge:NoExecute Cluster API',
    ]);
    const [first] = ownedEdits(node, difference({ added: [taint('gpu')] }), 'kube-placement');
    expect(first!.because).toBe("lists it in the node's annotation cluster.x-k8s.io/taints-from-machine");
  });

  it('is Karpenter for what it wrote on a node of a NodePool, not for new taints and not on other nodes', () => {
    const pool = { ...NODE, labels: { 'karpenter.sh/nodepool': 'default' }, ownership: wrote('karpenter', 'Update') };
    const edit = { added: [taint('a')], removed: [taint('b')], changed: [{ before: taint('c'), after: taint('c') }] };
    expect(owners(pool, edit)).toEqual(['changed c:NoSchedule Karpenter', 'removed b:NoSchedule Karpenter']);
    expect(owners({ ...pool, ownership: wrote('kubectl-taint', 'Update') }, edit)).toEqual([]);
    expect(owners({ ...pool, labels: {} }, edit)).toEqual([]);
  });

  it('is whoever declares the whole list by server-side apply, except the service itself', () => {
    const added = [taint('a')];
    expect(owners({ ...NODE, ownership: wrote('argocd', 'Apply') }, { added })).toEqual(['added a:NoSchedule argocd']);
    expect(owners({ ...NODE, ownership: wrote('argocd', 'Update') }, { added })).toEqual([]);
    expect(owners({ ...NODE, ownership: wrote('kube-placement', 'Apply') }, { added })).toEqual([]);
  });
});
