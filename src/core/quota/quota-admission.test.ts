import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { reviewQuotas, type QuotaAdmissionOptions, type QuotaRequest } from './quota-admission.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');

function podOf(cpu: string | undefined, spec: Partial<Pod['spec']> = {}): Pod {
  const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'a', ...resources }], ...spec },
  };
}

function quotaOf(
  name: string,
  hard: Record<string, string>,
  used: Record<string, string>,
  spec: ResourceQuota['spec'] = {},
): ResourceQuota {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name },
    spec: { hard, ...spec },
    status: { hard, used },
  };
}

function review(quotas: ResourceQuota[], request: QuotaRequest, options: Partial<QuotaAdmissionOptions> = {}): unknown {
  const answer = reviewQuotas(quotas, request, { now: NOW, rules: DEFAULT_RULES, ...options });
  return answer.outcome === 'refused'
    ? [answer.refusal.status, answer.refusal.message]
    : answer.quotas.map(({ status }) => status?.used);
}

const create = (pod: Pod): QuotaRequest => ({ operation: 'create', pod });

describe('reviewQuotas', () => {
  it('charges a pod to every quota that applies, each with the resources that it limits', () => {
    const quotas = [
      quotaOf('a', { 'requests.cpu': '2', services: '1' }, { 'requests.cpu': '500m', services: '1' }),
      quotaOf('b', { pods: '2' }, { pods: '0' }),
      quotaOf('c', { pods: '2' }, { pods: '0' }, { scopes: ['Terminating'] }),
    ];
    const answer = reviewQuotas(quotas, create(podOf('1')), { now: NOW, rules: DEFAULT_RULES });
    expect(answer).toMatchObject({ outcome: 'admitted', charged: ['a', 'b'] });
    expect(review(quotas, create(podOf('1')))).toEqual([
      { 'requests.cpu': '1500m', services: '1' },
      { pods: '1' },
      { pods: '0' },
    ]);
    expect(quotas[0]?.status?.used).toEqual({ 'requests.cpu': '500m', services: '1' });
  });

  it('names the first quota that refuses, and all of its exceeded resources', () => {
    const quotas = [
      quotaOf('a', { pods: '5' }, { pods: '1' }),
      quotaOf('b', { pods: '1', cpu: '2', memory: '1Gi' }, { pods: '1', cpu: '1500m', memory: '0' }),
      quotaOf('c', { pods: '0' }, { pods: '0' }),
    ];
    const pod: Pod = {
      ...podOf(undefined),
      spec: { containers: [{ name: 'a', resources: { requests: { cpu: '1', memory: '1Mi' } } }] },
    };
    expect(review(quotas, create(pod))).toEqual([
      403,
      'pods "p" is forbidden: exceeded quota: b, requested: cpu=1,pods=1, used: cpu=1500m,pods=1, limited: cpu=2,pods=1',
    ]);
  });

  it('reports how much is missing', () => {
    const answer = reviewQuotas([quotaOf('a', { cpu: '2' }, { cpu: '1500m' })], create(podOf('1')), {
      now: NOW,
      rules: DEFAULT_RULES,
    });
    expect(answer.outcome === 'refused' ? answer.exceeded?.hard.get('cpu')?.toString() : undefined).toBe('2');
  });

  it('admits a pod that requests nothing of an exceeded resource', () => {
    const quotas = [
      quotaOf('a', { 'requests.cpu': '1', 'count/pods': '9' }, { 'requests.cpu': '4', 'count/pods': '1' }),
    ];
    expect(review(quotas, create(podOf('0')))).toEqual([{ 'requests.cpu': '4', 'count/pods': '2' }]);
  });

  it.each([
    [
      'containers without a request that a quota tracks',
      [quotaOf('a', { cpu: '1', 'limits.memory': '1' }, {})],
      podOf(undefined),
      [403, 'pods "p" is forbidden: failed quota: a: must specify cpu for: a; limits.memory for: a'],
    ],
    [
      'a quota that has not been counted',
      [quotaOf('a', { 'requests.cpu': '1', pods: '1' }, { pods: '0' })],
      podOf('1'),
      [403, 'pods "p" is forbidden: status unknown for quota: a, resources: pods,requests.cpu'],
    ],
    [
      'a negative request',
      [],
      podOf('-1'),
      [403, 'pods "p" is forbidden: quota usage is negative for resource(s): cpu,requests.cpu'],
    ],
    [
      'a scope that cannot be matched, though the quota bounds nothing of pods',
      [
        quotaOf(
          'a',
          { services: '1' },
          {},
          { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Is', values: ['x', 'y'] }] } },
        ),
      ],
      podOf('1'),
      [
        500,
        'error matching scopes of quota a, err: error on matching scope {PriorityClass Is [x y]}: ' +
          'failed to parse and convert selector: "Is" is not a valid scope selector operator',
      ],
    ],
  ])('refuses %s', (_, quotas, pod, want) => {
    expect(review(quotas, create(pod))).toEqual(want);
  });

  it('requires no requests of containers if the pod has pod-level ones', () => {
    const quotas = [quotaOf('a', { cpu: '5' }, { cpu: '1' })];
    expect(review(quotas, create(podOf(undefined, { resources: { requests: { cpu: '2' } } })))).toEqual([{ cpu: '3' }]);
  });

  it('ignores a quota that the controller has not processed', () => {
    const quota: ResourceQuota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'a' },
      spec: { hard: { pods: '0' } },
    };
    expect(review([quota], create(podOf('1')))).toEqual([undefined]);
  });

  describe('for an update', () => {
    const quotas = [quotaOf('a', { 'requests.cpu': '5' }, { 'requests.cpu': '3' })];

    it('charges increases, and returns nothing', () => {
      expect(review(quotas, { operation: 'resize', pod: podOf('2'), oldPod: podOf('500m') })).toEqual([
        { 'requests.cpu': '4500m' },
      ]);
      expect(review(quotas, { operation: 'resize', pod: podOf('100m'), oldPod: podOf('2') })).toEqual([
        { 'requests.cpu': '3' },
      ]);
    });

    it('names only increases in a refusal', () => {
      expect(review(quotas, { operation: 'resize', pod: podOf('4'), oldPod: podOf('1') })).toEqual([
        403,
        'pods "p" is forbidden: exceeded quota: a, requested: requests.cpu=3, used: requests.cpu=3, limited: requests.cpu=5',
      ]);
    });

    it('charges a pod that enters a scope in full, and ignores other updates', () => {
      const scoped = [quotaOf('a', { pods: '5' }, { pods: '1' }, { scopes: ['Terminating'] })];
      const ending = podOf('1', { activeDeadlineSeconds: 60 });
      expect(review(scoped, { operation: 'update', pod: ending, oldPod: podOf('1') })).toEqual([{ pods: '2' }]);
      expect(review(quotas, { operation: 'update', pod: podOf('9'), oldPod: podOf('1') })).toEqual([
        { 'requests.cpu': '3' },
      ]);
    });
  });

  describe('with consumption limited by default', () => {
    const critical = { scopeName: 'PriorityClass', operator: 'In', values: ['critical'] };
    const pod = podOf('1', { priorityClassName: 'critical' });

    it('refuses a scope that no quota covers, without naming a quota', () => {
      expect(review([], create(pod), { limited: [{ matchScopes: [critical] }] })).toEqual([
        500,
        'insufficient quota to match these scopes: [{PriorityClass In [critical]}]',
      ]);
      const covering = [
        quotaOf('a', { pods: '5' }, { pods: '1' }, { scopeSelector: { matchExpressions: [critical] } }),
      ];
      expect(review(covering, create(pod), { limited: [{ matchScopes: [critical] }] })).toEqual([{ pods: '2' }]);
    });

    it('refuses a resource that no quota covers', () => {
      expect(review([], create(pod), { limited: [{ matchContains: ['cpu'] }] })).toEqual([
        403,
        'pods "p" is forbidden: insufficient quota to consume: cpu,requests.cpu',
      ]);
    });

    it('admits an update without an increase', () => {
      const limited = [{ matchContains: ['cpu'] }];
      expect(review([], { operation: 'resize', pod: podOf('1'), oldPod: podOf('2') }, { limited })).toEqual([]);
      expect(review([], { operation: 'resize', pod: podOf('2'), oldPod: podOf('1') }, { limited })).toEqual([
        403,
        'pods "p" is forbidden: insufficient quota to consume: cpu,requests.cpu',
      ]);
    });
  });
});
