import { nodeDevice } from '../common/node-device.js';
import { enumType, object } from '../schema.js';
import { reasonCount } from '../placements/placement.js';
import { workloadName } from '../common/workload-name.js';

export const NEVER_REPLACED = enumType('NeverReplacedReason', 'Why an evicted pod is not replaced.', [
  'barePod',
  'mirrorPod',
  'ended',
  'jobComplete',
  'jobSuspended',
  'notWanted',
  'controllerGone',
  'controllerDeleting',
  'alreadyReplaced',
  'stillTerminating',
  'waitsForLowerOrdinal',
  'nodeDoesNotAdmit',
  'nodeGone',
]);

export const LANDING_VERDICT = enumType(
  'LandingVerdict',
  'Whether a replacement pod finds a node, immediately or later.',
  ['feasible', 'none', 'unknown'],
);

export const LANDING_UNKNOWN_CODE = enumType(
  'LandingUnknownCode',
  'Stable code for why it is unknown whether there is a node.',
  ['filterNotImplemented', 'scoreFailed', 'budget', 'customController', 'unreadableRequest'],
);

export const landingRoom = object('LandingRoom', 'CPU and memory amounts as Kubernetes quantities.', {
  cpu: { type: 'identifier', description: 'CPU.', example: '2500m' },
  memory: { type: 'identifier', description: 'Memory.', example: '320Mi' },
});

export const landingRefusal = object('LandingRefusal', 'Why there is no node.', {
  message: {
    type: 'string',
    optional: true,
    description: 'Message of Kubernetes; null if Kubernetes writes none.',
    example: '0/4 nodes are available: 4 node(s) had untolerated taint(s).',
  },
  reasons: { type: reasonCount, list: true, description: 'All reasons, with the number of nodes for each.' },
});

export const landingUnknown = object('LandingUnknown', 'Why it is unknown whether there is a node.', {
  code: { type: LANDING_UNKNOWN_CODE, description: LANDING_UNKNOWN_CODE.description, example: 'filterNotImplemented' },
  message: {
    type: 'string',
    description: 'Why it is unknown, as text.',
    example: 'VolumeBinding cannot be evaluated: the pod uses claims (never loaded: PersistentVolumeClaim)',
  },
});

export const podLanding = object('PodLanding', 'An evicted pod and its replacement.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
  workload: { type: workloadName, description: 'Workload of the pod.' },
  from: {
    type: 'identifier',
    optional: true,
    description: 'Node from which the pod is evicted, if stored.',
    example: 'node-1',
  },
  markedAt: {
    type: 'time',
    optional: true,
    description: 'When the pod is marked for deletion.',
    example: '2026-05-04T12:05:00Z',
  },
  goneAt: {
    type: 'time',
    optional: true,
    description: 'When the object is removed and its resources are free; null if the pod stays Terminating.',
    example: '2026-05-04T12:05:30Z',
  },
  replacementAt: {
    type: 'time',
    optional: true,
    description: 'When the controller creates the replacement; null if never or unknown.',
    example: '2026-05-04T12:05:00Z',
  },
  never: {
    type: NEVER_REPLACED,
    optional: true,
    description: 'Code for why there is no replacement.',
    example: 'barePod',
  },
  verdict: {
    type: LANDING_VERDICT,
    optional: true,
    description: 'Whether the replacement finds a node: feasible, none or unknown; null without a replacement.',
    example: 'feasible',
  },
  feasibleNodes: {
    type: 'integer',
    description: 'Feasible nodes when it is scheduled; 0 if there was none at first.',
    example: 3,
  },
  unknownNodes: { type: 'integer', description: 'Nodes that may be feasible when it is scheduled.', example: 0 },
  nodes: {
    type: 'identifier',
    list: true,
    description: 'The first few feasible nodes, highest total score first, then by name.',
    example: ['node-2'],
  },
  chosen: {
    type: 'identifier',
    optional: true,
    description: 'The node that the plan selects; null if there is none.',
    example: 'node-2',
  },
  landedAt: {
    type: 'time',
    optional: true,
    description: 'When the replacement is scheduled; later than `replacementAt` if it waits for resources.',
    example: '2026-05-04T12:05:00Z',
  },
  devices: {
    type: nodeDevice,
    list: true,
    description: 'The devices that its claims get there; claims that are made for it are named after the evicted pod.',
    example: [],
  },
  refusal: {
    type: landingRefusal,
    optional: true,
    description: 'Why there was no node at first; null if there was.',
  },
  unknownBecause: { type: landingUnknown, list: true, description: 'Why the verdict is unknown.' },
});

export const podLandings = object('PodLandings', 'Evicted pods, in order of eviction.', {
  total: { type: 'integer', description: 'Number of pods.', example: 1 },
  items: { type: podLanding, list: true, description: 'The first pods.' },
});

export const landingMoment = object('LandingMoment', 'What happens at one time.', {
  at: { type: 'time', description: 'The time.', example: '2026-05-04T12:05:00Z' },
  evicted: { type: 'integer', description: 'Pods marked for deletion.', example: 2 },
  gone: { type: 'integer', description: 'Pods whose resources become free.', example: 0 },
  replaced: { type: 'integer', description: 'Replacements created.', example: 2 },
  landed: { type: 'integer', description: 'Scheduled replacements, including those that waited.', example: 2 },
  withoutNode: {
    type: 'integer',
    description: 'Replacements created at this time for which there is no node.',
    example: 0,
  },
  unknown: { type: 'integer', description: 'Pods whose replacement or node becomes unknown.', example: 0 },
  waiting: { type: 'integer', description: 'Replacements without a node after this time.', example: 0 },
  requested: { type: landingRoom, description: 'Requests of scheduled replacements.' },
  free: {
    type: landingRoom,
    description: 'Free resources after this time on nodes that pods without tolerations can use.',
  },
});

export const landingTimeline = object('LandingTimeline', 'Times in order.', {
  total: { type: 'integer', description: 'Number of times.', example: 1 },
  items: { type: landingMoment, list: true, description: 'The first times.' },
});

export const workloadLanding = object('WorkloadLanding', 'A workload with replacements that find no node.', {
  workload: { type: workloadName, description: 'The workload.' },
  replaced: { type: 'integer', description: 'Replacements created.', example: 2 },
  landed: { type: 'integer', description: 'Scheduled replacements.', example: 1 },
  unknown: { type: 'integer', description: 'Pods whose replacement or node is unknown.', example: 0 },
  withoutNode: { type: 'integer', description: 'Replacements without a node.', example: 1 },
  refusal: { type: landingRefusal, optional: true, description: 'Why the first of them finds no node.' },
});

export const workloadLandings = object('WorkloadLandings', 'Workloads, most replacements without a node first.', {
  total: { type: 'integer', description: 'Number of workloads.', example: 0 },
  items: { type: workloadLanding, list: true, description: 'The first workloads.' },
});

export const neverReplaced = object('NeverReplaced', 'Evicted pods without a replacement, by reason.', {
  why: { type: NEVER_REPLACED, description: NEVER_REPLACED.description, example: 'barePod' },
  pods: { type: 'integer', description: 'Number of pods.', example: 1 },
});

export const landingTotals = object('LandingTotals', 'Totals over all evicted pods.', {
  evicted: { type: 'integer', description: 'Evicted pods.', example: 3 },
  replaced: { type: 'integer', description: 'Replacements created.', example: 2 },
  landed: { type: 'integer', description: 'Scheduled replacements.', example: 2 },
  landedLater: { type: 'integer', description: 'Scheduled replacements that had to wait.', example: 0 },
  withoutNode: { type: 'integer', description: 'Replacements that never find a node.', example: 0 },
  unknown: { type: 'integer', description: 'Pods whose replacement or node is unknown.', example: 0 },
  requested: { type: landingRoom, description: 'Requests of scheduled replacements.' },
  never: { type: neverReplaced, list: true, description: 'Pods without a replacement, by reason.' },
});

export const landings = object('Landings', 'A plan over time of where replacement pods are scheduled.', {
  totals: { type: landingTotals, description: 'Totals over all evicted pods.' },
  timeline: { type: landingTimeline, description: 'The plan by time.' },
  workloads: { type: workloadLandings, description: 'Workloads with replacements that find no node.' },
  pods: { type: podLandings, description: 'The plan by pod.' },
  assumptions: { type: 'string', list: true, description: 'Assumptions behind the plan.', example: [] },
});
