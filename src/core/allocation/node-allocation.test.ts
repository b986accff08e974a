import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Container, Pod } from '../kubernetes/objects/pod.js';
import { nodeAllocation, stepNodeAllocations, type NodeAllocationSummary } from './node-allocation.js';
import { stepOverheadCost, type OverheadSum } from './step-overhead-cost.js';

const KATA = { cpu: '250m', memory: '120Mi' };

const node = (name: string, allocatable: Readonly<Record<string, string>>): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { allocatable },
});

const container = (requests: Readonly<Record<string, string>>, name = 'app'): Container => ({
  name,
  resources: { requests },
});

interface PodWords {
  readonly namespace?: string;
  readonly node?: string;
  readonly requests?: Readonly<Record<string, string>>;
  readonly overhead?: Readonly<Record<string, string>>;
  readonly runtimeClassName?: string;
  readonly status?: Pod['status'];
}

const pod = (name: string, { namespace = 'shop', node: nodeName, requests = {}, status, ...spec }: PodWords): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, creationTimestamp: '2026-01-15T12:00:00Z' },
  spec: { containers: [container(requests)], ...(nodeName !== undefined && { nodeName }), ...spec },
  ...(status !== undefined && { status }),
});

const stateOf = (...objects: readonly (Node | Pod)[]): ClusterState => ClusterState.build(objects, ['Node', 'Pod']);

function finished<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const room = ({ room: rows }: NodeAllocationSummary): string[] =>
  rows.map(({ resource, allocatable, requested, overhead, free }) =>
    [resource, allocatable, requested, overhead, free].join(' '),
  );
const sums = ({ resources }: NodeAllocationSummary): string[] =>
  resources.map(({ resource, requests }) => `${resource} ${requests.quantity.toString()} ${requests.percent ?? '-'}`);

const A = node('a', { cpu: '4', memory: '8Gi', pods: '110', 'nvidia.com/gpu': '1', 'example.com/none': '0' });

describe('nodeAllocation', () => {
  it('reports the requests, the overhead in them, and the free amounts', () => {
    const state = stateOf(
      A,
      pod('kata', { node: 'a', requests: { cpu: '2', memory: '200Mi' }, overhead: KATA }),
      pod('plain', { node: 'a', requests: { cpu: '2', 'nvidia.com/gpu': '2' } }),
      pod('done', { node: 'a', requests: { cpu: '4' }, overhead: KATA, status: { phase: 'Succeeded' } }),
      pod('elsewhere', { requests: { cpu: '4' }, overhead: KATA }),
    );
    const allocation = nodeAllocation(state, 0);
    expect(room(allocation)).toEqual([
      'cpu 4000 4250 250 -250',
      'memory 8589934592 335544320 125829120 8254390272',
      'ephemeral-storage 0 0 0 0',
      'pods 110 2 0 108',
      'nvidia.com/gpu 1 2 0 -1',
    ]);
    expect(sums(allocation)).toEqual([
      'cpu 4250m 106',
      'memory 320Mi 3',
      'ephemeral-storage 0 0',
      'example.com/none 0 -',
      'nvidia.com/gpu 2 -',
    ]);
    expect(allocation.pods.map(({ share }) => [share.name, share.creationTimestamp])).toEqual([
      ['kata', '2026-01-15T12:00:00Z'],
      ['plain', '2026-01-15T12:00:00Z'],
    ]);
  });

  it('counts for the scheduler the resources that a resize has not released, which kubectl shows only in the row', () => {
    const resized = { containerStatuses: [{ name: 'app', allocatedResources: { cpu: '3' }, resources: {} }] };
    const state = stateOf(A, pod('p', { node: 'a', requests: { cpu: '1' }, status: resized }));
    const allocation = nodeAllocation(state, 0);
    expect(allocation.pods[0]!.cpuRequests.quantity.toString()).toBe('3');
    expect(sums(allocation)[0]).toBe('cpu 1 25');
    expect(room(allocation)[0]).toBe('cpu 4000 3000 0 1000');
  });

  it('treats a pod or a node with invalid quantities as empty', () => {
    const state = stateOf(node('a', { cpu: 'many' }), pod('p', { node: 'a', requests: { cpu: 'much' } }));
    expect(sums(nodeAllocation(state, 0))[0]).toBe('cpu 0 0');
    expect(sums(finished(stepNodeAllocations(state))[0]!)[0]).toBe('cpu 0 0');
  });
});

describe('stepNodeAllocations', () => {
  it('equals nodeAllocation, in whatever order pods with different notations are stored', () => {
    const pods = [
      pod('z', { namespace: 'a', node: 'a', requests: { memory: '64Mi' } }),
      pod('a', { namespace: 'b', node: 'a', requests: { memory: '100M' } }),
      pod('b', { namespace: 'a', node: 'b', requests: { memory: '100M' } }),
      pod('c', { namespace: 'a', node: 'b', requests: { memory: '64Mi' }, overhead: KATA }),
      pod('zero', { namespace: 'a', node: 'b', requests: { memory: '0' } }),
    ];
    for (const order of [pods, [...pods].reverse()]) {
      const state = stateOf(A, node('b', { cpu: '4', memory: '1Gi' }), node('c', {}), ...order);
      const summaries = finished(stepNodeAllocations(state));
      expect(summaries.map((summary) => sums(summary)[1])).toEqual([
        'memory 167108864 1',
        'memory 292937984 27',
        'memory 0 0',
      ]);
      for (const summary of summaries) {
        const whole = nodeAllocation(state, summary.node);
        expect([sums(summary), room(summary), summary.podCount]).toEqual([sums(whole), room(whole), whole.pods.length]);
      }
    }
  });
});

describe('stepOverheadCost', () => {
  it('reports the overhead of nodes, namespaces, runtime classes and the cluster', () => {
    const state = stateOf(
      A,
      node('b', {}),
      pod('k1', { node: 'a', overhead: KATA, runtimeClassName: 'kata' }),
      pod('k2', { node: 'b', overhead: KATA, runtimeClassName: 'kata', namespace: 'lab' }),
      pod('g', { node: 'a', overhead: { cpu: '100m' }, runtimeClassName: 'gvisor' }),
      pod('bare', { node: 'a', overhead: { memory: '1Mi' } }),
      pod('waiting', { overhead: KATA, runtimeClassName: 'kata' }),
      pod('lost', { node: 'gone', overhead: KATA, runtimeClassName: 'kata' }),
      pod('done', { node: 'a', overhead: KATA, runtimeClassName: 'kata', status: { phase: 'Failed' } }),
      pod('free', { node: 'a', runtimeClassName: 'runc' }),
    );
    const { cluster, nodes, namespaces, runtimeClasses } = finished(stepOverheadCost(state));
    const text = ({ pods, amounts }: OverheadSum): string =>
      [pods, ...[...amounts].map(([resource, amount]) => `${resource}=${amount}`)].join(' ');
    const MI = 2 ** 20;
    expect([text(cluster.scheduled), text(cluster.waiting)]).toEqual([
      `4 cpu=600 memory=${241 * MI}`,
      `2 cpu=500 memory=${240 * MI}`,
    ]);
    expect(nodes.map(({ node: index, scheduled }) => [state.nodes.name(index), text(scheduled)])).toEqual([
      ['a', `3 cpu=350 memory=${121 * MI}`],
      ['b', `1 cpu=250 memory=${120 * MI}`],
    ]);
    expect(namespaces.map(({ name, scheduled, waiting }) => [name, text(scheduled), text(waiting)])).toEqual([
      ['lab', `1 cpu=250 memory=${120 * MI}`, '0'],
      ['shop', `3 cpu=350 memory=${121 * MI}`, `2 cpu=500 memory=${240 * MI}`],
    ]);
    expect(runtimeClasses.map(({ name, scheduled, waiting }) => [name, text(scheduled), text(waiting)])).toEqual([
      ['', `1 memory=${MI}`, '0'],
      ['gvisor', '1 cpu=100', '0'],
      ['kata', `2 cpu=500 memory=${240 * MI}`, `2 cpu=500 memory=${240 * MI}`],
    ]);
  });
});
