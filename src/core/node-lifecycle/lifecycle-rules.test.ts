import { describe, expect, it } from '@jest/globals';
import { EvictionLimiter } from './eviction-limiter.js';
import {
  checkLifecycleParameters,
  DEFAULT_LIFECYCLE_PARAMETERS,
  type LifecycleParameters,
} from './lifecycle-parameters.js';
import { zoneKey, zoneName } from './zone-key.js';
import { computeZoneState, evictionRate } from './zone-state.js';

describe('checkLifecycleParameters', () => {
  const faultsOf = (values: Partial<LifecycleParameters>): readonly string[] =>
    checkLifecycleParameters({ ...DEFAULT_LIFECYCLE_PARAMETERS, ...values }).map(
      ({ parameter, severity }) => `${severity} ${parameter}`,
    );

  it.each<[string, Partial<LifecycleParameters>, string[]]>([
    ['nothing in the defaults', {}, []],
    ['a negative rate', { nodeEvictionRate: -0.1 }, ['error nodeEvictionRate']],
    ['a period of zero', { nodeMonitorPeriodSeconds: 0 }, ['error nodeMonitorPeriodSeconds']],
    ['what is no number', { unhealthyZoneThreshold: Number.NaN }, ['error unhealthyZoneThreshold']],
    ['infinity', { nodeStartupGracePeriodSeconds: Infinity }, ['error nodeStartupGracePeriodSeconds']],
    ['a share above 1', { unhealthyZoneThreshold: 55 }, ['error unhealthyZoneThreshold']],
    ['half a node', { largeClusterSizeThreshold: 0.5 }, ['error largeClusterSizeThreshold']],
    ['a grace period of centuries', { nodeMonitorGracePeriodSeconds: 1e12 }, ['error nodeMonitorGracePeriodSeconds']],
    [
      'each of several',
      { nodeMonitorPeriodSeconds: -1, secondaryNodeEvictionRate: -1 },
      ['error nodeMonitorPeriodSeconds', 'error secondaryNodeEvictionRate'],
    ],
    [
      'a grace period no longer than a heartbeat, as a warning',
      { nodeMonitorGracePeriodSeconds: 10 },
      ['warning nodeMonitorGracePeriodSeconds'],
    ],
    [
      'a second rate above the first, as a warning',
      { secondaryNodeEvictionRate: 0.2 },
      ['warning secondaryNodeEvictionRate'],
    ],
    ['a rate of 1, as a warning', { nodeEvictionRate: 1 }, ['warning nodeEvictionRate']],
  ])('finds %s', (_name, values, expected) => {
    expect(faultsOf(values)).toEqual(expected);
  });
});

describe('the zone of a node', () => {
  it.each([
    ['of its labels', { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'z' }, 'r/z'],
    ['without a region', { 'topology.kubernetes.io/zone': 'z' }, 'z'],
    [
      'of the old label before the new one',
      { 'topology.kubernetes.io/zone': 'new', 'failure-domain.beta.kubernetes.io/zone': 'old' },
      'old',
    ],
    [
      'of the old label even where it is empty',
      { 'topology.kubernetes.io/zone': 'new', 'failure-domain.beta.kubernetes.io/zone': '' },
      '',
    ],
    ['without labels', {}, ''],
  ])('is that %s', (_name, labels, expected) => {
    expect(zoneName(zoneKey(labels))).toBe(expected);
  });

  it('distinguishes zones of the same name in different regions', () => {
    const key = (region: string): string =>
      zoneKey({ 'topology.kubernetes.io/region': region, 'topology.kubernetes.io/zone': 'z' });
    expect(key('a')).not.toBe(key('b'));
  });
});

describe('computeZoneState', () => {
  it.each([
    [0, 1, 'FullDisruption'],
    [0, 0, 'Normal'],
    [1, 2, 'Normal'],
    [1, 3, 'PartialDisruption'],
    [9, 11, 'PartialDisruption'],
    [10, 11, 'Normal'],
    [45, 55, 'PartialDisruption'],
  ])('%d ready and %d not: %s', (ready, notReady, expected) => {
    const state = computeZoneState(ready, notReady, DEFAULT_LIFECYCLE_PARAMETERS);
    expect(state).toBe(expected);
  });

  it('returns the rate for the state: zero in a small zone that is partly down, the secondary rate in a large one', () => {
    const rate = (state: Parameters<typeof evictionRate>[0], size: number): number =>
      evictionRate(state, size, DEFAULT_LIFECYCLE_PARAMETERS);
    expect([
      rate('Normal', 60),
      rate('FullDisruption', 60),
      rate('PartialDisruption', 51),
      rate('PartialDisruption', 50),
    ]).toEqual([0.1, 0.1, 0.01, 0]);
  });
});

describe('EvictionLimiter', () => {
  it('holds one token and produces the next after 10 s, however long none was taken', () => {
    const limiter = new EvictionLimiter(0.1);
    const asked = [0, 0, 9999, 10_000, 10_001, 500_000, 500_000].map((at) => limiter.tryAccept(at));
    expect(asked).toEqual([true, false, false, true, false, true, false]);
  });

  it('keeps waiting after a change of rate if it was waiting', () => {
    const limiter = new EvictionLimiter(0.1);
    limiter.swap(0.5, 0);
    expect(limiter.tryAccept(0)).toBe(true);
    limiter.swap(0.25, 1000);
    expect(limiter.nextTokenAt).toBe(5000);
    limiter.swap(0.25, 3000);
    expect(limiter.nextTokenAt).toBe(5000);
  });

  it('gives no token while it is stopped, and a late one afterwards', () => {
    const limiter = new EvictionLimiter(0.5);
    limiter.swap(0, 0);
    expect([limiter.tryAccept(1e15), limiter.ratePerSecond]).toEqual([false, 0]);
    limiter.swap(0.5, 1000);
    expect(limiter.nextTokenAt).toBe(3000);
  });
});
