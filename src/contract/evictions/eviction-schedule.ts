import { KIND } from '../disruptions/disruption-kind.js';
import { without } from '../../core/scenario/without.js';
import { POD_GROUP } from '../common/group.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { workloadName } from '../common/workload-name.js';
import { answerBasis } from '../common/basis.js';
import { landings } from './landing.js';
import { POD_ACTION } from './eviction-schedule-request.js';

export const knownMoment = object(
  'KnownMoment',
  'A moment, as far as it is known; both times are the same where it is known exactly.',
  {
    earliest: {
      type: 'time',
      optional: true,
      description: 'Not before; null where nothing is known of before.',
      example: '2026-05-04T12:05:00Z',
    },
    latest: { type: 'time', description: 'Not after.', example: '2026-05-04T12:05:00Z' },
  },
  { openApiName: 'Moment' },
);

export const EVICTS = enumType('OutageEvicts', 'Whether a failure of nodes evicts pods.', ['yes', 'perhaps', 'no']);

export const BASE_KNOWN = enumType(
  'EvictionBaseKnown',
  'How it is known from when the seconds count: what began last of the taint, the binding, the tolerations and the controller.',
  [
    'auditEvent',
    'recordedChange',
    'timeAdded',
    'snapshots',
    'firstSeen',
    'question',
    'nodeLifecycle',
    'binding',
    'tolerations',
    'controllerStart',
  ],
);

export const evictionBase = object(
  'EvictionBase',
  'From when the seconds count, and how that is known. The controller starts its timer when it sees the taint on the node of the pod.',
  {
    earliest: {
      type: 'time',
      optional: true,
      description: 'Not before; null where nothing is known of before.',
      example: '2026-05-04T12:00:00Z',
    },
    latest: { type: 'time', description: 'Not after.', example: '2026-05-04T12:00:00Z' },
    known: { type: BASE_KNOWN, description: 'How it is known.', example: 'question' },
    text: { type: 'string', description: 'The same in words.', example: 'the question itself says when.' },
  },
);

export const scheduledTaint = object('ScheduledTaint', 'A NoExecute taint of the node, and what the pod makes of it.', {
  taint: { type: 'string', description: 'As kubectl prints it.', example: 'maintenance=true:NoExecute' },
  toleration: {
    type: 'string',
    optional: true,
    description: 'The toleration that is used: the first in the list that matches; null where none does.',
    example: 'spec.tolerations[0]',
  },
  seconds: {
    type: 'int64',
    optional: true,
    description: 'For how long that tolerates it; null for ever, or where nothing tolerates it.',
    example: 300,
  },
  decides: {
    type: 'boolean',
    description:
      'Whether this taint decides: the first that is not tolerated, else the one tolerated for the shortest time.',
    example: true,
  },
  timeAdded: { type: 'string', optional: true, description: 'What the node says of when it was added.' },
  timeAddedNote: {
    type: 'string',
    optional: true,
    description: 'Whether that counts, and why not: the controller ignores it.',
  },
});

export const DEPARTURE_BY = enumType('DepartureBy', 'Who ends a pod that is being deleted.', [
  'kubelet',
  'apiServer',
  'podGarbageCollector',
]);

export const podDeparture = object(
  'PodDeparture',
  'From the mark to the end of its object: marked is not gone.',
  {
    marked: { type: knownMoment, description: 'When its deletion is asked for.' },
    gracePeriodSeconds: { type: 'number', description: 'How long it has to stop.', example: 30 },
    gone: {
      type: knownMoment,
      optional: true,
      description: 'When its object is gone; null where nobody ends it.',
      example: { earliest: '2026-05-04T12:05:30Z', latest: '2026-05-04T12:05:30Z' },
    },
    by: {
      type: DEPARTURE_BY,
      optional: true,
      description:
        'Who ends it: kubelet, apiServer (at once) or podGarbageCollector (by force); null where nobody does.',
      example: 'kubelet',
    },
    note: {
      type: 'string',
      optional: true,
      description: 'What is particular: a node that does not answer, the out-of-service taint.',
    },
  },
  { openApiName: 'Departure' },
);

export const cancelledTimer = object('CancelledTimer', 'A timer that was cancelled.', {
  at: { type: knownMoment, description: 'When.' },
  why: {
    type: 'string',
    description: 'Why.',
    example: 'No NoExecute taint is left on the node: its timer is cancelled.',
  },
});

export const keptWithout = object('KeptWithout', 'The taints whose removal keeps the pod.', {
  anyOf: { type: 'string', list: true, description: 'Each of these alone.', example: ['maintenance=true:NoExecute'] },
  allOf: { type: 'string', list: true, description: 'All of these together, where no single one does.', example: [] },
});

export const podDisruptionKind = object(
  'PodDisruptionKind',
  'Which kind of disruption takes the pod, and the reason in its condition DisruptionTarget.',
  {
    kind: {
      type: KIND,
      optional: true,
      description: 'Its kind; null for a reason that is not one of Kubernetes.',
      example: 'taintEviction',
    },
    reason: { type: 'string', description: 'The reason.', example: 'DeletionByTaintManager' },
  },
);

export const scheduledPod = object(
  'ScheduledPod',
  'Whether and when one pod leaves by NoExecute taints, and what decides it.',
  {
    namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
    name: { type: 'string', description: 'Its name.', example: 'web-0' },
    node: { type: 'string', description: 'The node that it is on.', example: 'node-1' },
    workload: { type: workloadName, description: 'What it belongs to.' },
    action: { type: POD_ACTION, description: 'What is to be said of it.', example: 'at' },
    at: {
      type: knownMoment,
      optional: true,
      description: 'When it is marked for deletion; null where it never is.',
      example: exampleOf(knownMoment),
    },
    because: {
      type: 'string',
      description: 'What decides it.',
      example: 'maintenance=true:NoExecute is tolerated for 300 s by the first toleration that matches it.',
    },
    base: {
      type: evictionBase,
      optional: true,
      description: 'From when the seconds count; null where nothing was decided.',
      example: exampleOf(evictionBase),
    },
    taints: { type: scheduledTaint, list: true, description: 'The NoExecute taints on which it was decided.' },
    overdue: {
      type: 'boolean',
      description: 'It should have been marked before it was seen last, and was not.',
      example: false,
    },
    cancelled: { type: cancelledTimer, optional: true, description: 'Where its timer is cancelled.' },
    mayHaveLeftSince: {
      type: 'time',
      optional: true,
      description:
        'It stays if it was there still when its timer was cancelled: the timer may have fired from then on.',
    },
    departure: {
      type: podDeparture,
      optional: true,
      description: 'From the mark to its end; null where it stays.',
      example: exampleOf(podDeparture),
    },
    keptWithout: {
      type: keptWithout,
      optional: true,
      description: 'The taints whose removal keeps it; null where it stays, or is being deleted.',
      example: exampleOf(keptWithout),
    },
    secondsToOutlast: {
      type: 'number',
      optional: true,
      description:
        'The tolerationSeconds from which on it would outlast the outage, set before its timer starts; null where the taints do not go.',
    },
    disruption: {
      type: podDisruptionKind,
      optional: true,
      description: 'Which kind of disruption it is; null where it stays.',
      example: exampleOf(podDisruptionKind),
    },
    budgets: {
      type: 'string',
      list: true,
      description: 'The PodDisruptionBudgets that select it, as namespace/name; none where it stays.',
      example: [],
    },
    notes: {
      type: 'string',
      list: true,
      description: 'What does not protect it, and what else is particular.',
      example: [],
    },
  },
);

const LATEST = {
  ...knownMoment.members.latest,
  optional: true,
  description: 'Not after. Both times are null where they differ, and stand in `columns`.',
} as const;

export const groupedMoment = object('GroupedMoment', 'A moment of the pods of a group, as far as it is known.', {
  ...knownMoment.members,
  latest: LATEST,
});

export const groupedBase = object('GroupedEvictionBase', 'From when the seconds of a group of pods count.', {
  ...evictionBase.members,
  latest: LATEST,
});

export const groupedTimer = object('GroupedCancelledTimer', 'Timers that were cancelled.', {
  ...cancelledTimer.members,
  at: { ...cancelledTimer.members.at, type: groupedMoment },
});

export const groupedDeparture = object('GroupedPodDeparture', 'From the mark to the end of the objects.', {
  ...podDeparture.members,
  marked: { ...podDeparture.members.marked, type: groupedMoment },
  gone: { ...podDeparture.members.gone, type: groupedMoment },
  gracePeriodSeconds: { ...podDeparture.members.gracePeriodSeconds, optional: true },
});

const { node, because, budgets, at, base, cancelled, departure, ...OF_POD } = without(
  scheduledPod.members,
  'namespace',
  'name',
  'workload',
);

export const scheduledPodGroup = object(
  'ScheduledPodGroup',
  'Pods of which the same is to be said, for the same cause. What they differ in is null here, and stands in columns or with their workload.',
  {
    ...POD_GROUP,
    node: { ...node, optional: true },
    ...OF_POD,
    because: { ...because, optional: true },
    budgets: { ...budgets, optional: true },
    at: { ...at, type: groupedMoment },
    base: { ...base, type: groupedBase },
    cancelled: { ...cancelled, type: groupedTimer },
    departure: { ...departure, type: groupedDeparture },
  },
);

export const scheduleCounts = object('ScheduleCounts', 'Pods by what is to be said of them.', {
  pods: {
    type: 'integer',
    description: 'On the nodes that were asked about, those without any NoExecute taint included.',
    example: 12,
  },
  marked: { type: 'integer', description: 'Their deletion has been asked for already.', example: 0 },
  now: { type: 'integer', description: 'Marked for deletion by now, or should be.', example: 2 },
  at: { type: 'integer', description: 'They will be.', example: 1 },
  never: { type: 'integer', description: 'They stay in spite of NoExecute taints.', example: 4 },
});

export const scheduleMoment = object('ScheduleMoment', 'Pods that leave at one moment.', {
  at: { type: knownMoment, description: 'When.' },
  pods: { type: 'integer', description: 'How many.', example: 2 },
});

export const scheduleMoments = object('ScheduleMoments', 'Soonest first.', {
  total: { type: 'integer', description: 'How many.', example: 1 },
  items: { type: scheduleMoment, list: true, description: 'The first of them.' },
});

export const scheduleMinute = object('ScheduleMinute', 'Pods that leave within one minute.', {
  minute: { type: 'time', description: 'The beginning of the minute.', example: '2026-05-04T12:05:00Z' },
  pods: { type: 'integer', description: 'How many, by the latest moment.', example: 2 },
});

export const scheduleMinutes = object('ScheduleMinutes', 'In order of time; minutes without any are left out.', {
  total: { type: 'integer', description: 'How many.', example: 1 },
  items: { type: scheduleMinute, list: true, description: 'The first of them.' },
});

export const nodeSchedule = object('NodeSchedule', 'The pods of one node that some pod leaves.', {
  node: { type: 'string', description: 'The node.', example: 'node-1' },
  marked: { type: 'integer', description: 'Being deleted already.', example: 0 },
  now: { type: 'integer', description: 'Leave now.', example: 2 },
  at: { type: 'integer', description: 'Leave later.', example: 1 },
  never: { type: 'integer', description: 'Stay.', example: 4 },
  first: { type: knownMoment, description: 'When the first one leaves.' },
  last: { type: knownMoment, description: 'When the last one does.' },
});

export const nodeSchedules = object('NodeSchedules', 'Those that a pod leaves soonest first.', {
  total: { type: 'integer', description: 'How many.', example: 1 },
  items: { type: nodeSchedule, list: true, description: 'The first of them.' },
});

export const workloadSchedule = object('WorkloadSchedule', 'The pods of one workload that leave.', {
  workload: { type: workloadName, description: 'The workload.' },
  replicas: {
    type: 'integer',
    description: 'Its pods that have not ended and are not being deleted, wherever they are.',
    example: 3,
  },
  now: { type: 'integer', description: 'Leave now.', example: 1 },
  at: { type: 'integer', description: 'Leave later.', example: 0 },
  firstLoss: { type: knownMoment, description: 'When it loses its first replica.' },
  lastReplica: {
    type: knownMoment,
    optional: true,
    description: 'When its last replica leaves; null where some stay.',
  },
});

export const workloadSchedules = object('WorkloadSchedules', 'Those that lose a pod soonest first.', {
  total: { type: 'integer', description: 'How many.', example: 1 },
  items: { type: workloadSchedule, list: true, description: 'The first of them.' },
});

export const budgetBreach = object(
  'BudgetBreach',
  'A PodDisruptionBudget whose healthy pods leave; it holds off none of it.',
  {
    namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
    name: { type: 'string', description: 'Its name.', example: 'web' },
    leaving: { type: 'integer', description: 'Healthy pods of it that leave.', example: 2 },
    currentHealthy: {
      type: 'integer',
      optional: true,
      description: 'Its healthy pods now; null where that is not known.',
      example: 3,
    },
    desiredHealthy: {
      type: 'integer',
      optional: true,
      description: 'How many must be; null where that is not known.',
      example: 2,
    },
    brokenAt: {
      type: knownMoment,
      optional: true,
      description: 'When fewer are left than must be, if none comes in their place; null where that does not happen.',
    },
    text: {
      type: 'string',
      description: 'Its arithmetic in words.',
      example: 'minAvailable 2 of 3 expected pods (all that it selects); 3 are healthy; 1 disruption is allowed',
    },
  },
);

export const budgetBreaches = object('BudgetBreaches', 'By namespace and name.', {
  total: { type: 'integer', description: 'How many.', example: 1 },
  items: { type: budgetBreach, list: true, description: 'The first of them.' },
});

export const scheduledTaintChange = object(
  'ScheduledTaintChange',
  'A change of taints that the answer rests on.',
  {
    at: { type: 'time', description: 'When it is taken to be made.', example: '2026-05-04T12:00:55Z' },
    moment: { type: knownMoment, description: 'Within what bounds that is known.' },
    node: { type: 'string', description: 'The node.', example: 'node-1' },
    added: {
      type: 'string',
      list: true,
      description: 'Taints that come.',
      example: ['maintenance=true:NoExecute'],
    },
    removed: { type: 'string', list: true, description: 'Taints that go.', example: [] },
    why: { type: 'string', description: 'Why.', example: 'The question says so.' },
  },
  { openApiName: 'NodeTaintChange' },
);

export const scheduledTaintChanges = object(
  'ScheduledTaintChanges',
  'In order of time.',
  {
    total: { type: 'integer', description: 'How many.', example: 1 },
    items: { type: scheduledTaintChange, list: true, description: 'The first of them.' },
  },
  { openApiName: 'NodeTaintChanges' },
);

export const ZONE_STATE = enumType(
  'ZoneDisruption',
  'How much of a zone has failed, as the node lifecycle controller counts it.',
  ['Initial', 'Normal', 'PartialDisruption', 'FullDisruption'],
);

export const zoneDisruptionState = object(
  'ZoneDisruptionState',
  'A zone from a moment on.',
  {
    at: { type: 'time', description: 'When.', example: '2026-05-04T12:00:55Z' },
    state: { type: ZONE_STATE, description: 'As the controller calls it.', example: 'FullDisruption' },
    readyNodes: { type: 'integer', description: 'Ready nodes.', example: 0 },
    notReadyNodes: { type: 'integer', description: 'Others.', example: 4 },
    ratePerSecond: { type: 'number', description: 'Nodes a second that get their NoExecute taint.', example: 0.1 },
  },
  { openApiName: 'ZoneState' },
);

export const outageZone = object('OutageZone', 'A zone, as the node lifecycle controller counts it.', {
  zone: { type: 'string', description: 'Region and zone; empty for nodes without.', example: 'eu/zone-b' },
  nodes: { type: 'integer', description: 'Its nodes.', example: 4 },
  failing: { type: 'integer', description: 'Those that fail.', example: 4 },
  states: { type: zoneDisruptionState, list: true, description: 'Its states in order of time.' },
});

export const outageResponse = object('OutageResponse', 'What the failure of nodes comes to.', {
  zones: { type: outageZone, list: true, description: 'The zones.' },
  waiting: {
    type: 'integer',
    description: 'Nodes that wait for their NoExecute taint when the horizon ends.',
    example: 0,
  },
  evicts: {
    type: EVICTS,
    description:
      'Whether it evicts anything; perhaps: it depends on when, within the bounds of what is known, a taint comes or goes.',
    example: 'yes',
  },
  firstEvictionAfterSeconds: {
    type: 'number',
    optional: true,
    description:
      'How long after its beginning the first pod leaves at the earliest, if it leaves; null where none does. A shorter outage evicts nothing.',
    example: 355,
  },
});

export const CONTROLLER_START_KNOWN = enumType(
  'ControllerStartKnown',
  'How a start of the controller manager is known.',
  ['lease', 'request'],
);

export const controllerStart = object('ControllerStart', 'A start of the controller manager.', {
  at: { type: 'time', description: 'When.', example: '2026-05-01T08:00:00Z' },
  known: { type: CONTROLLER_START_KNOWN, description: 'How it is known: lease or request.', example: 'lease' },
});

/** What an answer says before its pods. */
export const evictionScheduleHead = object(
  'EvictionScheduleHead',
  '',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    asOf: { type: 'time', description: 'From which moment it was asked.', example: '2026-05-04T12:00:00Z' },
    horizon: {
      type: 'time',
      description: 'Until when failures of nodes were followed.',
      example: '2026-05-04T16:00:00Z',
    },
    counts: { type: scheduleCounts, description: 'Pods by what is to be said of them.' },
    moments: { type: scheduleMoments, description: 'Pods that leave, by moment.' },
    minutes: { type: scheduleMinutes, description: 'Pods that leave, by minute.' },
    nodes: { type: nodeSchedules, description: 'Nodes that pods leave.' },
    workloads: { type: workloadSchedules, description: 'Workloads that lose pods.' },
    budgets: { type: budgetBreaches, description: 'Budgets whose pods leave.' },
    changes: {
      type: scheduledTaintChanges,
      description:
        'What the question brings: changes of taints by its scenario, its events, and what the node lifecycle controller does.',
    },
    outage: {
      type: outageResponse,
      optional: true,
      description: 'What the failure of nodes comes to; null where none was asked about.',
    },
    controllerStart: {
      type: controllerStart,
      optional: true,
      description: 'When the controller manager was started last; null where that is not known.',
    },
    assumptions: {
      type: 'string',
      list: true,
      description: 'What was taken for given.',
      example: [
        'The taint eviction controller runs, and sees a change at the moment at which it is made; really some milliseconds later.',
      ],
    },
    landing: {
      type: landings,
      optional: true,
      description: 'Where the pods could land; null unless asked for.',
    },
  },
  { restOnly: true },
);
