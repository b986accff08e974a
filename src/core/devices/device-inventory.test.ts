import { describe, expect, it } from '@jest/globals';
import { finish } from '../collections/finish.js';
import type { Device, DeviceTaintRule, ResourceClaim, ResourceSlice } from '../kubernetes/objects/dra.js';
import { rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import { deviceReads } from './allocator-features.js';
import { stepDeviceInventory, type InventoryFilter, type InventoryObjects } from './device-inventory.js';

const DRIVER = 'gpu.example.com';
const slice = (
  name: string,
  pool: string,
  generation: number,
  count: number,
  ...devices: readonly Device[]
): ResourceSlice => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name },
  spec: { driver: DRIVER, nodeName: 'a', pool: { name: pool, generation, resourceSliceCount: count }, devices },
});
const claim = (name: string, device: string, more: object = {}): ResourceClaim => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name, namespace: 'd' },
  status: { allocation: { devices: { results: [{ request: 'r', driver: DRIVER, pool: 'p', device, ...more }] } } },
});
const TAINT = { key: 'broken', effect: 'NoSchedule' };

function statesOf(objects: Partial<InventoryObjects>, filter: InventoryFilter = {}): Record<string, string> {
  const given = { claims: [], slices: [], taintRules: [], classOf: () => undefined, ...objects };
  return Object.fromEntries(
    finish(stepDeviceInventory(given, filter)).map(({ slice: { metadata }, device, state }) => [
      `${metadata.name}/${device}`,
      state,
    ]),
  );
}

describe('the inventory of devices', () => {
  it('has what each device can be had for', () => {
    const devices = [
      { name: 'free' },
      { name: 'taken' },
      { name: 'watched' },
      { name: 'parted', allowMultipleAllocations: true },
      { name: 'broken', taints: [TAINT] },
      { name: 'noted', taints: [{ ...TAINT, effect: 'None' }] },
    ];
    const claims = [
      claim('one', 'taken'),
      claim('admin', 'watched', { adminAccess: true }),
      claim('part', 'parted', { shareID: 'x' }),
    ];
    expect(statesOf({ claims, slices: [slice('s', 'p', 1, 1, ...devices)] })).toEqual({
      's/free': 'free',
      's/taken': 'allocated',
      's/watched': 'free',
      's/parted': 'shared',
      's/broken': 'tainted',
      's/noted': 'free',
    });
  });

  it('tells pools of which slices are missing, that contradict themselves, and slices that are replaced', () => {
    const slices = [
      slice('half', 'half', 1, 2, { name: 'gpu' }),
      slice('twice', 'twice', 1, 1, { name: 'gpu' }, { name: 'gpu' }),
      slice('old', 'moved', 1, 1, { name: 'gpu' }),
      slice('new', 'moved', 2, 1, { name: 'gpu' }),
    ];
    expect(statesOf({ slices })).toEqual({
      'half/gpu': 'incompletePool',
      'twice/gpu': 'invalidPool',
      'old/gpu': 'outdated',
      'new/gpu': 'free',
    });
  });

  it('tells what siblings leave of counters, as the allocator does', () => {
    const consumes = (value: string): Required<Pick<Device, 'consumesCounters'>> => ({
      consumesCounters: [{ counterSet: 'card', counters: { memory: { value } } }],
    });
    const counters: ResourceSlice = {
      ...slice('counters', 'p', 1, 2),
      spec: {
        ...{ driver: DRIVER, nodeName: 'a', pool: { name: 'p', generation: 1, resourceSliceCount: 2 } },
        sharedCounters: [{ name: 'card', counters: { memory: { value: '40Gi' } } }],
      },
    };
    const devices = [
      { name: 'whole', ...consumes('40Gi') },
      { name: 'half-0', ...consumes('20Gi') },
      { name: 'half-1', ...consumes('20Gi') },
      { name: 'half-2', ...consumes('20Gi'), taints: [TAINT] },
      { name: 'apart' },
    ];
    const slices = [counters, slice('s', 'p', 1, 2, ...devices)];
    const free = {
      's/whole': 'free',
      's/half-0': 'free',
      's/half-1': 'free',
      's/half-2': 'tainted',
      's/apart': 'free',
    };
    expect(statesOf({ slices })).toEqual(free);
    const one = [claim('one', 'half-0')];
    const half = { ...free, 's/whole': 'countersUsed', 's/half-0': 'allocated' };
    expect(statesOf({ slices, claims: one })).toEqual(half);
    expect(statesOf({ slices, claims: [claim('watch', 'half-0', { adminAccess: true })] })).toEqual(free);
    // Whoever tolerates the taint cannot have it either.
    expect(statesOf({ slices, claims: [...one, claim('two', 'half-1')] })).toEqual({
      ...half,
      's/half-1': 'allocated',
      's/half-2': 'countersUsed',
    });
    expect(statesOf({ slices, claims: one }, { state: 'countersUsed' })).toEqual({ 's/whole': 'countersUsed' });
    const under = (minor: number): Record<string, string> =>
      statesOf({ slices, claims: one, reads: deviceReads(rulesOfMinor(minor)) });
    expect(under(35)).toEqual({
      's/whole': 'gateOff',
      's/half-0': 'allocated',
      's/half-1': 'gateOff',
      's/half-2': 'gateOff',
      's/apart': 'free',
    });
    expect(under(33)).toEqual({ ...free, 's/half-0': 'allocated', 's/half-2': 'free' });
  });

  it('counts the taints of rules, and filters', () => {
    const rule: DeviceTaintRule = {
      apiVersion: 'resource.k8s.io/v1beta2',
      kind: 'DeviceTaintRule',
      metadata: { name: 'drain' },
      spec: { deviceSelector: { device: 'gpu-1' }, taint: TAINT },
    };
    const objects = { slices: [slice('s', 'p', 1, 1, { name: 'gpu-0' }, { name: 'gpu-1' })], taintRules: [rule] };
    expect(statesOf(objects)).toEqual({ 's/gpu-0': 'free', 's/gpu-1': 'tainted' });
    expect(statesOf(objects, { state: 'tainted' })).toEqual({ 's/gpu-1': 'tainted' });
    expect(statesOf(objects, { node: 'b' })).toEqual({});
    expect(statesOf(objects, { pool: 'other' })).toEqual({});
  });
});
