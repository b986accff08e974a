import { describe, expect, it } from '@jest/globals';
import { deviceLines, isOfDevices } from './device-lines.js';

const REASON = {
  plugin: 'DynamicResources',
  code: 'DevicesNotAllocatable',
  status: 'UnschedulableAndUnresolvable',
  message: 'cannot allocate all claims',
  fields: [],
  first: true,
  facts: { claim: 'ml/web-gpu', request: 'gpu', wanted: 1, invalidPools: [], obstacles: [] },
} as const;
type Reasons = Parameters<typeof deviceLines>[0];
const reasonsWith = (facts: object): Reasons => [{ ...REASON, facts: { ...REASON.facts, ...facts } }] as Reasons;

describe('a request that finds too few devices', () => {
  it('has a line for each device that it selects, and why it cannot have it', () => {
    const devices = [
      { device: 'd/a/0', because: 'InUse', claim: 'ml/other' },
      { device: 'd/a/1', because: 'Tainted', taint: { key: 'broken', effect: 'NoExecute' }, rule: 'drain' },
      { device: 'd/a/2', because: 'Capacity' },
      { device: 'd/a/3', because: 'GateOff' },
      { device: 'd/a/4', because: 'Combination' },
    ];
    expect(deviceLines(reasonsWith({ devices, incompletePools: ['d/b'] }), [])).toEqual([
      '  request gpu of claim ml/web-gpu:',
      '    d/a/0: in use by claim ml/other',
      '    d/a/1: tainted broken:NoExecute by DeviceTaintRule drain',
      '    d/a/2: not enough capacity',
      '    d/a/3: its feature gate is off',
      '    d/a/4: not in use, but cannot be allocated',
      '    ResourceSlices of pool d/b are missing',
    ]);
  });

  it('has those of all nodes of a group, each once, and not all of many', () => {
    const device = (index: number): object => ({ device: `d/a/${index}`, because: 'InUse' });
    const values = [[], [device(0), device(1)], [1, 2, 3, 4, 5, 6].map(device)];
    const columns = [{ reason: 0, name: 'devices', values }];
    expect(deviceLines(reasonsWith({ incompletePools: [] }), columns).slice(1)).toEqual([
      ...[0, 1, 2, 3, 4].map((index) => `    d/a/${index}: in use`),
      '    ... and 2 more',
    ]);
    expect(isOfDevices(reasonsWith({}), columns[0]!)).toBe(true);
  });

  it('says what keeps devices from being allocated together', () => {
    const obstacles = [{ kind: 'CounterSet', name: 'gpu0', pool: 'd/a' }];
    const devices = [{ device: 'd/a/0', because: 'Combination' }];
    expect(deviceLines(reasonsWith({ devices, incompletePools: [], obstacles }), []).at(-1)).toBe(
      '    without the counter set gpu0 they could be allocated',
    );
  });

  it('may select none', () => {
    expect(deviceLines(reasonsWith({ devices: [], incompletePools: [] }), [])).toEqual([
      '  request gpu of claim ml/web-gpu:',
      '    no device matches',
    ]);
  });
});
