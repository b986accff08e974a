import { DEFAULT_RULES, rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import { describe, expect, it } from '@jest/globals';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { isActiveForQuota, podQuotaUsage } from './pod-usage.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');

function podOf(spec: Partial<PodSpec>, rest: Partial<Pod> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'a' }], ...spec },
    ...rest,
  };
}

const usageOf = (pod: Pod, rules = DEFAULT_RULES): Record<string, string> =>
  Object.fromEntries([...podQuotaUsage(pod, NOON, rules)].map(([name, amount]) => [name, amount.toString()]));

describe('podQuotaUsage', () => {
  it('charges requests under both names, limits, and overhead on both if there is a limit', () => {
    const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2' } };
    expect(
      usageOf(podOf({ containers: [{ name: 'a', resources }], overhead: { cpu: '250m', memory: '120Mi' } })),
    ).toEqual({
      'count/pods': '1',
      pods: '1',
      cpu: '1250m',
      'requests.cpu': '1250m',
      memory: '1144Mi',
      'requests.memory': '1144Mi',
      'limits.cpu': '2250m',
    });
  });

  it('charges hugepages under both names, and extended resources as requests only', () => {
    const requests = {
      'hugepages-2Mi': '4Mi',
      'example.com/gpu': '2',
      'deviceclass.resource.kubernetes.io/gpu': '1',
      'kubernetes.io/own': '7',
    };
    expect(usageOf(podOf({ containers: [{ name: 'a', resources: { requests } }] }))).toEqual({
      'count/pods': '1',
      pods: '1',
      'hugepages-2Mi': '4Mi',
      'requests.hugepages-2Mi': '4Mi',
      'requests.example.com/gpu': '2',
      'requests.deviceclass.resource.kubernetes.io/gpu': '1',
    });
  });

  it('charges a pod that is being resized in place the larger of spec and status', () => {
    const pod = podOf(
      { containers: [{ name: 'a', resources: { requests: { cpu: '1' } } }] },
      { status: { containerStatuses: [{ name: 'a', resources: { requests: { cpu: '3' } } }] } },
    );
    expect(usageOf(pod)).toMatchObject({ cpu: '3', 'requests.cpu': '3' });
    expect(usageOf(pod, rulesOfMinor(33))).toMatchObject({ cpu: '3' });
    expect(usageOf(pod, rulesOfMinor(32))).toMatchObject({ cpu: '1' });
  });

  it('charges the resources of a pod as a whole where they count', () => {
    const containers = [{ name: 'a', resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }];
    const pod = podOf({ containers, resources: { requests: { cpu: '3' }, limits: { cpu: '4' } } });
    expect(usageOf(pod)).toMatchObject({ 'requests.cpu': '3', 'limits.cpu': '4' });
    expect(usageOf(pod, rulesOfMinor(33))).toMatchObject({ 'requests.cpu': '1', 'limits.cpu': '1' });
  });

  it.each(['Succeeded', 'Failed'])('charges a pod in phase %s only as a stored object', (phase) => {
    const resources = { requests: { cpu: '1' } };
    expect(usageOf(podOf({ containers: [{ name: 'a', resources }] }, { status: { phase } }))).toEqual({
      'count/pods': '1',
    });
  });
});

describe('isActiveForQuota', () => {
  it.each([
    ['is not being deleted', undefined, undefined, true],
    ['was deleted without a grace period on record', '2026-01-01T11:00:00Z', undefined, true],
    ['has its end before it', '2026-01-01T12:00:10Z', 30, true],
    ['is as long past its end as its grace period', '2026-01-01T11:59:30Z', 30, true],
    ['is longer past its end', '2026-01-01T11:59:29Z', 30, false],
    ['has a grace period that overflows nanoseconds', '2026-01-01T12:00:10Z', 9223372037, false],
  ])('of a pod that %s', (_, deletionTimestamp, deletionGracePeriodSeconds, active) => {
    const metadata = {
      name: 'p',
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    };
    expect(isActiveForQuota(podOf({}, { metadata }), NOON)).toBe(active);
  });
});
