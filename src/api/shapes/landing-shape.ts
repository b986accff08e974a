import { ObjectType } from '@nestjs/graphql';
import { ReasonCountShape } from './placement-shape.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';
import { WorkloadNameShape } from './workload-name-shape.js';

@ObjectType('LandingRoom', {
  description: 'Amounts, as Kubernetes writes them.',
})
export class LandingRoomShape {
  @Shown({ type: 'string', description: 'CPU.', example: '2500m' })
  cpu!: string;

  @Shown({ type: 'string', description: 'Memory in bytes.', example: '335544320' })
  memory!: string;
}

@ObjectType('LandingRefusal', {
  description: 'Why there is no node.',
})
export class LandingRefusalShape {
  @Shown({
    type: 'string',
    optional: true,
    description: "Kubernetes' own message; null where it would write none.",
    example: '0/4 nodes are available: 4 node(s) had untolerated taint(s).',
  })
  message!: string | null;

  @Shown({ type: () => ReasonCountShape, list: true, description: 'Every reason, counted over the nodes.' })
  reasons!: readonly Plain<ReasonCountShape>[];
}

@ObjectType('LandingUnknown', {
  description: 'Why it is not known whether there is a node.',
})
export class LandingUnknownShape {
  @Shown({ type: 'string', description: 'For programs.', example: 'filterNotBuilt' })
  code!: string;

  @Shown({
    type: 'string',
    description: 'A sentence.',
    example: 'VolumeBinding cannot be evaluated: the pod uses claims (never loaded: PersistentVolumeClaim)',
  })
  message!: string;
}

@ObjectType('PodLanding', {
  description: 'A pod that leaves, and the one that is made in its place.',
})
export class PodLandingShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;

  @Shown({ type: () => WorkloadNameShape, description: 'What it belongs to.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({ type: 'string', optional: true, description: 'The node that it leaves.', example: 'node-1' })
  from!: string | null;

  @Shown({
    type: 'time',
    optional: true,
    description: 'When it is marked for deletion.',
    example: '2026-05-04T12:05:00Z',
  })
  markedAt!: string | null;

  @Shown({
    type: 'time',
    optional: true,
    description: 'When its object is gone and its room is free; null where it stays Terminating.',
    example: '2026-05-04T12:05:30Z',
  })
  goneAt!: string | null;

  @Shown({
    type: 'time',
    optional: true,
    description: 'When its controller makes another; null where it never does, or where that is not known.',
    example: '2026-05-04T12:05:00Z',
  })
  replacementAt!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Why no other is made, for programs.', example: 'barePod' })
  never!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Whether the other finds a node: feasible, none or unknown; null where none is made.',
    example: 'feasible',
  })
  verdict!: string | null;

  @Shown({ type: 'integer', description: 'Nodes that could take it then.', example: 3 })
  feasibleNodes!: number;

  @Shown({ type: 'integer', description: 'Nodes that perhaps could.', example: 0 })
  unknownNodes!: number;

  @Shown({
    type: 'string',
    list: true,
    description:
      'The first few of those that could: those with the greatest totals of all scores first, by name where these are equal.',
    example: ['node-2'],
  })
  nodes!: readonly string[];

  @Shown({ type: 'string', optional: true, description: 'The node that the plan puts it on.', example: 'node-2' })
  chosen!: string | null;

  @Shown({
    type: 'time',
    optional: true,
    description: 'When: later than `replacementAt` where it waits for room.',
    example: '2026-05-04T12:05:00Z',
  })
  landedAt!: string | null;

  @Shown({ type: () => LandingRefusalShape, optional: true, description: 'Why there was no node when it was made.' })
  refusal!: Plain<LandingRefusalShape> | null;

  @Shown({ type: () => LandingUnknownShape, list: true, description: 'Why it is not known.' })
  unknownBecause!: readonly Plain<LandingUnknownShape>[];
}

@ObjectType('PodLandings', {
  description: 'In the order in which they leave.',
})
export class PodLandingsShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => PodLandingShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<PodLandingShape>[];
}

@ObjectType('LandingMoment', {
  description: 'What happens at one moment.',
})
export class LandingMomentShape {
  @Shown({ type: 'time', description: 'When.', example: '2026-05-04T12:05:00Z' })
  at!: string;

  @Shown({ type: 'integer', description: 'Pods marked for deletion.', example: 2 })
  evicted!: number;

  @Shown({ type: 'integer', description: 'Pods whose room becomes free.', example: 0 })
  gone!: number;

  @Shown({ type: 'integer', description: 'Pods made anew.', example: 2 })
  replaced!: number;

  @Shown({ type: 'integer', description: 'Pods that find a node, those that waited included.', example: 2 })
  landed!: number;

  @Shown({ type: 'integer', description: 'Of those made now, pods for which there is no node.', example: 0 })
  withoutNode!: number;

  @Shown({ type: 'integer', description: 'Of those made now, pods of which it is not known.', example: 0 })
  unknown!: number;

  @Shown({ type: 'integer', description: 'Pods without a node afterwards.', example: 0 })
  waiting!: number;

  @Shown({ type: () => LandingRoomShape, description: 'What those that land request.' })
  requested!: Plain<LandingRoomShape>;

  @Shown({ type: () => LandingRoomShape, description: 'What is left on nodes that any pod may go to.' })
  free!: Plain<LandingRoomShape>;
}

@ObjectType('LandingTimeline', {
  description: 'In order of time.',
})
export class LandingTimelineShape {
  @Shown({ type: 'integer', description: 'How many moments.', example: 1 })
  total!: number;

  @Shown({ type: () => LandingMomentShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<LandingMomentShape>[];
}

@ObjectType('WorkloadLanding', {
  description: 'A workload with pods that find no node.',
})
export class WorkloadLandingShape {
  @Shown({ type: () => WorkloadNameShape, description: 'The workload.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({ type: 'integer', description: 'Pods made anew.', example: 2 })
  replaced!: number;

  @Shown({ type: 'integer', description: 'Those that land.', example: 1 })
  landed!: number;

  @Shown({ type: 'integer', description: 'Those of which it is not known.', example: 0 })
  unknown!: number;

  @Shown({ type: 'integer', description: 'Those without a node.', example: 1 })
  withoutNode!: number;

  @Shown({ type: () => LandingRefusalShape, optional: true, description: 'Why, of the first.' })
  refusal!: Plain<LandingRefusalShape> | null;
}

@ObjectType('WorkloadLandings', {
  description: 'Most pods without a node first.',
})
export class WorkloadLandingsShape {
  @Shown({ type: 'integer', description: 'How many.', example: 0 })
  total!: number;

  @Shown({ type: () => WorkloadLandingShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<WorkloadLandingShape>[];
}

@ObjectType('NeverReplaced', {
  description: 'Pods in whose place no other is made.',
})
export class NeverReplacedShape {
  @Shown({ type: 'string', description: 'Why, for programs.', example: 'barePod' })
  why!: string;

  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  pods!: number;
}

@ObjectType('LandingTotals', {
  description: 'All pods that leave.',
})
export class LandingTotalsShape {
  @Shown({ type: 'integer', description: 'They leave.', example: 3 })
  evicted!: number;

  @Shown({ type: 'integer', description: 'Made anew.', example: 2 })
  replaced!: number;

  @Shown({ type: 'integer', description: 'Those find a node, at once or later.', example: 2 })
  landed!: number;

  @Shown({ type: 'integer', description: 'Of them, those that waited.', example: 0 })
  landedLater!: number;

  @Shown({ type: 'integer', description: 'Without a node to the end.', example: 0 })
  withoutNode!: number;

  @Shown({ type: 'integer', description: 'Not known.', example: 0 })
  unknown!: number;

  @Shown({ type: () => LandingRoomShape, description: 'What those that land request.' })
  requested!: Plain<LandingRoomShape>;

  @Shown({ type: () => NeverReplacedShape, list: true, description: 'Not made anew, by why.' })
  never!: readonly Plain<NeverReplacedShape>[];
}

@ObjectType('Landings', {
  description: 'Where pods that leave could land, as a plan in time.',
})
export class LandingsShape {
  @Shown({ type: () => LandingTotalsShape, description: 'All of them.' })
  totals!: Plain<LandingTotalsShape>;

  @Shown({ type: () => LandingTimelineShape, description: 'Moment by moment.' })
  timeline!: Plain<LandingTimelineShape>;

  @Shown({ type: () => WorkloadLandingsShape, description: 'Workloads with pods that find no node.' })
  workloads!: Plain<WorkloadLandingsShape>;

  @Shown({ type: () => PodLandingsShape, description: 'Pod by pod.' })
  pods!: Plain<PodLandingsShape>;

  @Shown({ type: 'string', list: true, description: 'What the plan takes for given.', example: [] })
  assumptions!: readonly string[];
}
