import { NOT_LOADED } from '../common/not-loaded.js';
import { device } from '../devices/device.js';
import { enumType, object } from '../schema.js';
import { recordedTaint } from '../taint-trail/recorded-taint.js';
import { nodeApplication } from '../taint-changes/application.js';
import { EVICTION, podEviction } from '../taint-changes/taint-effects.js';

const RULE_OUTCOME = enumType('DeviceTaintRuleOutcome', 'What a change does to a DeviceTaintRule.', [
  'created',
  'replaced',
  'removed',
  'unchanged',
]);

const { driver, pool, name, node } = device.members;
const coveredDevice = object('CoveredDevice', 'A device that a DeviceTaintRule taints.', {
  driver,
  pool,
  name,
  node,
  claims: {
    type: 'identifier',
    list: true,
    description: 'The claims that have it, as `namespace/name`.',
    example: ['default/train'],
  },
});

const coveredDevices = object('CoveredDevices', 'The devices that a DeviceTaintRule taints.', {
  total: { type: 'integer', description: 'Number of devices.', example: 1 },
  items: { type: coveredDevice, list: true, description: 'The first 250, by driver, pool and slice.' },
});

const rulePodEviction = object('DeviceRulePodEviction', 'What a change of a DeviceTaintRule does to one pod.', {
  namespace: podEviction.members.namespace,
  name: podEviction.members.name,
  node: podEviction.members.node,
  workload: podEviction.members.workload,
  when: { type: EVICTION, description: EVICTION.description, example: 'now' },
  at: {
    type: 'time',
    optional: true,
    description: 'When it is evicted; null if it no longer is.',
    example: '2026-05-04T03:02:01.000Z',
  },
  formerly: {
    type: 'time',
    optional: true,
    description: 'When it would have been evicted without the change; null if never.',
    example: null,
  },
});

const rulePodEvictions = object('DeviceRuleEvictions', 'Pods whose eviction a change of a DeviceTaintRule changes.', {
  now: { type: 'integer', description: 'Pods evicted immediately.', example: 1 },
  after: { type: 'integer', description: 'Pods evicted later.', example: 0 },
  cancelled: { type: 'integer', description: 'Pods that were due to be evicted, but no longer are.', example: 0 },
  pods: { type: rulePodEviction, list: true, description: 'The first 250, by time.' },
});

export const deviceTaintRuleChange = object('DeviceTaintRuleChange', 'What a change does to a DeviceTaintRule.', {
  rule: { type: 'identifier', description: 'Name of the DeviceTaintRule.', example: 'broken-gpu' },
  outcome: { type: RULE_OUTCOME, description: RULE_OUTCOME.description, example: 'created' },
  before: {
    type: recordedTaint,
    optional: true,
    description: 'Its taint and devices before; null if there is no such rule.',
  },
  after: {
    type: recordedTaint,
    optional: true,
    description: 'The same after the change, with the time at which the taint was added; null for a removal.',
  },
  inEffect: {
    type: 'boolean',
    description: 'Whether rules count: false where the feature gate DRADeviceTaintRules is off, as it is by default.',
    example: true,
  },
  notLoaded: {
    ...NOT_LOADED,
    description:
      'Kinds that were never loaded, although they tell which devices the rule covers, and which pods it evicts: there may be more than these.',
  },
  devices: {
    type: coveredDevices,
    description: 'The devices that the rule covers; of a rule that is removed, those that it covered.',
  },
  evictions: { type: rulePodEvictions, description: 'The pods whose eviction changes.' },
  application: {
    type: nodeApplication,
    optional: true,
    description: 'What became of it in the cluster; null if this service does not write it.',
    example: null,
  },
});
