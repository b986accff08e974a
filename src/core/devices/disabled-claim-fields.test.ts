import { describe, expect, it } from '@jest/globals';
import { rulesOfMinor, withGates } from '../kubernetes/kubernetes-rules.js';
import type { ResourceClaimSpec } from '../kubernetes/objects/dra.js';
import { allocatorFeatures } from './allocator-features.js';
import { withoutDisabledFields } from './disabled-claim-fields.js';

const asked = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
const capacity = { requests: { memory: '1Gi' } };
const SPEC: ResourceClaimSpec = {
  devices: {
    requests: [
      { name: 'one', exactly: { ...asked, capacity, adminAccess: true } },
      { name: 'two', firstAvailable: [{ ...asked, name: 'small', capacity }] },
    ],
    constraints: [{ distinctAttribute: 'example.com/slot' }],
  },
};

describe('a new claim', () => {
  it.each([
    [36, {}, SPEC.devices!.requests],
    [
      35,
      {},
      [
        { name: 'one', exactly: { ...asked, adminAccess: true } },
        { name: 'two', firstAvailable: [{ ...asked, name: 'small' }] },
      ],
    ],
    [35, { DRAConsumableCapacity: true }, SPEC.devices!.requests],
    [33, {}, [{ name: 'one', exactly: asked }, { name: 'two' }]],
  ])('is stored without the fields of gates that are off: 1.%i %j', (minor, gates, requests) => {
    const features = allocatorFeatures(withGates(rulesOfMinor(minor), gates));
    expect(withoutDisabledFields(SPEC, features)).toEqual({ devices: { ...SPEC.devices, requests } });
    expect(withoutDisabledFields(SPEC, features)).toBe(withoutDisabledFields(SPEC, features));
  });
});
