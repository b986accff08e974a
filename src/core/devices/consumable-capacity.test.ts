import { describe, expect, it } from '@jest/globals';
import type { Device, DeviceCapacity } from '../kubernetes/objects/dra.js';
import { parseQuantity } from '../kubernetes/quantity.js';
import { consumedCapacity, fitsCapacity } from './consumable-capacity.js';

const withPolicy = (requestPolicy?: NonNullable<DeviceCapacity['requestPolicy']>): Device => ({
  name: 'gpu-0',
  capacity: { memory: { value: '40Gi', ...(requestPolicy && { requestPolicy }) } },
});

const RANGE = { default: '4Gi', validRange: { min: '4Gi', max: '12Gi', step: '4Gi' } };
const VALUES = { default: '8Gi', validValues: ['2Gi', '8Gi', '16Gi'] };

const consumes = (device: Device, memory?: string): string | undefined =>
  consumedCapacity(memory === undefined ? undefined : { memory }, device)
    .get('memory')
    ?.toString();

const fits = (device: Device, memory: string, used: readonly string[] = []): boolean => {
  const [ofClaims, ofSearch] = used.map((amount) => new Map([['memory', parseQuantity(amount)]]));
  return fitsCapacity({ memory }, device, ofClaims, ofSearch);
};

describe('a request for capacity', () => {
  it.each([
    ['takes all of it without a request and a policy', withPolicy(), undefined, '40Gi'],
    ['takes the default without a request', withPolicy(RANGE), undefined, '4Gi'],
    ['counts as it is without a policy', withPolicy(), '5Gi', '5Gi'],
    ['is raised to the minimum', withPolicy(RANGE), '1Gi', '4Gi'],
    ['is rounded up to the next step', withPolicy(RANGE), '5Gi', '8Gi'],
    ['is rounded up to the next valid value', withPolicy(VALUES), '3Gi', '8Gi'],
    ['beyond all valid values stays as it is', withPolicy(VALUES), '20Gi', '20Gi'],
  ])('%s', (_title, device, memory, consumed) => {
    expect(consumes(device, memory)).toBe(consumed);
  });

  it('does not fit above the maximum of the policy, or beyond its valid values', () => {
    expect(fits(withPolicy(RANGE), '12Gi')).toBe(true);
    expect(fits(withPolicy(RANGE), '13Gi')).toBe(false);
    expect(fits(withPolicy(VALUES), '20Gi')).toBe(false);
  });

  it('fits up to what claims and the allocation so far have left', () => {
    expect(fits(withPolicy(), '10Gi', ['20Gi', '10Gi'])).toBe(true);
    expect(fits(withPolicy(), '11Gi', ['20Gi', '10Gi'])).toBe(false);
  });

  it('does not fit a device that lacks the capacity', () => {
    expect(fitsCapacity({ cores: '1' }, withPolicy(), undefined, undefined)).toBe(false);
  });
});
