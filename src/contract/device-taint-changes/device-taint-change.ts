import { answerBasis } from '../common/basis.js';
import { POD_SUBJECT } from '../common/pod-subject.js';
import { device } from '../devices/device.js';
import { landings } from '../evictions/landing.js';
import { enumType, object } from '../schema.js';
import { recordedTaint } from '../taint-trail/recorded-taint.js';
import { taintChange } from '../taint-changes/taint-change.js';
import { EVICTION, podEviction } from '../taint-changes/taint-effects.js';
import { DRY_RUN, LINK, ON_BEHALF_OF, REASON } from '../taint-changes/taint-change-request.js';

export const deviceTaintChangeFields = object(
  'DeviceTaintChangeFields',
  '',
  {
    put: {
      type: 'kubernetesObject',
      optional: true,
      description:
        'The DeviceTaintRule to create or to replace, as a manifest. Exactly one of `put` and `remove` is required.',
      example: {
        apiVersion: 'resource.k8s.io/v1beta2',
        kind: 'DeviceTaintRule',
        metadata: { name: 'broken-gpu' },
        spec: {
          deviceSelector: { driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' },
          taint: { key: 'example.com/broken', value: 'true', effect: 'NoExecute' },
        },
      },
    },
    remove: { type: 'identifier', optional: true, description: 'Name of the DeviceTaintRule to remove.' },
    featureGates: POD_SUBJECT.featureGates,
    dryRun: DRY_RUN,
    reason: REASON,
    link: LINK,
    onBehalfOf: ON_BEHALF_OF,
  },
  { openApiName: 'DeviceTaintChange' },
);

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

export const deviceTaintChangeOutcome = object(
  'DeviceTaintChangeResponse',
  'A change of a DeviceTaintRule that was recorded, or a preview of one.',
  {
    basis: { type: answerBasis, description: 'The state that was evaluated.' },
    dryRun: { type: 'boolean', description: 'True for a dry run: nothing was stored.', example: false },
    replayed: {
      type: 'boolean',
      description: 'True if this is the response to an earlier request with the same idempotency key.',
      example: false,
    },
    change: {
      type: taintChange,
      optional: true,
      description: 'The recorded change; null for a dry run, and if the rule is as it should be.',
    },
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
    devices: {
      type: coveredDevices,
      description: 'The devices that the rule covers; of a rule that is removed, those that it covered.',
    },
    evictions: { type: rulePodEvictions, description: 'The pods whose eviction changes.' },
    landing: {
      type: landings,
      optional: true,
      description: 'Where replacements of the evicted pods are scheduled; null for a replayed response.',
    },
    kubectl: {
      type: 'string',
      list: true,
      description: 'Commands that make the same change in the cluster.',
      example: ['kubectl delete devicetaintrule broken-gpu'],
    },
  },
);
