import { ObjectType } from '@nestjs/graphql';
import type { BaseKnown } from '../../core/eviction-schedule/fold-pod.js';
import type { PodAction } from '../../core/eviction-schedule/pod-action.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import { BasisShape } from './basis-shape.js';
import { POD_ACTION } from './eviction-schedule-body.js';
import { LandingsShape } from './landing-shape.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';
import { WorkloadNameShape } from './workload-name-shape.js';

@ObjectType('KnownMoment', {
  description: 'A moment, as far as it is known; both times are the same where it is known exactly.',
})
export class MomentShape {
  @Shown({
    type: 'time',
    optional: true,
    description: 'Not before; null where nothing is known of before.',
    example: '2026-05-04T12:05:00Z',
  })
  earliest!: string | null;

  @Shown({ type: 'time', description: 'Not after.', example: '2026-05-04T12:05:00Z' })
  latest!: string;
}

const EVICTS = wordsType('OutageEvicts', 'Whether a failure of nodes evicts pods.', ['yes', 'perhaps', 'no']);

const BASE_KNOWN = wordsType(
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

@ObjectType('EvictionBase', {
  description:
    'From when the seconds count, and how that is known. The controller starts its timer when it sees the taint on the node of the pod.',
})
export class EvictionBaseShape {
  @Shown({
    type: 'time',
    optional: true,
    description: 'Not before; null where nothing is known of before.',
    example: '2026-05-04T12:00:00Z',
  })
  earliest!: string | null;

  @Shown({ type: 'time', description: 'Not after.', example: '2026-05-04T12:00:00Z' })
  latest!: string;

  @Shown({ type: BASE_KNOWN, description: 'How it is known.', example: 'question' })
  known!: BaseKnown;

  @Shown({ type: 'string', description: 'The same in words.', example: 'the question itself says when.' })
  text!: string;
}

@ObjectType('ScheduledTaint', {
  description: 'A NoExecute taint of the node, and what the pod makes of it.',
})
export class ScheduledTaintShape {
  @Shown({ type: 'string', description: 'As kubectl prints it.', example: 'maintenance=true:NoExecute' })
  taint!: string;

  @Shown({
    type: 'string',
    optional: true,
    description: 'The toleration that is used: the first in the list that matches; null where none does.',
    example: 'spec.tolerations[0]',
  })
  toleration!: string | null;

  @Shown({
    type: 'int64',
    optional: true,
    description: 'For how long that tolerates it; null for ever, or where nothing tolerates it.',
    example: 300,
  })
  seconds!: Int64 | null;

  @Shown({
    type: 'boolean',
    description:
      'Whether this taint decides: the first that is not tolerated, else the one tolerated for the shortest time.',
    example: true,
  })
  decides!: boolean;

  @Shown({ type: 'string', optional: true, description: 'What the node says of when it was added.' })
  timeAdded!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Whether that counts, and why not: the controller ignores it.',
  })
  timeAddedNote!: string | null;
}

@ObjectType('PodDeparture', {
  description: 'From the mark to the end of its object: marked is not gone.',
})
export class DepartureShape {
  @Shown({ type: () => MomentShape, description: 'When its deletion is asked for.' })
  marked!: Plain<MomentShape>;

  @Shown({ type: 'number', description: 'How long it has to stop.', example: 30 })
  gracePeriodSeconds!: number;

  @Shown({
    type: () => MomentShape,
    optional: true,
    description: 'When its object is gone; null where nobody ends it.',
  })
  gone!: Plain<MomentShape> | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Who ends it: kubelet, apiServer (at once) or podGarbageCollector (by force); null where nobody does.',
    example: 'kubelet',
  })
  by!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What is particular: a node that does not answer, the out-of-service taint.',
  })
  note!: string | null;
}

@ObjectType('CancelledTimer', {
  description: 'A timer that was cancelled.',
})
export class CancelledTimerShape {
  @Shown({ type: () => MomentShape, description: 'When.' })
  at!: Plain<MomentShape>;

  @Shown({
    type: 'string',
    description: 'Why.',
    example: 'No NoExecute taint is left on the node: its timer is cancelled.',
  })
  why!: string;
}

@ObjectType('KeptWithout', {
  description: 'The taints whose removal keeps the pod.',
})
export class KeptWithoutShape {
  @Shown({ type: 'string', list: true, description: 'Each of these alone.', example: ['maintenance=true:NoExecute'] })
  anyOf!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'All of these together, where no single one does.', example: [] })
  allOf!: readonly string[];
}

@ObjectType('PodDisruptionKind', {
  description: 'Which kind of disruption takes the pod, and the reason in its condition DisruptionTarget.',
})
export class PodDisruptionShape {
  @Shown({ type: 'string', description: 'Its kind.', example: 'taintEviction' })
  kind!: string;

  @Shown({ type: 'string', description: 'The reason.', example: 'DeletionByTaintManager' })
  reason!: string;
}

@ObjectType('ScheduledPod', {
  description: 'Whether and when one pod leaves by NoExecute taints, and what decides it.',
})
export class ScheduledPodShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;

  @Shown({ type: 'string', description: 'The node that it is on.', example: 'node-1' })
  node!: string;

  @Shown({ type: () => WorkloadNameShape, description: 'What it belongs to.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({ type: POD_ACTION, description: 'What is to be said of it.', example: 'at' })
  action!: PodAction;

  @Shown({
    type: () => MomentShape,
    optional: true,
    description: 'When it is marked for deletion; null where it never is.',
  })
  at!: Plain<MomentShape> | null;

  @Shown({
    type: 'string',
    description: 'What decides it.',
    example: 'maintenance=true:NoExecute is tolerated for 300 s by spec.tolerations[0], the first that matches it.',
  })
  because!: string;

  @Shown({
    type: () => EvictionBaseShape,
    optional: true,
    description: 'From when the seconds count; null where nothing was decided.',
  })
  base!: Plain<EvictionBaseShape> | null;

  @Shown({ type: () => ScheduledTaintShape, list: true, description: 'The NoExecute taints on which it was decided.' })
  taints!: readonly Plain<ScheduledTaintShape>[];

  @Shown({
    type: 'boolean',
    description: 'It should have been marked before it was seen last, and was not.',
    example: false,
  })
  overdue!: boolean;

  @Shown({ type: () => CancelledTimerShape, optional: true, description: 'Where its timer is cancelled.' })
  cancelled!: Plain<CancelledTimerShape> | null;

  @Shown({
    type: 'time',
    optional: true,
    description: 'It stays if it was there still when its timer was cancelled: the timer may have fired from then on.',
  })
  mayHaveLeftSince!: string | null;

  @Shown({ type: () => DepartureShape, optional: true, description: 'From the mark to its end; null where it stays.' })
  departure!: Plain<DepartureShape> | null;

  @Shown({
    type: () => KeptWithoutShape,
    optional: true,
    description: 'The taints whose removal keeps it; null where it stays, or is being deleted.',
  })
  keptWithout!: Plain<KeptWithoutShape> | null;

  @Shown({
    type: 'number',
    optional: true,
    description:
      'The tolerationSeconds from which on it would outlast the outage, set before its timer starts; null where the taints do not go.',
  })
  secondsToOutlast!: number | null;

  @Shown({
    type: () => PodDisruptionShape,
    optional: true,
    description: 'Which kind of disruption it is; null where it stays.',
  })
  disruption!: Plain<PodDisruptionShape> | null;

  @Shown({
    type: 'string',
    list: true,
    description: 'What does not protect it, and what else is particular.',
    example: [],
  })
  notes!: readonly string[];
}

@ObjectType('ScheduleCounts', {
  description: 'Pods by what is to be said of them.',
})
export class ScheduleCountsShape {
  @Shown({
    type: 'integer',
    description: 'On the nodes that were asked about, those without any NoExecute taint included.',
    example: 12,
  })
  pods!: number;

  @Shown({ type: 'integer', description: 'Their deletion has been asked for already.', example: 0 })
  marked!: number;

  @Shown({ type: 'integer', description: 'Marked for deletion by now, or should be.', example: 2 })
  now!: number;

  @Shown({ type: 'integer', description: 'They will be.', example: 1 })
  at!: number;

  @Shown({ type: 'integer', description: 'They stay in spite of NoExecute taints.', example: 4 })
  never!: number;
}

@ObjectType('ScheduleMoment', {
  description: 'Pods that leave at one moment.',
})
export class ScheduleMomentShape {
  @Shown({ type: () => MomentShape, description: 'When.' })
  at!: Plain<MomentShape>;

  @Shown({ type: 'integer', description: 'How many.', example: 2 })
  pods!: number;
}

@ObjectType('ScheduleMoments', {
  description: 'Soonest first.',
})
export class ScheduleMomentsShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => ScheduleMomentShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<ScheduleMomentShape>[];
}

@ObjectType('ScheduleMinute', {
  description: 'Pods that leave within one minute.',
})
export class ScheduleMinuteShape {
  @Shown({ type: 'time', description: 'The beginning of the minute.', example: '2026-05-04T12:05:00Z' })
  minute!: string;

  @Shown({ type: 'integer', description: 'How many, by the latest moment.', example: 2 })
  pods!: number;
}

@ObjectType('ScheduleMinutes', {
  description: 'In order of time; minutes without any are left out.',
})
export class ScheduleMinutesShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => ScheduleMinuteShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<ScheduleMinuteShape>[];
}

@ObjectType('NodeSchedule', {
  description: 'The pods of one node that some pod leaves.',
})
export class NodeScheduleShape {
  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: 'integer', description: 'Being deleted already.', example: 0 })
  marked!: number;

  @Shown({ type: 'integer', description: 'Leave now.', example: 2 })
  now!: number;

  @Shown({ type: 'integer', description: 'Leave later.', example: 1 })
  at!: number;

  @Shown({ type: 'integer', description: 'Stay.', example: 4 })
  never!: number;

  @Shown({ type: () => MomentShape, description: 'When the first one leaves.' })
  first!: Plain<MomentShape>;

  @Shown({ type: () => MomentShape, description: 'When the last one does.' })
  last!: Plain<MomentShape>;
}

@ObjectType('NodeSchedules', {
  description: 'Those that a pod leaves soonest first.',
})
export class NodeSchedulesShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => NodeScheduleShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<NodeScheduleShape>[];
}

@ObjectType('WorkloadSchedule', {
  description: 'The pods of one workload that leave.',
})
export class WorkloadScheduleShape {
  @Shown({ type: () => WorkloadNameShape, description: 'The workload.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({
    type: 'integer',
    description: 'Its pods that have not ended and are not being deleted, wherever they are.',
    example: 3,
  })
  replicas!: number;

  @Shown({ type: 'integer', description: 'Leave now.', example: 1 })
  now!: number;

  @Shown({ type: 'integer', description: 'Leave later.', example: 0 })
  at!: number;

  @Shown({ type: () => MomentShape, description: 'When it loses its first replica.' })
  firstLoss!: Plain<MomentShape>;

  @Shown({
    type: () => MomentShape,
    optional: true,
    description: 'When its last replica leaves; null where some stay.',
  })
  lastReplica!: Plain<MomentShape> | null;
}

@ObjectType('WorkloadSchedules', {
  description: 'Those that lose a pod soonest first.',
})
export class WorkloadSchedulesShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => WorkloadScheduleShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<WorkloadScheduleShape>[];
}

@ObjectType('BudgetBreach', {
  description: 'A PodDisruptionBudget whose healthy pods leave; it holds off none of it.',
})
export class BudgetBreachShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;

  @Shown({ type: 'integer', description: 'Healthy pods of it that leave.', example: 2 })
  leaving!: number;

  @Shown({
    type: 'integer',
    optional: true,
    description: 'Its healthy pods now; null where that is not known.',
    example: 3,
  })
  currentHealthy!: number | null;

  @Shown({
    type: 'integer',
    optional: true,
    description: 'How many must be; null where that is not known.',
    example: 2,
  })
  desiredHealthy!: number | null;

  @Shown({
    type: () => MomentShape,
    optional: true,
    description: 'When fewer are left than must be, if none comes in their place; null where that does not happen.',
  })
  brokenAt!: Plain<MomentShape> | null;

  @Shown({
    type: 'string',
    description: 'Its arithmetic in words.',
    example: 'minAvailable 2 of 3 expected pods (all that it selects); 3 are healthy; 1 disruption is allowed',
  })
  text!: string;
}

@ObjectType('BudgetBreaches', {
  description: 'By namespace and name.',
})
export class BudgetBreachesShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => BudgetBreachShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<BudgetBreachShape>[];
}

@ObjectType('ScheduledTaintChange', {
  description: 'A change of taints that the answer rests on.',
})
export class NodeTaintChangeShape {
  @Shown({ type: 'time', description: 'When it is taken to be made.', example: '2026-05-04T12:00:55Z' })
  at!: string;

  @Shown({ type: () => MomentShape, description: 'Within what bounds that is known.' })
  moment!: Plain<MomentShape>;

  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({
    type: 'string',
    list: true,
    description: 'Taints that come.',
    example: ['node.kubernetes.io/unreachable:NoExecute'],
  })
  added!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'Taints that go.', example: [] })
  removed!: readonly string[];

  @Shown({ type: 'string', description: 'Why.', example: 'The question says so.' })
  why!: string;
}

@ObjectType('ScheduledTaintChanges', {
  description: 'In order of time.',
})
export class NodeTaintChangesShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => NodeTaintChangeShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<NodeTaintChangeShape>[];
}

@ObjectType('ZoneDisruptionState', {
  description: 'A zone from a moment on.',
})
export class ZoneStateShape {
  @Shown({ type: 'time', description: 'When.', example: '2026-05-04T12:00:55Z' })
  at!: string;

  @Shown({ type: 'string', description: 'As the controller calls it.', example: 'FullDisruption' })
  state!: string;

  @Shown({ type: 'integer', description: 'Ready nodes.', example: 0 })
  readyNodes!: number;

  @Shown({ type: 'integer', description: 'Others.', example: 4 })
  notReadyNodes!: number;

  @Shown({ type: 'number', description: 'Nodes a second that get their NoExecute taint.', example: 0.1 })
  ratePerSecond!: number;
}

@ObjectType('OutageZone', {
  description: 'A zone, as the node lifecycle controller counts it.',
})
export class OutageZoneShape {
  @Shown({ type: 'string', description: 'Region and zone; empty for nodes without.', example: 'eu/zone-b' })
  zone!: string;

  @Shown({ type: 'integer', description: 'Its nodes.', example: 4 })
  nodes!: number;

  @Shown({ type: 'integer', description: 'Those that fail.', example: 4 })
  failing!: number;

  @Shown({ type: () => ZoneStateShape, list: true, description: 'Its states in order of time.' })
  states!: readonly Plain<ZoneStateShape>[];
}

@ObjectType('OutageAnswer', {
  description: 'What the failure of nodes comes to.',
})
export class OutageAnswerShape {
  @Shown({ type: () => OutageZoneShape, list: true, description: 'The zones.' })
  zones!: readonly Plain<OutageZoneShape>[];

  @Shown({
    type: 'integer',
    description: 'Nodes that wait for their NoExecute taint when the horizon ends.',
    example: 0,
  })
  waiting!: number;

  @Shown({
    type: EVICTS,
    description:
      'Whether it evicts anything; perhaps: it depends on when, within the bounds of what is known, a taint comes or goes.',
    example: 'yes',
  })
  evicts!: 'yes' | 'perhaps' | 'no';

  @Shown({
    type: 'number',
    optional: true,
    description:
      'How long after its beginning the first pod leaves at the earliest, if it leaves; null where none does. A shorter outage evicts nothing.',
    example: 355,
  })
  firstEvictionAfterSeconds!: number | null;
}

@ObjectType('ControllerStart', {
  description: 'A start of the controller manager.',
})
export class ControllerStartShape {
  @Shown({ type: 'time', description: 'When.', example: '2026-05-01T08:00:00Z' })
  at!: string;

  @Shown({ type: 'string', description: 'How it is known: lease or request.', example: 'lease' })
  known!: string;
}

/** What an answer says before its pods. */
@ObjectType({ isAbstract: true })
export abstract class EvictionScheduleHeadShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'time', description: 'From which moment it was asked.', example: '2026-05-04T12:00:00Z' })
  asOf!: string;

  @Shown({ type: 'time', description: 'Until when failures of nodes were followed.', example: '2026-05-04T16:00:00Z' })
  horizon!: string;

  @Shown({ type: () => ScheduleCountsShape, description: 'Pods by what is to be said of them.' })
  counts!: Plain<ScheduleCountsShape>;

  @Shown({ type: () => ScheduleMomentsShape, description: 'Pods that leave, by moment.' })
  moments!: Plain<ScheduleMomentsShape>;

  @Shown({ type: () => ScheduleMinutesShape, description: 'Pods that leave, by minute.' })
  minutes!: Plain<ScheduleMinutesShape>;

  @Shown({ type: () => NodeSchedulesShape, description: 'Nodes that pods leave.' })
  nodes!: Plain<NodeSchedulesShape>;

  @Shown({ type: () => WorkloadSchedulesShape, description: 'Workloads that lose pods.' })
  workloads!: Plain<WorkloadSchedulesShape>;

  @Shown({ type: () => BudgetBreachesShape, description: 'Budgets whose pods leave.' })
  budgets!: Plain<BudgetBreachesShape>;

  @Shown({
    type: () => NodeTaintChangesShape,
    description:
      'What the question brings: changes of taints by its scenario, its events, and what the node lifecycle controller does.',
  })
  changes!: Plain<NodeTaintChangesShape>;

  @Shown({
    type: () => OutageAnswerShape,
    optional: true,
    description: 'What the failure of nodes comes to; null where none was asked about.',
  })
  outage!: Plain<OutageAnswerShape> | null;

  @Shown({
    type: () => ControllerStartShape,
    optional: true,
    description: 'When the controller manager was started last; null where that is not known.',
  })
  controllerStart!: Plain<ControllerStartShape> | null;

  @Shown({ type: 'string', list: true, description: 'What was taken for given.', example: [] })
  assumptions!: readonly string[];

  @Shown({
    type: () => LandingsShape,
    optional: true,
    description: 'Where the pods could land; null unless asked for.',
  })
  landing!: Plain<LandingsShape> | null;
}
