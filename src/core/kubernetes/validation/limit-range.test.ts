import { describe, expect, it } from '@jest/globals';
import type { LimitRangeItem } from '../objects/quota.js';
import { validateLimitRange } from './limit-range.js';

const complaints = (...limits: LimitRangeItem[]): string[] =>
  validateLimitRange({
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: '', namespace: 'default' },
    spec: { limits },
  }).map(({ field, message }) => `${field} ${message}`);

describe('validateLimitRange', () => {
  it('requires no name', () => {
    expect(complaints({ type: 'Pod', max: { cpu: '1' } })).toEqual([]);
  });

  it('reports a default that was derived from the maximum', () => {
    expect(complaints({ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } })).toEqual([
      'spec.limits[0].min[cpu] Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu] Invalid value: "1": min value 2 is greater than default request value 1',
      'spec.limits[0].default[cpu] Invalid value: "2": min value 2 is greater than default value 1',
    ]);
  });

  it('rounds the ratio of a maximum below its minimum like Go', () => {
    const item = { type: 'Pod', min: { cpu: '128' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '1' } };
    expect(complaints(item)).toContain(
      'spec.limits[0].maxLimitRequestRatio[cpu] Invalid value: "1": ratio 1 is greater than max/min = 0.007812',
    );
  });

  it('accepts any ratio for a minimum of zero', () => {
    const item = { type: 'Pod', min: { cpu: '0' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '1E' } };
    expect(complaints(item)).toEqual([]);
  });

  it('treats names such as __proto__ as ordinary resources', () => {
    const max = JSON.parse('{"__proto__":"1"}') as Record<string, string>;
    expect(complaints({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max })).toEqual([
      expect.stringContaining('spec.limits[0].max[__proto__] Invalid value: "__proto__": name part must consist of'),
    ]);
  });
});
