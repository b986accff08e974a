import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { rulesOfMinor, withGates, type FeatureGates } from '../kubernetes/kubernetes-rules.js';
import type { DeviceClass, DeviceRequest, ResourceClaim } from '../kubernetes/objects/dra.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { countedObjects, ObjectsByNamespace } from './object-usage.js';

const claim = (name: string, namespace: string, ...requests: readonly DeviceRequest[]): ResourceClaim => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name, namespace },
  spec: { devices: { requests } },
});
const exact = (deviceClassName: string, count: number) => ({ deviceClassName, allocationMode: 'ExactCount', count });

const NOON = Date.parse('2026-01-01T12:00:00Z');

const usageIn = (state: ClusterState, resource: string, namespace: string): string | undefined => {
  const objects = new ObjectsByNamespace(state, NOON);
  const counted = countedObjects(resource, objects.cluster);
  return counted && objects.usageOf(counted, namespace)?.toString();
};

/** By the rules of `claimEvaluator.Usage`, k8s.io/kubernetes v1.36.2, pkg/quota/v1/evaluator/core/resource_claims.go. */
describe('ResourceClaims', () => {
  const state = ClusterState.build(
    [
      claim('two', 'ml', { name: 'a', exactly: exact('gpu', 2) }, { name: 'b', exactly: exact('nic', 1) }),
      claim('again', 'ml', { name: 'a', exactly: exact('gpu', 1) }, { name: 'b', exactly: exact('gpu', 4) }),
      claim('any', 'ml', {
        name: 'a',
        firstAvailable: [
          { name: 'one', ...exact('gpu', 1) },
          { name: 'few', ...exact('gpu', 3) },
          { name: 'other', ...exact('nic', 5) },
        ],
      }),
      claim('all', 'web', { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'All' } }),
      claim('unknown', 'web', { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'Some', count: 9 } }),
    ],
    ['ResourceClaim'],
  );
  const usage = (resource: string, namespace: string): string | undefined => usageIn(state, resource, namespace);

  it.each([
    ['gpu', 'ml', '10'],
    ['nic', 'ml', '6'],
    ['gpu', 'web', '32'],
    ['nic', 'web', '0'],
    ['gpu', 'empty', '0'],
  ])('are charged the devices of class %s in namespace %s: %s', (deviceClass, namespace, expected) => {
    expect(usage(`${deviceClass}.deviceclass.resource.k8s.io/devices`, namespace)).toBe(expected);
  });

  it('are counted', () => {
    expect(usage('count/resourceclaims.resource.k8s.io', 'ml')).toBe('3');
  });

  it('are not known if none were ever loaded', () => {
    const empty = ClusterState.build([], ['Pod']);
    expect(usageIn(empty, 'gpu.deviceclass.resource.k8s.io/devices', 'ml')).toBeUndefined();
  });
});

/** By `addExtendedResourceQuota` and `getVerifiedPodUsage` of the same file. */
describe('ResourceClaims under the names of extended resources', () => {
  const GPU = 'requests.example.com/gpu';
  const IMPLICIT = 'requests.deviceclass.resource.kubernetes.io/gpu';
  const deviceClass = (name: string, extendedResourceName?: string): DeviceClass => ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name },
    spec: { ...(extendedResourceName !== undefined && { extendedResourceName }) },
  });
  const pod = (asked: object, status: Pod['status'] = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ml', uid: 'of-p' },
    spec: { containers: [{ name: 'c', resources: { requests: { ...asked } } }] },
    status,
  });
  /** A claim that the scheduler makes for the extended resources of a pod. */
  const made = (name: string, count: number, created = '2026-01-01T00:00:00Z', uid = 'of-p'): ResourceClaim => {
    const { metadata, ...rest } = claim(name, 'ml', { name: 'a', exactly: exact('gpu', count) });
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true };
    const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' };
    return { ...rest, metadata: { ...metadata, annotations, creationTimestamp: created, ownerReferences: [owner] } };
  };
  const CLASS = deviceClass('gpu', 'example.com/gpu');
  const noted = (resourceClaimName: string): NonNullable<Pod['status']> => ({
    extendedResourceClaimStatus: { resourceClaimName, requestMappings: [] },
  });
  const kinds = ['Pod', 'ResourceClaim', 'DeviceClass'] as const;
  const usage = (resource: string, ...objects: readonly (Pod | ResourceClaim | DeviceClass)[]): string | undefined =>
    usageIn(ClusterState.build(objects, kinds), resource, 'ml');

  const plain = claim('plain', 'ml', { name: 'a', exactly: exact('gpu', 3) });
  const asking = pod({ 'example.com/gpu': '2' });

  it('are charged what they ask of the class behind the name, both by its own name and by the one that it declares', () => {
    expect(usage(GPU, CLASS, plain)).toBe('3');
    expect(usage(IMPLICIT, CLASS, plain)).toBe('3');
    expect(usage(IMPLICIT, deviceClass('gpu'), plain)).toBe('3');
  });

  it('are not charged under the name of a resource that no class stands behind', () => {
    expect(usage(GPU, deviceClass('gpu'), plain)).toBeUndefined();
    expect(usage(IMPLICIT, deviceClass('other', 'example.com/gpu'), plain)).toBeUndefined();
    expect(usage(GPU, deviceClass('other', 'example.com/gpu'), plain)).toBe('0');
  });

  it.each([
    ['nothing if the pod is charged as much', made('m', 2), '0'],
    ['only what the pod is not charged already', made('m', 5), '3'],
    ['everything if the pod is not there', made('m', 2, undefined, 'of-another'), '2'],
  ])('that the scheduler has made for a pod are charged %s', (_, one, expected) => {
    expect(usage(GPU, CLASS, asking, one)).toBe(expected);
  });

  it('are charged in full once the pod has ended', () => {
    expect(usage(GPU, CLASS, { ...asking, status: { phase: 'Succeeded' } }, made('m', 2))).toBe('2');
  });

  it('of a pod that asks for the resource by its other name are charged under the name that the pod does not use', () => {
    const other = pod({ 'deviceclass.resource.kubernetes.io/gpu': '2' });
    expect([usage(GPU, CLASS, other, made('m', 2)), usage(IMPLICIT, CLASS, other, made('m', 2))]).toEqual(['2', '0']);
  });

  it('of one pod count as made for it only if the pod names the claim, or else the first one', () => {
    const [early, late] = [made('z', 2), made('a', 2, '2026-01-01T00:00:01Z')];
    expect(usage(GPU, CLASS, asking, early, late)).toBe('2');
    expect(usage(GPU, CLASS, { ...asking, status: noted('a') }, early)).toBe('2');
    expect(usage(GPU, CLASS, { ...asking, status: noted('z') }, early)).toBe('0');
  });

  it('are charged so since 1.35 and where the feature gate DRAExtendedResource is on, as by default since 1.36', () => {
    const state = ClusterState.build([CLASS, plain], kinds);
    const under = (minor: number, gates: FeatureGates): string | undefined =>
      usageIn(state.under(withGates(rulesOfMinor(minor), gates)), GPU, 'ml');
    const ON = { DRAExtendedResource: true };
    expect([under(36, {}), under(36, { DRAExtendedResource: false })]).toEqual(['3', undefined]);
    expect([under(35, {}), under(35, ON), under(34, ON)]).toEqual([undefined, '3', undefined]);
  });
});
