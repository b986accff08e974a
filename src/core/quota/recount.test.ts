import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { Quantity } from '../kubernetes/quantity.js';
import { causesRecount, recountQuota } from './recount.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');

function podOf(name: string, memory: string, rest: Partial<Pod> = {}): Pod {
  const containers = [{ name: 'a', resources: { requests: { memory } } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers }, ...rest };
}

function recount(spec: NonNullable<ResourceQuota['spec']>, used: Record<string, string>, pods: Pod[]): unknown {
  const quota: ResourceQuota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec,
    status: { used },
  };
  const others = (resource: string): Quantity | undefined => (resource === 'services' ? Quantity.of(3) : undefined);
  return Object.fromEntries(
    [...recountQuota(quota, pods, { now: NOW, rules: DEFAULT_RULES, others })].map(([name, amount]) => [
      name,
      amount.toString(),
    ]),
  );
}

describe('recountQuota', () => {
  it('adds up the pods that count, keeps unknown values, and drops resources that are no longer limited', () => {
    const hard = {
      'requests.memory': '1Gi',
      pods: '5',
      'count/pods': '5',
      services: '5',
      secrets: '5',
      configmaps: '5',
    };
    const pods = [podOf('a', '1Mi'), podOf('b', '1M'), podOf('c', '1Gi', { status: { phase: 'Failed' } })];
    expect(recount({ hard }, { secrets: '2', cpu: '7', pods: '9' }, pods)).toEqual({
      'requests.memory': '2048576',
      pods: '2',
      'count/pods': '3',
      services: '3',
      secrets: '2',
    });
  });

  it('counts no pod if a scope is invalid', () => {
    const scopeSelector = { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] };
    expect(recount({ hard: { pods: '5' }, scopeSelector }, { pods: '4' }, [podOf('a', '1')])).toEqual({ pods: '0' });
  });
});

describe('causesRecount', () => {
  const pod = podOf('a', '1Mi');
  const reporting = (memory: string): Pod => ({
    ...pod,
    status: { containerStatuses: [{ name: 'a', resources: { requests: { memory } } }] },
  });

  it.each([
    ['ends', pod, podOf('a', '1Mi', { status: { phase: 'Succeeded' } }), true],
    ['starts', pod, podOf('a', '1Mi', { status: { phase: 'Running' } }), false],
    ['asks for less', pod, podOf('a', '1'), false],
    [
      'is deleted and has its grace period',
      pod,
      { ...pod, metadata: { name: 'a', deletionTimestamp: '2026-01-01T12:00:30Z', deletionGracePeriodSeconds: 30 } },
      false,
    ],
    ['gets a deadline', pod, { ...pod, spec: { ...pod.spec, activeDeadlineSeconds: 5 } }, true],
    ['has the resources that it requested', reporting('2Mi'), reporting('1Mi'), true],
    ['reports its resources for the first time', pod, reporting('1Mi'), false],
  ])('of a pod that %s', (_, before, after, causes) => {
    expect(causesRecount(before, after, NOW, DEFAULT_RULES)).toBe(causes);
  });
});
