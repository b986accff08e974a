import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { stepQuotaPods } from './quota-pods.js';
import { stepQuotaUsage } from './step-quota-usage.js';
import { explainUsage } from './usage-difference.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');

function done<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function podOf(name: string, rest: Partial<Pod> = {}, metadata: Partial<Pod['metadata']> = {}): Pod {
  const containers = [{ name: 'c', resources: { requests: { cpu: '1' } } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'a', ...metadata },
    spec: { containers },
    ...rest,
  };
}

const FINISHED = podOf('finished', { status: { phase: 'Succeeded' } });
const OVERDUE = podOf('overdue', {}, { deletionTimestamp: '2026-01-01T11:00:00Z', deletionGracePeriodSeconds: 30 });
const DELETING = podOf('deleting', {}, { deletionTimestamp: '2026-01-01T12:00:10Z', deletionGracePeriodSeconds: 30 });
const RESIZED = podOf('resized', {
  status: { containerStatuses: [{ name: 'c', resources: { requests: { cpu: '1500m' } } }] },
});

function explained(used: Record<string, string>, ...pods: Pod[]) {
  const quota: ResourceQuota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'a' },
    spec: { hard: { cpu: '9', 'count/pods': '9', secrets: '9' } },
    status: { used },
  };
  const elsewhere = podOf('elsewhere', {}, { namespace: 'b' });
  const state = ClusterState.build([quota, elsewhere, ...pods], ['Pod', 'ResourceQuota']);
  const [usage] = done(stepQuotaUsage(state, { now: NOON })).usages;
  const found = done(stepQuotaPods(state, quota, { now: NOON }));
  return {
    pods: found.map(({ pod, counting }) => [state.pods.name(pod), counting]),
    resources: new Map(explainUsage(usage!, found).map((resource) => [resource.resource, resource])),
  };
}

describe('stepQuotaPods', () => {
  it('lists how each pod of the namespace counts', () => {
    expect(explained({}, podOf('p'), FINISHED, OVERDUE, DELETING).pods.sort()).toEqual([
      ['deleting', 'deleting'],
      ['finished', 'finished'],
      ['overdue', 'overdue'],
      ['p', 'counts'],
    ]);
  });
});

describe('explainUsage', () => {
  it.each([
    ['agree', '2', [podOf('p'), DELETING, FINISHED], 'none'],
    ['count a pod that has ended', '2', [podOf('p'), FINISHED, OVERDUE], 'finished'],
    ['count a pod whose deletion is overdue', '2', [podOf('p'), OVERDUE], 'overdue'],
    ['count both', '3', [podOf('p'), FINISHED, OVERDUE], 'finished'],
    ['count the request in the spec of a pod that has more', '1', [RESIZED], 'resized'],
    ['count a pod that does not exist', '4', [podOf('p'), FINISHED], 'stale'],
    ['lack a pod', '0', [podOf('p'), FINISHED], 'stale'],
  ])('if the controller and the state %s', (_, cpu, pods, reason) => {
    expect(explained({ cpu }, ...pods).resources.get('cpu')?.reason).toBe(reason);
  });

  it('splits the usage into its parts', () => {
    const { resources } = explained({ cpu: '4' }, podOf('p'), FINISHED, OVERDUE, DELETING, RESIZED);
    const { used, difference, finished, overdue, deleting, beyondSpec } = resources.get('cpu')!;
    expect([used, difference, finished, overdue, deleting, beyondSpec].map(String)).toEqual([
      '3500m',
      '500m',
      '1',
      '1',
      '1',
      '500m',
    ]);
  });

  it('distinguishes an unreported resource from one that the state cannot count', () => {
    const { resources } = explained({ secrets: '3' }, podOf('p'), FINISHED);
    expect(resources.get('secrets')?.reason).toBe('unknown');
    expect(resources.get('cpu')?.reason).toBe('unreported');
    expect(resources.get('count/pods')?.used?.toString()).toBe('2');
  });
});
