import { KIND } from '../disruptions/disruption-kind.js';
import { without } from '../../core/collections/without.js';
import { POD_GROUP } from '../common/group.js';
import { NOT_LOADED } from '../common/not-loaded.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { workloadName } from '../common/workload-name.js';
import { answerBasis } from '../common/basis.js';
import { landings } from './landing.js';
import { POD_ACTION } from './eviction-schedule-request.js';

export const knownMoment = object(
  'KnownMoment',
  'A time, as exactly as it is known; the two members are equal for an exact time.',
  {
    earliest: {
      type: 'time',
      optional: true,
      description: 'Earliest possible time; null if unknown.',
      example: '2026-05-04T12:05:00Z',
    },
    latest: { type: 'time', description: 'Latest possible time.', example: '2026-05-04T12:05:00Z' },
  },
  { openApiName: 'Moment' },
);

export const EVICTS = enumType('OutageEvicts', 'Whether the outage evicts pods.', ['yes', 'perhaps', 'no']);

export const BASE_KNOWN = enumType(
  'EvictionBaseKnown',
  'Source of the start time: the last of taint, binding, tolerations and controller start.',
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
    'deviceTaint',
  ],
);

export const evictionBase = object(
  'EvictionBase',
  'Start of the toleration seconds, and its source. The controller starts the timer when it sees the taint on ' +
    "the pod's node.",
  {
    earliest: {
      type: 'time',
      optional: true,
      description: 'Earliest possible time; null if unknown.',
      example: '2026-05-04T12:00:00Z',
    },
    latest: { type: 'time', description: 'Latest possible time.', example: '2026-05-04T12:00:00Z' },
    known: { type: BASE_KNOWN, description: BASE_KNOWN.description, example: 'question' },
    text: { type: 'string', description: 'The source as text.', example: 'the question itself says when.' },
  },
);

export const scheduledTaint = object('ScheduledTaint', 'A NoExecute taint of the node, and how the pod tolerates it.', {
  taint: { type: 'string', description: 'The taint, as kubectl prints it.', example: 'maintenance=true:NoExecute' },
  toleration: {
    type: 'string',
    optional: true,
    description: 'The toleration that applies: the first in the list that matches; null if none matches.',
    example: 'spec.tolerations[0]',
  },
  seconds: {
    type: 'int64',
    optional: true,
    description: 'How long the toleration lasts, in seconds; null if it is unlimited or if none matches.',
    example: 300,
  },
  decides: {
    type: 'boolean',
    description:
      'Whether this taint decides: the first that is not tolerated, or the one tolerated for the shortest time.',
    example: true,
  },
  timeAdded: { type: 'identifier', optional: true, description: "The taint's timeAdded in the node." },
  timeAddedNote: {
    type: 'string',
    optional: true,
    description: 'Whether timeAdded counts, and if not, why: the controller ignores it.',
  },
});

export const scheduledDeviceTaint = object(
  'ScheduledDeviceTaint',
  'A NoExecute taint of a device that the pod uses, and how the allocation of its claim tolerates it.',
  {
    taint: { type: 'string', description: 'The taint.', example: 'gpu.example.com/broken:NoExecute' },
    rule: {
      type: 'identifier',
      optional: true,
      description: 'The DeviceTaintRule that sets the taint; null if a ResourceSlice does.',
    },
    claim: {
      type: 'identifier',
      optional: true,
      description: 'The claim, as `namespace/name`; null if the pods of a group differ.',
      example: 'default/web-gpu',
    },
    request: { type: 'identifier', description: 'The request of the claim.', example: 'gpu' },
    device: {
      type: 'identifier',
      optional: true,
      description: 'The device, as `driver/pool/device`; null if the pods of a group differ.',
      example: 'gpu.example.com/node-1/gpu-0',
    },
    seconds: {
      type: 'int64',
      optional: true,
      description: 'How long the allocation tolerates the taint, in seconds; null if no toleration matches.',
      example: 300,
    },
    timeAdded: {
      type: 'identifier',
      optional: true,
      description:
        "The taint's timeAdded, from which the seconds count; that of a scenario's taint without one is `asOf`.",
      example: '2026-05-04T12:00:00Z',
    },
    decides: { type: 'boolean', description: 'Whether this taint is the first to evict the pod.', example: true },
  },
);

export const DEPARTURE_BY = enumType('DepartureBy', 'What removes a pod that is being deleted.', [
  'kubelet',
  'apiServer',
  'podGarbageCollector',
]);

export const podDeparture = object(
  'PodDeparture',
  'The deletion of a pod: a marked pod exists until its object is removed.',
  {
    marked: { type: knownMoment, description: 'When the pod is marked for deletion.' },
    gracePeriodSeconds: { type: 'number', description: 'Grace period in seconds.', example: 30 },
    gone: {
      type: knownMoment,
      optional: true,
      description: 'When the object is removed; null if nothing removes it.',
      example: { earliest: '2026-05-04T12:05:30Z', latest: '2026-05-04T12:05:30Z' },
    },
    by: {
      type: DEPARTURE_BY,
      optional: true,
      description:
        'What removes it: kubelet, apiServer (immediately) or podGarbageCollector (by force); null if nothing does.',
      example: 'kubelet',
    },
    note: {
      type: 'string',
      optional: true,
      description: 'Special case: an unreachable node, or the out-of-service taint.',
    },
  },
  { openApiName: 'Departure' },
);

export const cancelledTimer = object('CancelledTimer', 'A timer that was cancelled.', {
  at: { type: knownMoment, description: 'When the timer was cancelled.' },
  why: {
    type: 'string',
    description: 'Why the timer was cancelled.',
    example: 'The node has no NoExecute taint left, so the timer is cancelled.',
  },
});

export const keptWithout = object('KeptWithout', 'Taints whose removal keeps the pod.', {
  anyOf: { type: 'string', list: true, description: 'Each of these alone.', example: ['maintenance=true:NoExecute'] },
  allOf: {
    type: 'string',
    list: true,
    description: 'All of these together, if no single one is sufficient.',
    example: [],
  },
});

export const podDisruptionKind = object(
  'PodDisruptionKind',
  "Kind of disruption, and the reason in the pod's condition DisruptionTarget.",
  {
    kind: {
      type: KIND,
      optional: true,
      description: 'Kind of disruption; null for a reason that is not one of Kubernetes.',
      example: 'taintEviction',
    },
    reason: { type: 'identifier', description: 'Reason of the condition.', example: 'DeletionByTaintManager' },
  },
);

export const scheduledPod = object(
  'ScheduledPod',
  'Whether and when a pod is evicted by NoExecute taints of its node or its devices, and why.',
  {
    namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
    name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
    node: { type: 'identifier', description: 'Node of the pod.', example: 'node-1' },
    workload: { type: workloadName, description: 'Workload of the pod.' },
    action: { type: POD_ACTION, description: POD_ACTION.description, example: 'at' },
    at: {
      type: knownMoment,
      optional: true,
      description: 'When the pod is marked for deletion; null if never.',
      example: exampleOf(knownMoment),
    },
    because: {
      type: 'string',
      description: 'Why the pod is evicted at that time, or stays.',
      example: 'maintenance=true:NoExecute is tolerated for 300 s by the first toleration that matches it.',
    },
    base: {
      type: evictionBase,
      optional: true,
      description: 'Time from which `tolerationSeconds` count; null if no taint decides.',
      example: exampleOf(evictionBase),
    },
    taints: {
      type: scheduledTaint,
      list: true,
      description: "The NoExecute taints of the pod's node that were evaluated.",
    },
    devices: {
      type: scheduledDeviceTaint,
      list: true,
      description: 'The taints of devices that evict the pod; the earlier of these and the taints of the node wins.',
      example: [],
    },
    overdue: {
      type: 'boolean',
      description: 'Whether the pod should have been marked for deletion before the last observation, but was not.',
      example: false,
    },
    cancelled: {
      type: cancelledTimer,
      optional: true,
      description: 'The timer that was cancelled; null if there is none.',
    },
    mayHaveLeftSince: {
      type: 'time',
      optional: true,
      description:
        'The timer may have fired between this time and its cancellation; if it did not, the pod stays. Null otherwise.',
    },
    departure: {
      type: podDeparture,
      optional: true,
      description: 'Deletion of the pod; null if it stays.',
      example: exampleOf(podDeparture),
    },
    keptWithout: {
      type: keptWithout,
      optional: true,
      description: 'Taints whose removal keeps the pod; null if it stays or is already being deleted.',
      example: exampleOf(keptWithout),
    },
    secondsToOutlast: {
      type: 'number',
      optional: true,
      description:
        'Smallest tolerationSeconds with which the pod would outlast the outage, if set before its timer starts; null ' +
        'if the taints remain.',
    },
    disruption: {
      type: podDisruptionKind,
      optional: true,
      description: 'Kind of disruption; null if the pod stays.',
      example: exampleOf(podDisruptionKind),
    },
    budgets: {
      type: 'identifier',
      list: true,
      description: 'PodDisruptionBudgets that select the pod, as `namespace/name`; empty if the pod stays.',
      example: [],
    },
    notes: {
      type: 'string',
      list: true,
      description: 'What does not protect the pod, and other special cases.',
      example: [],
    },
  },
);

const LATEST = {
  ...knownMoment.members.latest,
  optional: true,
  description: 'Latest possible time. If the pods differ, both times are null and in `columns`.',
} as const;

export const groupedMoment = object('GroupedMoment', 'A time for the pods of a group, as exactly as it is known.', {
  ...knownMoment.members,
  latest: LATEST,
});

export const groupedBase = object('GroupedEvictionBase', 'Time from which the seconds count for a group of pods.', {
  ...evictionBase.members,
  latest: LATEST,
});

export const groupedTimer = object('GroupedCancelledTimer', 'Cancelled timers of a group of pods.', {
  ...cancelledTimer.members,
  at: { ...cancelledTimer.members.at, type: groupedMoment },
});

export const groupedDeparture = object('GroupedPodDeparture', 'The deletion of a group of pods.', {
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
  'Pods with the same action for the same cause. Members in which they differ are null; `columns` or the workload has the values.',
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

export const scheduleCounts = object('ScheduleCounts', 'Pods by action.', {
  pods: {
    type: 'integer',
    description: 'All pods on the selected nodes, including nodes without NoExecute taints.',
    example: 12,
  },
  marked: { type: 'integer', description: 'Already marked for deletion.', example: 0 },
  now: { type: 'integer', description: 'Marked for deletion by `asOf`, or should be.', example: 2 },
  at: { type: 'integer', description: 'Marked for deletion later.', example: 1 },
  never: { type: 'integer', description: 'Stay despite NoExecute taints.', example: 4 },
});

export const scheduleMoment = object('ScheduleMoment', 'Number of pods evicted at one time.', {
  at: { type: knownMoment, description: 'Time of the evictions.' },
  pods: { type: 'integer', description: 'Number of pods.', example: 2 },
});

export const scheduleMoments = object('ScheduleMoments', 'Eviction times, soonest first.', {
  total: { type: 'integer', description: 'Number of times.', example: 1 },
  items: { type: scheduleMoment, list: true, description: 'The first times.' },
});

export const scheduleMinute = object('ScheduleMinute', 'Number of pods evicted within one minute.', {
  minute: { type: 'time', description: 'Start of the minute.', example: '2026-05-04T12:05:00Z' },
  pods: { type: 'integer', description: 'Number of pods, by latest possible time.', example: 2 },
});

export const scheduleMinutes = object('ScheduleMinutes', 'Minutes with evictions, in order of time.', {
  total: { type: 'integer', description: 'Number of minutes.', example: 1 },
  items: { type: scheduleMinute, list: true, description: 'The first minutes.' },
});

export const nodeSchedule = object('NodeSchedule', 'Evictions from one node.', {
  node: { type: 'identifier', description: 'Node name.', example: 'node-1' },
  marked: { type: 'integer', description: 'Pods already being deleted.', example: 0 },
  now: { type: 'integer', description: 'Number of pods evicted by `asOf`.', example: 2 },
  at: { type: 'integer', description: 'Number of pods evicted later.', example: 1 },
  never: { type: 'integer', description: 'Pods that stay.', example: 4 },
  first: { type: knownMoment, description: 'Time of the first eviction.' },
  last: { type: knownMoment, description: 'Time of the last eviction.' },
});

export const nodeSchedules = object('NodeSchedules', 'Nodes with evictions, soonest eviction first.', {
  total: { type: 'integer', description: 'Number of nodes.', example: 1 },
  items: { type: nodeSchedule, list: true, description: 'The first nodes.' },
});

export const workloadSchedule = object('WorkloadSchedule', 'Evictions of one workload.', {
  workload: { type: workloadName, description: 'The workload.' },
  replicas: {
    type: 'integer',
    description: 'Its pods on any node that are neither finished nor being deleted.',
    example: 3,
  },
  now: { type: 'integer', description: 'Number of pods evicted by `asOf`.', example: 1 },
  at: { type: 'integer', description: 'Number of pods evicted later.', example: 0 },
  firstLoss: { type: knownMoment, description: 'When the workload loses its first replica.' },
  lastReplica: {
    type: knownMoment,
    optional: true,
    description: 'When the last replica is evicted; null if some stay.',
  },
});

export const workloadSchedules = object('WorkloadSchedules', 'Workloads with evictions, soonest eviction first.', {
  total: { type: 'integer', description: 'Number of workloads.', example: 1 },
  items: { type: workloadSchedule, list: true, description: 'The first workloads.' },
});

export const budgetBreach = object(
  'BudgetBreach',
  'A PodDisruptionBudget whose healthy pods are evicted; it does not apply to these evictions.',
  {
    namespace: { type: 'identifier', description: 'Budget namespace.', example: 'default' },
    name: { type: 'identifier', description: 'Budget name.', example: 'web' },
    leaving: { type: 'integer', description: 'Healthy pods that are evicted.', example: 2 },
    currentHealthy: {
      type: 'integer',
      optional: true,
      description: 'Healthy pods now; null if unknown.',
      example: 3,
    },
    desiredHealthy: {
      type: 'integer',
      optional: true,
      description: 'Pods that must be healthy; null if unknown.',
      example: 2,
    },
    brokenAt: {
      type: knownMoment,
      optional: true,
      description: 'Time from which too few healthy pods are left, assuming no replacements; null if never or unknown.',
    },
    text: {
      type: 'string',
      description: 'The calculation as text, or why it is unknown.',
      example: 'minAvailable 2 of 3 expected pods (all that it selects); 3 are healthy; 1 disruption is allowed',
    },
  },
);

export const budgetBreaches = object('BudgetBreaches', 'Budgets by namespace and name.', {
  total: { type: 'integer', description: 'Number of budgets.', example: 1 },
  items: { type: budgetBreach, list: true, description: 'The first budgets.' },
});

export const scheduledTaintChange = object(
  'ScheduledTaintChange',
  'A change of taints that the schedule is based on.',
  {
    at: { type: 'time', description: 'Assumed time of the change.', example: '2026-05-04T12:00:55Z' },
    moment: { type: knownMoment, description: 'Earliest and latest possible time of the change.' },
    node: { type: 'identifier', description: 'Node name.', example: 'node-1' },
    added: {
      type: 'string',
      list: true,
      description: 'Added taints.',
      example: ['maintenance=true:NoExecute'],
    },
    removed: { type: 'string', list: true, description: 'Removed taints.', example: [] },
    why: { type: 'string', description: 'Why the change happens.', example: 'Specified by the request.' },
  },
  { openApiName: 'NodeTaintChange' },
);

export const scheduledTaintChanges = object(
  'ScheduledTaintChanges',
  'Changes in order of time.',
  {
    total: { type: 'integer', description: 'Number of changes.', example: 1 },
    items: { type: scheduledTaintChange, list: true, description: 'The first changes.' },
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
  'State of a zone from a time on.',
  {
    at: { type: 'time', description: 'Time of the start.', example: '2026-05-04T12:00:55Z' },
    state: { type: ZONE_STATE, description: ZONE_STATE.description, example: 'FullDisruption' },
    readyNodes: { type: 'integer', description: 'Ready nodes.', example: 0 },
    notReadyNodes: { type: 'integer', description: 'Other nodes.', example: 4 },
    ratePerSecond: { type: 'number', description: 'Nodes per second that get their NoExecute taint.', example: 0.1 },
  },
  { openApiName: 'ZoneState' },
);

export const outageZone = object('OutageZone', 'A zone as defined by the node lifecycle controller.', {
  zone: {
    type: 'identifier',
    description: 'Region and zone; empty for nodes without zone labels.',
    example: 'eu/zone-b',
  },
  nodes: { type: 'integer', description: 'Nodes in the zone.', example: 4 },
  failing: { type: 'integer', description: 'Failing nodes.', example: 4 },
  states: { type: zoneDisruptionState, list: true, description: 'States of the zone in order of time.' },
});

export const outageResponse = object('OutageResponse', 'Consequences of the outages.', {
  zones: { type: outageZone, list: true, description: 'The affected zones.' },
  waiting: {
    type: 'integer',
    description: 'Nodes still waiting for their NoExecute taint at the horizon.',
    example: 0,
  },
  evicts: {
    type: EVICTS,
    description:
      'Whether the outage evicts pods. `perhaps`: it depends on the exact times at which taints are added or removed.',
    example: 'yes',
  },
  firstEvictionAfterSeconds: {
    type: 'number',
    optional: true,
    description:
      'Earliest possible eviction, in seconds after the start of the outage; null if nothing is evicted. A shorter ' +
      'outage evicts nothing.',
    example: 355,
  },
});

export const CONTROLLER_START_KNOWN = enumType(
  'ControllerStartKnown',
  'How a start of the controller manager is known.',
  ['lease', 'request'],
);

export const controllerStart = object('ControllerStart', 'Last start of the controller manager.', {
  at: { type: 'time', description: 'Time of the start.', example: '2026-05-01T08:00:00Z' },
  known: { type: CONTROLLER_START_KNOWN, description: CONTROLLER_START_KNOWN.description, example: 'lease' },
});

/** The members of a schedule besides its pods. */
export const evictionScheduleHead = object(
  'EvictionScheduleHead',
  '',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    asOf: { type: 'time', description: 'Start of the schedule.', example: '2026-05-04T12:00:00Z' },
    horizon: {
      type: 'time',
      description: 'Time until which outages were simulated.',
      example: '2026-05-04T16:00:00Z',
    },
    counts: { type: scheduleCounts, description: 'Pods by action.' },
    moments: { type: scheduleMoments, description: 'Evictions by time.', example: { total: 0, items: [] } },
    minutes: { type: scheduleMinutes, description: 'Evictions by minute.', example: { total: 0, items: [] } },
    nodes: { type: nodeSchedules, description: 'Evictions by node.' },
    workloads: { type: workloadSchedules, description: 'Evictions by workload.' },
    budgets: { type: budgetBreaches, description: 'Budgets with evicted pods.', example: { total: 0, items: [] } },
    changes: {
      type: scheduledTaintChanges,
      description:
        'Changes of taints that follow from the request: by its scenario, its events, and the node lifecycle ' +
        'controller.',
      example: { total: 0, items: [] },
    },
    outage: {
      type: outageResponse,
      optional: true,
      description: 'Consequences of the outages; null if none were requested.',
    },
    controllerStart: {
      type: controllerStart,
      optional: true,
      description: 'Last start of the controller manager; null if unknown.',
    },
    assumptions: {
      type: 'string',
      list: true,
      description: 'Assumptions behind the schedule.',
      example: [
        'The taint eviction controller is running and handles each change at the time of the change; in reality some milliseconds later.',
      ],
    },
    notLoaded: {
      ...NOT_LOADED,
      description:
        'Kinds that were never loaded, although they tell which pods are evicted: those of devices are named only if pods have resource claims, or may have.',
    },
    landing: {
      type: landings,
      optional: true,
      description: 'Where replacement pods are scheduled; null unless requested.',
    },
  },
  { restOnly: true },
);
