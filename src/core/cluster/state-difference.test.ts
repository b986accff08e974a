import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import { ClusterState } from './cluster-state.js';
import { stateDifference, type StateDifference } from './state-difference.js';

const node = (name: string, rest: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  ...rest,
});
const pod = (name: string, nodeName?: string, owner?: string): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: 'StatefulSet', name: owner, uid: owner, controller: true },
            ],
          }),
    },
    spec: { containers: [{ name: 'c' }], ...(nodeName === undefined ? {} : { nodeName }) },
  }) as KubernetesObject;

function compare(before: KubernetesObject[], after: KubernetesObject[]): StateDifference {
  const steps = stateDifference(
    ClusterState.build(before, ['Node', 'Pod']),
    ClusterState.build(after, ['Node', 'Pod']),
  );
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

const same = {
  taintsAdded: [],
  taintsRemoved: [],
  labels: [],
  allocatable: [],
  cordoned: null,
  ready: null,
  kubeletVersion: null,
};

describe('the difference of two states', () => {
  it('is empty for equal states, whatever the order and the notation', () => {
    const before = [node('a', { status: { allocatable: { cpu: '4', memory: '1024Mi' } } }), node('b'), pod('p', 'a')];
    const after = [pod('p', 'a'), node('b'), node('a', { status: { allocatable: { memory: '1Gi', cpu: '4000m' } } })];
    expect(compare(before, after)).toEqual({
      nodes: [],
      workloads: [],
      pods: { before: 1, after: 1, added: 0, removed: 0, moved: 0, scheduled: 0 },
    });
  });

  it('lists added and removed nodes, and each changed part of a node', () => {
    const before = [
      node('gone', { metadata: { name: 'gone', labels: { zone: 'a' } } }),
      node('kept', {
        metadata: { name: 'kept', labels: { a: '1', b: '2', constructor: 'x' } },
        spec: {
          taints: [
            { key: 'old', effect: 'NoSchedule' },
            { key: 'stays', value: 'v', effect: 'NoExecute' },
          ],
        },
        status: { allocatable: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
      }),
    ];
    const after = [
      node('come', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }),
      node('kept', {
        metadata: { name: 'kept', labels: { a: '1', b: '3', __proto__x: 'y' } },
        spec: {
          unschedulable: true,
          taints: [
            { key: 'stays', value: 'v', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
            { key: 'new', value: 'x', effect: 'NoSchedule' },
          ],
        },
        status: {
          allocatable: { cpu: '8', 'nvidia.com/gpu': '1' },
          conditions: [{ type: 'Ready', status: 'Unknown' }],
        },
      }),
    ];
    expect(compare(before, after).nodes).toEqual([
      {
        ...same,
        node: 'come',
        change: 'added',
        taintsAdded: ['k:NoSchedule'],
        cordoned: { before: null, after: false },
      },
      {
        ...same,
        node: 'gone',
        change: 'removed',
        labels: [{ name: 'zone', before: 'a', after: null }],
        cordoned: { before: false, after: null },
      },
      {
        ...same,
        node: 'kept',
        change: 'changed',
        taintsAdded: ['new=x:NoSchedule'],
        taintsRemoved: ['old:NoSchedule'],
        labels: [
          { name: '__proto__x', before: null, after: 'y' },
          { name: 'b', before: '2', after: '3' },
          { name: 'constructor', before: 'x', after: null },
        ],
        allocatable: [
          { name: 'cpu', before: '4', after: '8' },
          { name: 'nvidia.com/gpu', before: null, after: '1' },
        ],
        cordoned: { before: false, after: true },
        ready: { before: 'True', after: 'Unknown' },
      },
    ]);
  });

  it('counts added, removed, moved and scheduled pods by workload', () => {
    const before = [
      node('a'),
      node('b'),
      pod('db-0', 'a', 'db'),
      pod('db-1', 'a', 'db'),
      pod('lone'),
      pod('still', 'a'),
    ];
    const after = [
      node('a'),
      node('b'),
      pod('db-0', 'b', 'db'),
      pod('db-2', 'b', 'db'),
      pod('lone', 'a'),
      pod('still', 'a'),
    ];
    const { workloads, pods } = compare(before, after);
    expect(workloads).toEqual([
      {
        kind: 'Pod',
        namespace: 'default',
        name: 'lone',
        before: 1,
        after: 1,
        added: 0,
        removed: 0,
        moved: 0,
        scheduled: 1,
      },
      {
        kind: 'StatefulSet',
        namespace: 'default',
        name: 'db',
        before: 2,
        after: 2,
        added: 1,
        removed: 1,
        moved: 1,
        scheduled: 0,
      },
    ]);
    expect(pods).toEqual({ before: 4, after: 4, added: 1, removed: 1, moved: 1, scheduled: 1 });
  });

  it('yields often', () => {
    const pods = Array.from({ length: 3000 }, (_, i) => pod(`p${i}`));
    const state = ClusterState.build(pods, ['Pod']);
    expect([...stateDifference(state, state)].length).toBeGreaterThan(20);
  });
});
