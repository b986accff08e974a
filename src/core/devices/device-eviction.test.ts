import { describe, expect, it } from '@jest/globals';
import { microsecondsOf } from '../kubernetes/moment.js';
import type {
  DeviceTaint,
  DeviceTaintRule,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from '../kubernetes/objects/dra.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { deviceEviction, EvictingTaints } from './device-eviction.js';

const ADDED = '2026-03-01T10:00:00Z';
const TAINT: DeviceTaint = { key: 'example.com/broken', effect: 'NoExecute', timeAdded: ADDED };
const DEVICE = { driver: 'gpu.example.com', pool: 'node-a', device: 'gpu-0' };
const FROM_SLICE = { ...DEVICE, taint: 0 };

const after = (seconds: number): bigint => BigInt(microsecondsOf(ADDED)!) * 1000n + BigInt(seconds) * 1_000_000_000n;

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'web-uid' },
  spec: { containers: [], nodeName: 'node-a', resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] },
};

const slice = (taints: readonly DeviceTaint[], generation = 1, name = 'slice'): ResourceSlice => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name },
  spec: {
    driver: DEVICE.driver,
    nodeName: 'node-a',
    pool: { name: DEVICE.pool, generation, resourceSliceCount: 1 },
    devices: [{ name: DEVICE.device, taints }],
  },
});

const claim = (tolerations: readonly DeviceToleration[] = [], more: Partial<ResourceClaim> = {}): ResourceClaim => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'gpu', namespace: 'default', uid: 'gpu-uid' },
  status: {
    allocation: { devices: { results: [{ request: 'gpu', ...DEVICE, tolerations }] } },
    reservedFor: [{ resource: 'pods', name: 'web', uid: 'web-uid' }],
  },
  ...more,
});

const rule = (deviceSelector?: NonNullable<DeviceTaintRule['spec']>['deviceSelector']): DeviceTaintRule => ({
  apiVersion: 'resource.k8s.io/v1beta2',
  kind: 'DeviceTaintRule',
  metadata: { name: 'broken' },
  spec: { ...(deviceSelector && { deviceSelector }), taint: TAINT },
});

const evicted = (
  found: ResourceClaim,
  slices: readonly ResourceSlice[] = [slice([TAINT])],
  rules: readonly DeviceTaintRule[] = [],
  pod = POD,
): ReturnType<typeof deviceEviction> => deviceEviction(pod, () => found, new EvictingTaints(slices, rules));

describe('a pod whose device has a NoExecute taint', () => {
  it('is evicted at the time of the taint if nothing tolerates it', () => {
    expect(evicted(claim())).toEqual({ at: after(0), reasons: [FROM_SLICE] });
  });

  it('is evicted at once with a toleration without effect, which lets it be scheduled there', () => {
    expect(evicted(claim([{ key: TAINT.key, operator: 'Exists' }]))?.at).toBe(after(0));
  });

  it('stays as long as the shortest tolerationSeconds of all tolerations that match, negative ones being 0', () => {
    const seconds = (tolerationSeconds: number): DeviceToleration => ({
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds,
    });
    expect(evicted(claim([seconds(300), seconds(60)]))?.at).toBe(after(60));
    expect(evicted(claim([seconds(300), seconds(-5)]))?.at).toBe(after(0));
  });

  it('stays if one toleration that matches has no tolerationSeconds, wherever it is in the list', () => {
    const forever = { operator: 'Exists', effect: 'NoExecute' };
    expect(evicted(claim([{ ...forever, tolerationSeconds: 1 }, forever]))).toBeUndefined();
  });

  it('stays if it is on no node', () => {
    const pending = { ...POD, spec: { ...POD.spec, nodeName: '' } };
    expect(evicted(claim(), undefined, [], pending)).toBeUndefined();
  });

  it('goes although it has succeeded', () => {
    expect(evicted(claim(), undefined, [], { ...POD, status: { phase: 'Succeeded' } })?.at).toBe(after(0));
  });

  it('stays if the claim is reserved for another pod of the same name', () => {
    const { allocation } = claim().status!;
    const reservedFor = [{ resource: 'pods', name: 'web', uid: 'older-uid' }];
    expect(evicted(claim([], { status: { allocation: allocation!, reservedFor } }))).toBeUndefined();
  });

  it('stays if the claim was made from a template for another pod', () => {
    const pod: Pod = {
      ...POD,
      spec: { ...POD.spec, resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'template' }] },
      status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'gpu' }] },
    };
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web', controller: true };
    const owned = (uid: string): ResourceClaim =>
      claim([], { metadata: { ...claim().metadata, ownerReferences: [{ ...owner, uid }] } });
    expect(evicted(owned('older-uid'), undefined, [], pod)).toBeUndefined();
    expect(evicted(owned('web-uid'), undefined, [], pod)?.at).toBe(after(0));
  });

  it('is evicted for the earliest taint, and all taints are reasons', () => {
    const later = { ...TAINT, key: 'example.com/hot', timeAdded: '2026-03-01T11:00:00Z' };
    expect(evicted(claim(), [slice([later, { ...TAINT, effect: 'NoSchedule' }, TAINT])])).toEqual({
      at: after(0),
      reasons: [
        { ...DEVICE, taint: 0 },
        { ...DEVICE, taint: 2 },
      ],
    });
  });

  it('is not evicted by a taint without a time, which is still a reason beside others', () => {
    const timeless = { key: TAINT.key, effect: TAINT.effect };
    expect(evicted(claim(), [slice([timeless])])).toBeUndefined();
    expect(evicted(claim(), [slice([timeless, TAINT])])?.reasons).toHaveLength(2);
  });
});

describe('device taints of an older generation', () => {
  it('do not count, even if the newer generation is not complete', () => {
    expect(evicted(claim(), [slice([TAINT], 1, 'old'), slice([], 2, 'new')])).toBeUndefined();
  });
});

describe('a DeviceTaintRule', () => {
  it('without a selector evicts nobody, and one with an empty selector everybody', () => {
    expect(evicted(claim(), [], [rule()])).toBeUndefined();
    expect(evicted(claim(), [], [rule({})])).toEqual({ at: after(0), reasons: [{ rule: 'broken' }] });
  });

  it('evicts only from devices with each name that it selects, and comes before the taints of slices', () => {
    expect(evicted(claim(), [], [rule({ driver: DEVICE.driver, pool: 'node-b' })])).toBeUndefined();
    expect(evicted(claim(), undefined, [rule({ device: DEVICE.device })])?.reasons).toEqual([
      { rule: 'broken' },
      FROM_SLICE,
    ]);
  });
});
