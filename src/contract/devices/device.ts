import { DEVICE_STATES } from '../../core/devices/device-inventory.js';
import { kubernetesTaint } from '../common/kubernetes.js';
import { enumType, object } from '../schema.js';

export const DEVICE_STATE = enumType('DeviceState', 'What a device can be had for.', DEVICE_STATES);

const deviceAttribute = object('DeviceAttribute', 'An attribute of a device.', {
  name: { type: 'identifier', description: 'The name; without a domain, it has that of the driver.', example: 'model' },
  value: { type: 'identifier', description: 'The value, or a list of values.', example: 'a100' },
});

const deviceCapacity = object('DeviceCapacity', 'A capacity of a device.', {
  name: { type: 'identifier', description: 'The name.', example: 'memory' },
  value: { type: 'identifier', description: 'The amount.', example: '40Gi' },
});

const deviceTaint = object('DeviceTaint', 'A taint of a device.', {
  taint: { type: kubernetesTaint, description: 'The taint.' },
  rule: {
    type: 'identifier',
    optional: true,
    description: 'The DeviceTaintRule that sets it; null if the ResourceSlice does.',
    example: null,
  },
});

const deviceHolder = object('DeviceHolder', 'A ResourceClaim that has a device, or a share of it.', {
  claim: { type: 'identifier', description: 'The claim, as `namespace/name`.', example: 'default/web-gpu' },
  request: { type: 'identifier', description: 'The request of the claim.', example: 'gpu' },
  adminAccess: {
    type: 'boolean',
    description: 'Whether it is for administration, so that the device is not in use.',
    example: false,
  },
  consumedCapacity: {
    type: deviceCapacity,
    list: true,
    description: 'What the claim consumes of a device that is shared.',
    example: [],
  },
  pods: {
    type: 'identifier',
    list: true,
    description: 'The pods that the claim is reserved for, as `namespace/name`.',
    example: ['default/web'],
  },
});

export const device = object('Device', 'A device that a driver offers in a ResourceSlice.', {
  driver: { type: 'identifier', description: 'The driver.', example: 'gpu.example.com' },
  pool: { type: 'identifier', description: 'The pool.', example: 'node-1' },
  name: { type: 'identifier', description: 'The name, unique in the pool.', example: 'gpu-0' },
  node: {
    type: 'identifier',
    optional: true,
    description: 'The node that it is on; null for a device that several nodes can reach.',
    example: 'node-1',
  },
  slice: { type: 'identifier', description: 'The ResourceSlice.', example: 'node-1-gpu.example.com-x7k2p' },
  generation: { type: 'int64', description: 'The generation of the pool.', example: 1 },
  state: { type: DEVICE_STATE, description: DEVICE_STATE.description, example: 'free' },
  classes: {
    type: 'identifier',
    list: true,
    optional: true,
    description:
      'The device classes that select it; null if that takes too much to evaluate, or if classes were never loaded.',
    example: ['gpu.example.com'],
  },
  attributes: { type: deviceAttribute, list: true, description: 'Its attributes, by name.' },
  capacity: { type: deviceCapacity, list: true, description: 'Its capacity, by name.' },
  taints: {
    type: deviceTaint,
    list: true,
    description:
      'Its taints: those of its slice, then those of rules where the feature gate DRADeviceTaintRules is on.',
    example: [],
  },
  holders: { type: deviceHolder, list: true, description: 'The claims that have it.', example: [] },
});
