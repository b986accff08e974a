import { enumType, object } from '../schema.js';
import { reasonCount } from '../placements/placement.js';
import { workloadName } from '../common/workload-name.js';

export const NEVER_REPLACED = enumType('NeverReplacedReason', 'Why no pod is made in the place of one that leaves.', [
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

export const LANDING_VERDICT = enumType('LandingVerdict', 'Whether a replacement pod finds a node, at once or later.', [
  'feasible',
  'none',
  'unknown',
]);

export const LANDING_UNKNOWN_CODE = enumType(
  'LandingUnknownCode',
  'Why it is not known whether there is a node, for programs.',
  ['filterNotBuilt', 'scoreFailed', 'budget', 'customController', 'unreadableRequest'],
);

export const landingRoom = object('LandingRoom', 'Amounts, as Kubernetes writes them.', {
  cpu: { type: 'string', description: 'CPU.', example: '2500m' },
  memory: { type: 'string', description: 'Memory in bytes.', example: '335544320' },
});

export const landingRefusal = object('LandingRefusal', 'Why there is no node.', {
  message: {
    type: 'string',
    optional: true,
    description: "Kubernetes' own message; null where it would write none.",
    example: '0/4 nodes are available: 4 node(s) had untolerated taint(s).',
  },
  reasons: { type: reasonCount, list: true, description: 'Every reason, counted over the nodes.' },
});

export const landingUnknown = object('LandingUnknown', 'Why it is not known whether there is a node.', {
  code: { type: LANDING_UNKNOWN_CODE, description: 'For programs.', example: 'filterNotBuilt' },
  message: {
    type: 'string',
    description: 'A sentence.',
    example: 'VolumeBinding cannot be evaluated: the pod uses claims (never loaded: PersistentVolumeClaim)',
  },
});

export const podLanding = object('PodLanding', 'A pod that leaves, and the one that is made in its place.', {
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web-0' },
  workload: { type: workloadName, description: 'What it belongs to.' },
  from: { type: 'string', optional: true, description: 'The node that it leaves.', example: 'node-1' },
  markedAt: {
    type: 'time',
    optional: true,
    description: 'When it is marked for deletion.',
    example: '2026-05-04T12:05:00Z',
  },
  goneAt: {
    type: 'time',
    optional: true,
    description: 'When its object is gone and its room is free; null where it stays Terminating.',
    example: '2026-05-04T12:05:30Z',
  },
  replacementAt: {
    type: 'time',
    optional: true,
    description: 'When its controller makes another; null where it never does, or where that is not known.',
    example: '2026-05-04T12:05:00Z',
  },
  never: {
    type: NEVER_REPLACED,
    optional: true,
    description: 'Why no other is made, for programs.',
    example: 'barePod',
  },
  verdict: {
    type: LANDING_VERDICT,
    optional: true,
    description: 'Whether the other finds a node: feasible, none or unknown; null where none is made.',
    example: 'feasible',
  },
  feasibleNodes: { type: 'integer', description: 'Nodes that could take it then.', example: 3 },
  unknownNodes: { type: 'integer', description: 'Nodes that perhaps could.', example: 0 },
  nodes: {
    type: 'string',
    list: true,
    description:
      'The first few of those that could: those with the greatest totals of all scores first, by name where these are equal.',
    example: ['node-2'],
  },
  chosen: { type: 'string', optional: true, description: 'The node that the plan puts it on.', example: 'node-2' },
  landedAt: {
    type: 'time',
    optional: true,
    description: 'When: later than `replacementAt` where it waits for room.',
    example: '2026-05-04T12:05:00Z',
  },
  refusal: { type: landingRefusal, optional: true, description: 'Why there was no node when it was made.' },
  unknownBecause: { type: landingUnknown, list: true, description: 'Why it is not known.' },
});

export const podLandings = object('PodLandings', 'In the order in which they leave.', {
  total: { type: 'integer', description: 'How many.', example: 1 },
  items: { type: podLanding, list: true, description: 'The first of them.' },
});

export const landingMoment = object('LandingMoment', 'What happens at one moment.', {
  at: { type: 'time', description: 'When.', example: '2026-05-04T12:05:00Z' },
  evicted: { type: 'integer', description: 'Pods marked for deletion.', example: 2 },
  gone: { type: 'integer', description: 'Pods whose room becomes free.', example: 0 },
  replaced: { type: 'integer', description: 'Pods that get a replacement.', example: 2 },
  landed: { type: 'integer', description: 'Pods that find a node, those that waited included.', example: 2 },
  withoutNode: { type: 'integer', description: 'Of those made now, pods for which there is no node.', example: 0 },
  unknown: { type: 'integer', description: 'Of those made now, pods of which it is not known.', example: 0 },
  waiting: { type: 'integer', description: 'Pods without a node afterwards.', example: 0 },
  requested: { type: landingRoom, description: 'What those that land request.' },
  free: { type: landingRoom, description: 'What is left on nodes that any pod may go to.' },
});

export const landingTimeline = object('LandingTimeline', 'In order of time.', {
  total: { type: 'integer', description: 'How many moments.', example: 1 },
  items: { type: landingMoment, list: true, description: 'The first of them.' },
});

export const workloadLanding = object('WorkloadLanding', 'A workload with pods that find no node.', {
  workload: { type: workloadName, description: 'The workload.' },
  replaced: { type: 'integer', description: 'Pods that get a replacement.', example: 2 },
  landed: { type: 'integer', description: 'Those that land.', example: 1 },
  unknown: { type: 'integer', description: 'Those of which it is not known.', example: 0 },
  withoutNode: { type: 'integer', description: 'Those without a node.', example: 1 },
  refusal: { type: landingRefusal, optional: true, description: 'Why, of the first.' },
});

export const workloadLandings = object('WorkloadLandings', 'Most pods without a node first.', {
  total: { type: 'integer', description: 'How many.', example: 0 },
  items: { type: workloadLanding, list: true, description: 'The first of them.' },
});

export const neverReplaced = object('NeverReplaced', 'Pods in whose place no other is made.', {
  why: { type: NEVER_REPLACED, description: 'Why, for programs.', example: 'barePod' },
  pods: { type: 'integer', description: 'How many.', example: 1 },
});

export const landingTotals = object('LandingTotals', 'All pods that leave.', {
  evicted: { type: 'integer', description: 'They leave.', example: 3 },
  replaced: { type: 'integer', description: 'Made anew.', example: 2 },
  landed: { type: 'integer', description: 'Those find a node, at once or later.', example: 2 },
  landedLater: { type: 'integer', description: 'Of them, those that waited.', example: 0 },
  withoutNode: { type: 'integer', description: 'Without a node to the end.', example: 0 },
  unknown: { type: 'integer', description: 'Not known.', example: 0 },
  requested: { type: landingRoom, description: 'What those that land request.' },
  never: { type: neverReplaced, list: true, description: 'Pods that get no replacement, by reason.' },
});

export const landings = object('Landings', 'Where pods that leave could land, as a plan in time.', {
  totals: { type: landingTotals, description: 'All of them.' },
  timeline: { type: landingTimeline, description: 'Moment by moment.' },
  workloads: { type: workloadLandings, description: 'Workloads with pods that find no node.' },
  pods: { type: podLandings, description: 'Pod by pod.' },
  assumptions: { type: 'string', list: true, description: 'What the plan takes for given.', example: [] },
});
