import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import type { Dice } from '../../support/dice.js';

const ZONES = ['a', 'b', 'c'];
const APPS = ['web', 'db', 'cache', 'batch'];
const DISKS = ['ssd', 'hdd'];
export const NAMESPACES = ['blue', 'green', 'grey'];
const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const DEVICE = 'example.com/device';
const IMAGES = ['registry.example.com/one:1', 'registry.example.com/two:2'];
const TAINTS: readonly JsonObject[] = [
  { key: 'dedicated', value: 'ml', effect: 'NoSchedule' },
  { key: 'dedicated', value: 'db', effect: 'NoSchedule' },
  { key: 'spot', effect: 'PreferNoSchedule' },
  { key: 'old', value: 'yes', effect: 'PreferNoSchedule' },
];

/** A node has one taint of a key and effect. */
const taints = (dice: Dice, percent: number): JsonObject[] =>
  dice
    .some(TAINTS, percent)
    .filter(
      ({ key, effect }, place, all) => all.findIndex((one) => one['key'] === key && one['effect'] === effect) === place,
    );

export function randomNode(dice: Dice, index: number): JsonObject {
  const name = `n${String(index).padStart(3, '0')}`;
  const capacity: Record<string, string> = {
    cpu: dice.one(['4', '8', '16', '32']),
    memory: dice.one(['8Gi', '16Gi', '64Gi', '120Gi']),
    pods: '110',
    'ephemeral-storage': '100Gi',
    ...(dice.chance(20) ? { [DEVICE]: dice.one(['2', '8']) } : {}),
  };
  const labels = {
    [HOSTNAME]: name,
    ...(dice.chance(90) ? { [ZONE]: dice.one(ZONES) } : {}),
    disk: dice.one(DISKS),
    ...(dice.chance(50) ? { size: dice.one(['1', '5', '9']) } : {}),
  };
  const images = dice.some(IMAGES, 40).map((image) => ({ names: [image], sizeBytes: 700_000_000 }));
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { taints: taints(dice, 12) },
    status: { capacity, allocatable: capacity, images },
  };
}

/** A change of a node as a merge patch. */
export function randomNodePatch(dice: Dice): JsonObject {
  switch (dice.below(3)) {
    case 0:
      return { spec: { unschedulable: dice.chance(40) } };
    case 1:
      return { metadata: { labels: { disk: dice.one(DISKS) } } };
    default:
      return { spec: { taints: taints(dice, 20) } };
  }
}

export const services = (): readonly JsonObject[] =>
  NAMESPACES.map((namespace) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  }));

export const PRIORITY_CLASSES: readonly JsonObject[] = [
  { metadata: { name: 'urgent' }, value: 1000 },
  { metadata: { name: 'patient' }, value: 1000, preemptionPolicy: 'Never' },
].map((rest) => ({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', ...rest }));

export function randomPod(dice: Dice, index: number): JsonObject {
  const app = dice.one(APPS);
  const requests: Record<string, string> = {
    ...(dice.chance(85) ? { cpu: dice.one(['10m', '50m', '100m', '250m', '700m']) } : {}),
    ...(dice.chance(80) ? { memory: dice.one(['16Mi', '64Mi', '300Mi', '1Gi']) } : {}),
    ...(dice.chance(4) ? { [DEVICE]: '1' } : {}),
    ...(dice.chance(5) ? { 'ephemeral-storage': '1Gi' } : {}),
    ...(dice.chance(4) ? { cpu: dice.one(['6', '14', '200']) } : {}),
  };
  // What is an extended resource is limited, too.
  const limits = DEVICE in requests ? { [DEVICE]: requests[DEVICE] } : {};
  const isUrgent = dice.chance(3);
  const spec: Record<string, JsonValue> = {
    containers: [
      {
        name: 'main',
        image: dice.chance(30) ? dice.one(IMAGES) : 'app:1',
        resources: { requests: isUrgent ? { ...requests, cpu: dice.one(['3', '7', '15']) } : requests, limits },
        ...(dice.chance(4) ? { ports: [{ containerPort: 80, hostPort: 8000 + dice.below(3) }] } : {}),
      },
    ],
    terminationGracePeriodSeconds: 0,
    ...(isUrgent ? { priorityClassName: dice.chance(80) ? 'urgent' : 'patient' } : {}),
  };
  if (dice.chance(40)) spec['tolerations'] = tolerations(dice);
  if (dice.chance(10)) spec['nodeSelector'] = { disk: dice.one([...DISKS, 'tape']) };
  const affinity = {
    ...(dice.chance(15) ? { nodeAffinity: nodeAffinity(dice) } : {}),
    ...(dice.chance(8) ? { podAffinity: podAffinity(dice, app) } : {}),
    ...(dice.chance(10) ? { podAntiAffinity: podAffinity(dice, app) } : {}),
  };
  if (Object.keys(affinity).length > 0) spec['affinity'] = affinity;
  if (dice.chance(20)) spec['topologySpreadConstraints'] = [spread(dice, app)];
  const metadata = {
    name: `p${String(index).padStart(5, '0')}`,
    namespace: dice.one(NAMESPACES),
    labels: { app, tier: dice.one(['front', 'back']) },
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

function tolerations(dice: Dice): JsonObject[] {
  return dice.some(
    [
      { key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' },
      { key: 'dedicated', operator: 'Exists' },
      { key: 'spot', operator: 'Exists', effect: 'PreferNoSchedule' },
      { key: 'old', operator: 'Equal', value: 'yes' },
      { operator: 'Exists' },
    ],
    30,
  );
}

function nodeAffinity(dice: Dice): JsonObject {
  const expression = (): JsonObject =>
    dice.one([
      { key: 'disk', operator: 'In', values: [dice.one(DISKS)] },
      { key: ZONE, operator: 'NotIn', values: [dice.one(ZONES)] },
      { key: 'size', operator: 'Gt', values: ['3'] },
      { key: 'size', operator: 'DoesNotExist' },
    ]);
  return dice.chance(50)
    ? {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [expression()] }],
        },
      }
    : {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1 + dice.below(100), preference: { matchExpressions: [expression()] } },
        ],
      };
}

function podAffinity(dice: Dice, app: string): JsonObject {
  const term = {
    topologyKey: dice.one([ZONE, HOSTNAME]),
    labelSelector: { matchLabels: dice.chance(70) ? { app: dice.one([app, dice.one(APPS)]) } : { tier: 'front' } },
    ...(dice.chance(20) ? { namespaces: [dice.one(NAMESPACES)] } : {}),
    ...(dice.chance(10) ? { namespaceSelector: {} } : {}),
  };
  return dice.chance(35)
    ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
    : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 + dice.below(100), podAffinityTerm: term }] };
}

function spread(dice: Dice, app: string): JsonObject {
  return {
    maxSkew: 1 + dice.below(3),
    topologyKey: dice.one([ZONE, HOSTNAME]),
    whenUnsatisfiable: dice.one(['DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: { matchLabels: { app } },
    ...(dice.chance(20) ? { nodeTaintsPolicy: 'Honor' } : {}),
    ...(dice.chance(20) ? { nodeAffinityPolicy: 'Ignore' } : {}),
  };
}
