import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { DeviceRequest, ResourceClaim } from '../kubernetes/objects/dra.js';
import { countedObjects, ObjectsByNamespace } from './object-usage.js';

const claim = (name: string, namespace: string, ...requests: readonly DeviceRequest[]): ResourceClaim => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name, namespace },
  spec: { devices: { requests } },
});
const exact = (deviceClassName: string, count: number) => ({ deviceClassName, allocationMode: 'ExactCount', count });

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
  const usage = (resource: string, namespace: string): string | undefined =>
    new ObjectsByNamespace(state).usageOf(countedObjects(resource)!, namespace)?.toString();

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
    const counted = countedObjects('gpu.deviceclass.resource.k8s.io/devices')!;
    expect(new ObjectsByNamespace(ClusterState.build([], ['Pod'])).usageOf(counted, 'ml')).toBeUndefined();
  });
});
