import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { Pod, PodSpec } from '../../kubernetes/objects/pod.js';
import { DEFAULT_ARGUMENTS } from '../../placement/plugin-arguments.js';
import { DEFAULT_FILTERS } from '../../placement/profile.js';
import { DEFAULT_SCORES } from '../../placement/score-profile.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import { stepInQueueOrder, stepPendingPods, type QueuedWork } from './queued-work.js';
import { stepQueue, type QueueOptions, type QueueResult } from './step-queue.js';

const PROFILE: SchedulingProfile = {
  filters: DEFAULT_FILTERS,
  scores: DEFAULT_SCORES,
  args: DEFAULT_ARGUMENTS,
  gates: DEFAULT_GATES,
};

const node = (name: string, cpu: string, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu, memory: '16Gi', pods: '110' } },
  ...rest,
});
const pod = (name: string, cpu: string, spec: Partial<PodSpec> = {}, metadata: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, ...metadata },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec },
});
const clusterOf = (...objects: object[]): ClusterState =>
  ClusterState.build(objects as KubernetesObject[], ['Node', 'Pod', 'Namespace', 'DeviceClass']);
const one = (given: Pod, replicas = 1): QueuedWork => ({
  pod: given,
  replicas,
  since: '',
  workload: { kind: 'Pod', namespace: 'default', name: given.metadata.name },
});

function finished<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
const run = (state: ClusterState, work: readonly QueuedWork[], options: QueueOptions = {}): QueueResult =>
  finished(stepQueue(state, work, PROFILE, options));
const told = ({ decisions }: QueueResult): readonly (readonly (string | number)[])[] =>
  decisions.map((decision) => [
    decision.name,
    decision.outcome,
    decision.outcome === 'placed' ? decision.node : decision.count,
  ]);

describe('the queue', () => {
  it('orders by priority, then by waiting time, then by name', () => {
    const state = clusterOf(
      pod('late', '1', {}, { creationTimestamp: '2026-01-02T00:00:00Z' }),
      pod('early', '1', {}, { creationTimestamp: '2026-01-01T00:00:00Z' }),
      pod('b', '1', {}, { creationTimestamp: '2026-01-03T00:00:00Z' }),
      pod('a', '1', {}, { creationTimestamp: '2026-01-03T00:00:00Z' }),
      pod('unknown', '1'),
      pod('high', '1', { priority: 10 }, { creationTimestamp: '2026-01-09T00:00:00Z' }),
      pod('low', '1', { priority: -1 }, { creationTimestamp: '2025-01-01T00:00:00Z' }),
    );
    const { work } = finished(stepPendingPods(state, 'default-scheduler'));
    const names = finished(stepInQueueOrder(work)).map(({ pod: { metadata } }) => metadata.name);
    expect(names).toEqual(['high', 'early', 'late', 'a', 'b', 'unknown', 'low']);
  });

  it('excludes pods on nodes, ended and deleted pods, and counts those of other schedulers', () => {
    const state = clusterOf(
      node('n', '4'),
      pod('bound', '1', { nodeName: 'n' }),
      { ...pod('ended', '1'), status: { phase: 'Failed' } },
      pod('going', '1', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      pod('other', '1', { schedulerName: 'volcano' }),
      pod('mine', '1'),
    );
    const { work, ofOtherSchedulers } = finished(stepPendingPods(state, 'default-scheduler'));
    expect(work.map(({ pod: { metadata } }) => metadata.name)).toEqual(['mine']);
    expect(ofOtherSchedulers).toBe(1);
  });
});

describe('a run of the queue', () => {
  it('places each pod after those before it, and continues after a pod without a node', () => {
    const state = clusterOf(node('a', '2'), node('b', '1'));
    const result = run(state, [one(pod('p', '2')), one(pod('q', '2')), one(pod('r', '1')), one(pod('s', '1'))]);
    expect(told(result)).toEqual([
      ['p', 'placed', 'a'],
      ['q', 'unplaced', 1],
      ['r', 'placed', 'b'],
      ['s', 'unplaced', 1],
    ]);
    const refusals = result.decisions.flatMap((decision) => ('refusal' in decision ? [decision.refusal.message] : []));
    expect(refusals).toEqual([
      { text: '0/2 nodes are available: 2 Insufficient cpu.', preemption: 'not-evaluated' },
      { text: '0/2 nodes are available: 2 Insufficient cpu.', preemption: 'not-evaluated' },
    ]);
    expect(result.totals).toEqual({ placed: 2, unplaced: 2, unknown: 0, gated: 0, error: 0, notTried: 0 });
    expect(result.reasons).toEqual([
      { plugin: 'NodeResourcesFit', code: 'InsufficientResource', message: 'Insufficient cpu', pods: 2 },
    ]);
  });

  it('gives replicas unused names, and reports the remaining ones as one decision', () => {
    const state = clusterOf(node('a', '2'), pod('web-0', '0'));
    const result = run(state, [one(pod('web', '1'), 1_000_000)]);
    expect(told(result)).toEqual([
      ['web-1', 'placed', 'a'],
      ['web-2', 'placed', 'a'],
      ['web-3', 'unplaced', 999_998],
    ]);
  });

  it('reports gated pods separately', () => {
    const gated = one(pod('gated', '1', { priority: 9, schedulingGates: [{ name: 'wait' }] }));
    const result = run(clusterOf(node('a', '1')), [gated, one(pod('p', '1'))]);
    expect(told(result)).toEqual([
      ['p', 'placed', 'a'],
      ['gated', 'gated', 1],
    ]);
  });

  it('reports pods as gated that wait for their claims, but not those whose DeviceClass is missing', () => {
    const claim = (name: string, metadata: object = {}): object => ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { namespace: 'default', name, uid: name, ...metadata },
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'none', allocationMode: 'All' } }] } },
    });
    const objects = [node('a', '1'), claim('going', { deletionTimestamp: '2026-01-01T00:00:00Z' }), claim('there')];
    const kinds = ['Node', 'Pod', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice', 'DeviceClass'] as const;
    const state = ClusterState.build(objects as KubernetesObject[], kinds);
    const claiming = (name: string, entry: object, status: object = {}): QueuedWork =>
      one({ ...pod(name, '1', { resourceClaims: [{ name: 'gpu', ...entry }] }), status });
    const statuses = { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'there' }] };
    const result = run(state, [
      claiming('missing', { resourceClaimName: 'gpu' }),
      claiming('going', { resourceClaimName: 'going' }),
      claiming('not-made', { resourceClaimTemplateName: 'gpu' }),
      claiming('of-another', { resourceClaimTemplateName: 'gpu' }, statuses),
      claiming('no-class', { resourceClaimName: 'there' }),
      one(pod('p', '1')),
    ]);
    expect(
      result.decisions.map(({ name, outcome, ...rest }) => [name, outcome, 'message' in rest ? rest.message : null]),
    ).toEqual([
      ['no-class', 'unplaced', null],
      ['p', 'placed', null],
      ['missing', 'gated', 'could not find ResourceClaim "default/gpu"'],
      ['going', 'gated', 'resourceclaim "going" is being deleted'],
      ['not-made', 'gated', 'pod "default/not-made": ResourceClaim not created yet'],
      [
        'of-another',
        'gated',
        'ResourceClaim default/there was not created for Pod default/of-another (Pod is not owner)',
      ],
    ]);
  });

  it('tries a refused pod again after another pod was placed', () => {
    const needsWeb = pod('near', '1', {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
          ],
        },
      },
    });
    const state = clusterOf(node('a', '4'));
    const web = pod('web', '1', {}, { labels: { app: 'web' } });
    const again = { ...needsWeb, metadata: { ...needsWeb.metadata, name: 'near-too' } };
    expect(told(run(state, [one(needsWeb), one(web), one(again)]))).toEqual([
      ['near', 'unplaced', 1],
      ['web', 'placed', 'a'],
      ['near-too', 'placed', 'a'],
    ]);
  });

  it.each<[string, QueueOptions, 'time' | 'pods', number]>([
    ['after a maximum number of pods', { mostPods: 2 }, 'pods', 2],
    ['when the time is over', { isOverdue: after(3) }, 'time', 3],
  ])('stops %s and says how many were not tried', (_, options, stopped, placed) => {
    const result = run(clusterOf(node('a', '50')), [one(pod('p', '1'), 8), one(pod('q', '1'))], options);
    expect(result.stopped).toBe(stopped);
    expect(result.totals).toEqual({ placed, unplaced: 0, unknown: 0, gated: 0, error: 0, notTried: 9 - placed });
  });

  it('limits the listed decisions but counts all', () => {
    const result = run(clusterOf(node('a', '50')), [one(pod('p', '1'), 5)], { mostListed: 2 });
    expect([result.decisions.length, result.isListed, result.totals.placed]).toEqual([2, false, 5]);
  });

  it('reports a pod with an invalid quantity, and continues', () => {
    const result = run(clusterOf(node('a', '50')), [one(pod('p', 'much')), one(pod('q', '1'))]);
    expect(told(result)).toEqual([
      ['p', 'error', 1],
      ['q', 'placed', 'a'],
    ]);
  });
});

function after(times: number): () => boolean {
  let asked = 0;
  return () => ++asked > times;
}
