import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { DEFAULT_ARGUMENTS } from '../../placement/plugin-arguments.js';
import { DEFAULT_FILTERS } from '../../placement/profile.js';
import { DEFAULT_SCORES } from '../../placement/score-profile.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import type { QueuedWork } from './queued-work.js';
import { stepQueue } from './step-queue.js';
import { stepUnblocking, type Unblockings } from './step-unblocking.js';

const PROFILE: SchedulingProfile = {
  filters: DEFAULT_FILTERS,
  scores: DEFAULT_SCORES,
  args: DEFAULT_ARGUMENTS,
  gates: DEFAULT_GATES,
};
const GPU = { key: 'gpu', value: 'yes', effect: 'NoSchedule' } as const;

const node = (name: string, cpu: string, spec: object = {}): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec,
    status: { allocatable: { cpu, memory: '16Gi', pods: '110' } },
  }) as KubernetesObject;
const waiting = (workload: string, cpu: string, replicas: number): QueuedWork => ({
  pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'default',
      name: workload,
    },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] },
  } satisfies Pod,
  replicas,
  since: '',
  workload: { kind: 'Deployment', namespace: 'default', name: workload },
});

function finished<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
function unblocked(nodes: readonly KubernetesObject[], work: readonly QueuedWork[], mostTried = 50): Unblockings {
  const state = ClusterState.build(nodes, ['Node', 'Pod', 'Namespace', 'DeviceClass']);
  const before = finished(stepQueue(state, work, PROFILE));
  return finished(stepUnblocking(state, work, PROFILE, before, { mostTried }));
}

describe('stepUnblocking', () => {
  it('runs the queue again after each change, and sorts changes by the pods gained', () => {
    const nodes = [node('free', '1'), node('gpu-1', '4', { taints: [GPU] }), node('off', '2', { unschedulable: true })];
    const { found, isPartial } = unblocked(nodes, [waiting('web', '1', 4), waiting('db', '1', 2)]);
    expect(isPartial).toBe(false);
    expect(found).toEqual([
      { change: { kind: 'AddNodes', like: 'free', count: 5 }, unblocks: 5, blocks: 0 },
      { change: { kind: 'AddNodes', like: 'off', count: 3 }, unblocks: 5, blocks: 0 },
      { change: { kind: 'RemoveTaint', taint: GPU, nodes: 1 }, unblocks: 4, blocks: 0 },
      {
        change: {
          kind: 'AddToleration',
          taint: GPU,
          workload: { kind: 'Deployment', namespace: 'default', name: 'web' },
        },
        unblocks: 4,
        blocks: 0,
      },
      { change: { kind: 'Uncordon', nodes: 1 }, unblocks: 2, blocks: 0 },
      {
        change: {
          kind: 'AddToleration',
          taint: GPU,
          workload: { kind: 'Deployment', namespace: 'default', name: 'db' },
        },
        unblocks: 2,
        blocks: 0,
      },
    ]);
  });

  it('counts pods that lose their node to the unblocked ones', () => {
    const big = waiting('big', '4', 1);
    const urgent = { ...big, pod: { ...big.pod, spec: { ...big.pod.spec, priority: 10 } } };
    const { found } = unblocked(
      [node('n', '4', { taints: [GPU] }), node('m', '2')],
      [urgent, waiting('small', '1', 2)],
    );
    const tolerated = found.find(({ change }) => change.kind === 'RemoveTaint');
    expect(tolerated).toEqual({ change: { kind: 'RemoveTaint', taint: GPU, nodes: 1 }, unblocks: 1, blocks: 0 });
  });

  it('tries no more changes than allowed, and reports how many there were', () => {
    const { tried, candidates } = unblocked([node('n', '1', { taints: [GPU] })], [waiting('web', '1', 1)], 1);
    expect([tried, candidates]).toEqual([1, 3]);
  });

  it('returns nothing if no pod waits', () => {
    expect(unblocked([node('n', '1')], [waiting('web', '1', 1)]).candidates).toBe(0);
  });
});
