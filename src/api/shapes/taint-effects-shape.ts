import { ObjectType } from '@nestjs/graphql';
import type { Listed } from '../../core/collections/first-few.js';
import type {
  BudgetAtRisk,
  EffectWarning,
  EvictionCause,
  PodEviction,
  TaintEffects,
} from '../../core/taint-effects/taint-effects.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';
import { WorkloadNameShape } from './workload-name-shape.js';

@ObjectType('SomeNodes', { description: 'Nodes: how many, and the names of the first few.' })
export class SomeNodesShape {
  @Shown({ type: 'integer', description: 'How many.', example: 12 })
  total!: number;

  @Shown({ type: 'string', list: true, description: 'The names of the first few.', example: ['node-1'] })
  items!: readonly string[];
}

@ObjectType('EvictionCounts', { description: 'Pods on the edited nodes by what the change does to them.' })
export class EvictionCountsShape {
  @Shown({ type: 'integer', description: 'Deleted as soon as the controller sees the taint.', example: 3 })
  now!: number;

  @Shown({ type: 'integer', description: 'Deleted when their tolerations have run out.', example: 1 })
  after!: number;

  @Shown({ type: 'integer', description: 'They tolerate the new NoExecute taints for ever.', example: 2 })
  never!: number;

  @Shown({ type: 'integer', description: 'They were to be deleted at some time, and now are not.', example: 0 })
  cancelled!: number;

  @Shown({
    type: 'integer',
    description:
      'They were to be deleted at some time, and still are then: a timer that runs is never changed. Not listed.',
    example: 0,
  })
  pending!: number;
}

@ObjectType('WorkloadEvictions', { description: 'How many pods of one workload go.' })
export class WorkloadEvictionsShape {
  @Shown({ type: () => WorkloadNameShape, description: 'The workload.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({ type: 'integer', description: 'At once.', example: 3 })
  now!: number;

  @Shown({ type: 'integer', description: 'Later.', example: 0 })
  after!: number;
}

@ObjectType('WorkloadEvictionsList', { description: 'Workloads with pods that go, most pods at once first.' })
export class WorkloadEvictionsListShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => WorkloadEvictionsShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<WorkloadEvictionsShape>[];
}

@ObjectType('EvictionCause', { description: 'What decides whether and when a pod goes.' })
export class EvictionCauseShape {
  @Shown({
    type: 'string',
    description:
      'The NoExecute taint, as kubectl prints it: the first that is not tolerated, else the one tolerated for the shortest time.',
    example: 'maintenance:NoExecute',
  })
  taint!: string;

  @Shown({
    type: 'string',
    optional: true,
    description: 'The toleration of the pod that is used for it; null where none matches.',
    example: 'spec.tolerations[0]',
  })
  toleration!: string | null;
}

const EVICTION = wordsType(
  'EvictionOfPod',
  'now: deleted at once; after: deleted after some seconds; never: it stays; cancelled: it was to be deleted, and now is not.',
  ['now', 'after', 'never', 'cancelled'],
);

@ObjectType('PodEviction', { description: 'What a change of NoExecute taints does to one pod.' })
export class PodEvictionShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;

  @Shown({ type: 'string', description: 'The node that it is on.', example: 'node-7' })
  node!: string;

  @Shown({ type: () => WorkloadNameShape, description: 'What it belongs to.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({ type: EVICTION, description: 'Whether and when it goes.', example: 'after' })
  when!: string;

  @Shown({
    type: 'number',
    optional: true,
    description: 'How many seconds it stays, where it goes later; from when the controller sees the taint.',
    example: 300,
  })
  seconds!: number | null;

  @Shown({
    type: 'time',
    optional: true,
    description: 'When that is, if the controller sees the taint when the change is made.',
    example: '2026-05-04T03:07:01Z',
  })
  at!: string | null;

  @Shown({ type: () => EvictionCauseShape, optional: true, description: 'Why; null where it was cancelled.' })
  because!: Plain<EvictionCauseShape> | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What is particular: a static pod, one that has ended, one that is being deleted already.',
  })
  note!: string | null;
}

@ObjectType('PodEvictionList', {
  description: 'Pods that go now, then those that go later (soonest first), cancelled ones, and those that stay.',
})
export class PodEvictionListShape {
  @Shown({ type: 'integer', description: 'How many.', example: 6 })
  total!: number;

  @Shown({ type: () => PodEvictionShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<PodEvictionShape>[];
}

@ObjectType('EvictionEffects', {
  description:
    'What the taint eviction controller makes of the pods on the edited nodes, as far as the change alters it.',
})
export class EvictionEffectsShape {
  @Shown({ type: () => EvictionCountsShape, description: 'All of them, listed or not.' })
  counts!: Plain<EvictionCountsShape>;

  @Shown({ type: () => WorkloadEvictionsListShape, description: 'By workload.' })
  byWorkload!: Plain<WorkloadEvictionsListShape>;

  @Shown({ type: () => PodEvictionListShape, description: 'Pod by pod.' })
  pods!: Plain<PodEvictionListShape>;
}

@ObjectType('WorkloadFeasibility', {
  description:
    'How the nodes differ that pods of a workload may go to, by taints, cordons and labels (NodeUnschedulable, TaintToleration, NodeAffinity). Pods of one workload that demand different things have an entry each.',
})
export class WorkloadFeasibilityShape {
  @Shown({ type: () => WorkloadNameShape, description: 'The workload.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({
    type: 'integer',
    description: 'How many pods, those that ended left out; 0 where its template speaks for it.',
    example: 3,
  })
  pods!: number;

  @Shown({ type: 'integer', description: 'Feasible nodes before.', example: 12 })
  feasibleBefore!: number;

  @Shown({ type: 'integer', description: 'Feasible nodes after.', example: 9 })
  feasibleAfter!: number;

  @Shown({ type: () => SomeNodesShape, description: 'Nodes that were feasible and are not.' })
  lost!: Plain<SomeNodesShape>;

  @Shown({ type: () => SomeNodesShape, description: 'Nodes that are feasible and were not.' })
  gained!: Plain<SomeNodesShape>;

  @Shown({ type: 'boolean', description: 'No node is left, where there was one.', example: false })
  becameInfeasible!: boolean;

  @Shown({ type: 'boolean', description: 'There is a node, where there was none.', example: false })
  becameFeasible!: boolean;
}

@ObjectType('FeasibilityCounts', { description: 'Entries by what the change does to them, listed or not.' })
export class FeasibilityCountsShape {
  @Shown({ type: 'integer', description: 'They lose nodes.', example: 4 })
  lost!: number;

  @Shown({ type: 'integer', description: 'They gain nodes.', example: 0 })
  gained!: number;

  @Shown({ type: 'integer', description: 'They are left without a node.', example: 1 })
  becameInfeasible!: number;

  @Shown({ type: 'integer', description: 'They get their first node.', example: 0 })
  becameFeasible!: number;
}

@ObjectType('WorkloadFeasibilityList', {
  description: 'Those that became infeasible first, then by namespace, kind and name.',
})
export class WorkloadFeasibilityListShape {
  @Shown({ type: 'integer', description: 'How many.', example: 4 })
  total!: number;

  @Shown({ type: () => WorkloadFeasibilityShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<WorkloadFeasibilityShape>[];
}

@ObjectType('FeasibilityEffects', { description: 'Which workloads have other nodes to go to than before.' })
export class FeasibilityEffectsShape {
  @Shown({ type: () => FeasibilityCountsShape, description: 'How many.' })
  counts!: Plain<FeasibilityCountsShape>;

  @Shown({ type: () => WorkloadFeasibilityListShape, description: 'Which.' })
  entries!: Plain<WorkloadFeasibilityListShape>;
}

@ObjectType('BudgetAtRisk', {
  description: 'A PodDisruptionBudget, and how many of its pods go without its being asked.',
})
export class BudgetAtRiskShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;

  @Shown({ type: 'string', optional: true, description: 'A number or a share.', example: '2' })
  minAvailable!: string | null;

  @Shown({ type: 'string', optional: true, description: 'A number or a share.', example: '25%' })
  maxUnavailable!: string | null;

  @Shown({ type: 'integer', description: 'Pods that go at once.', example: 3 })
  now!: number;

  @Shown({ type: 'integer', description: 'Pods that go later.', example: 0 })
  after!: number;

  @Shown({ type: 'integer', optional: true, description: 'Healthy pods, as its status says.', example: 4 })
  currentHealthy!: number | null;

  @Shown({ type: 'integer', optional: true, description: 'Disruptions allowed, as its status says.', example: 1 })
  disruptionsAllowed!: number | null;
}

@ObjectType('EffectWarning', { description: 'Something about a change that a person should know before making it.' })
export class EffectWarningShape {
  @Shown({ type: 'string', description: 'Stable, for programs.', example: 'pool-nobody-tolerates' })
  code!: string;

  @Shown({ type: 'string', description: 'A sentence or two.' })
  message!: string;

  @Shown({ type: () => SomeNodesShape, optional: true, description: 'The nodes that it is about.' })
  nodes!: Plain<SomeNodesShape> | null;

  @Shown({ type: () => WorkloadNameShape, optional: true, description: 'The workload that it is about.' })
  workload!: Plain<WorkloadNameShape> | null;

  @Shown({
    type: 'string',
    list: true,
    description: 'The taints that it is about, as kubectl prints them.',
    example: ['dedicated=ml:NoSchedule'],
  })
  taints!: readonly string[];

  @Shown({ type: 'string', optional: true, description: 'The zone that it is about.', example: 'eu-central-1a' })
  zone!: string | null;

  @Shown({ type: () => BudgetAtRiskShape, optional: true, description: 'The budget that it is about.' })
  budget!: Plain<BudgetAtRiskShape> | null;
}

@ObjectType('EffectWarningList', { description: 'Warnings, grouped by code; at most twenty of a code are listed.' })
export class EffectWarningListShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => EffectWarningShape, list: true, description: 'The first of them.' })
  items!: readonly Plain<EffectWarningShape>[];
}

@ObjectType('NotConsidered', {
  description: 'A kind that was never loaded, and what could not be told for lack of it.',
})
export class NotConsideredShape {
  @Shown({ type: 'string', description: 'The kind.', example: 'PodDisruptionBudget' })
  kind!: string;

  @Shown({ type: 'string', description: 'What could not be told.' })
  why!: string;
}

@ObjectType('TaintEffects', {
  description: 'What a change of the taints, cordons and labels of nodes does to pods and workloads.',
})
export class TaintEffectsShape {
  @Shown({ type: () => EvictionEffectsShape, description: 'Pods that NoExecute taints evict.' })
  evictions!: Plain<EvictionEffectsShape>;

  @Shown({ type: () => FeasibilityEffectsShape, description: 'Workloads that lose or gain nodes.' })
  workloads!: Plain<FeasibilityEffectsShape>;

  @Shown({ type: () => EffectWarningListShape, description: 'What to know before making the change.' })
  warnings!: Plain<EffectWarningListShape>;

  @Shown({ type: () => NotConsideredShape, list: true, description: 'What was not looked at.' })
  notConsidered!: readonly Plain<NotConsideredShape>[];
}

export function taintEffectsShape({
  evictions,
  workloads,
  warnings,
  notConsidered,
}: TaintEffects): Plain<TaintEffectsShape> {
  return {
    evictions: { ...evictions, pods: eachOf(evictions.pods, podEvictionShape) },
    workloads,
    warnings: eachOf(warnings, warningShape),
    notConsidered,
  };
}

function eachOf<Item, Shape>(list: Listed<Item>, shape: (item: Item) => Shape): Listed<Shape> {
  return { total: list.total, items: list.items.map(shape) };
}

function podEvictionShape(eviction: PodEviction): Plain<PodEvictionShape> {
  const { seconds = null, at = null, because, note = null } = eviction;
  return { ...eviction, seconds, at, because: because === undefined ? null : causeShape(because), note };
}

function causeShape({ taint, toleration }: EvictionCause): Plain<EvictionCauseShape> {
  return { taint, toleration: toleration?.field ?? null };
}

function warningShape(warning: EffectWarning): Plain<EffectWarningShape> {
  const { code, message, nodes = null, workload = null, taints = [], zone = null, budget } = warning;
  return { code, message, nodes, workload, taints, zone, budget: budget === undefined ? null : budgetShape(budget) };
}

function budgetShape(budget: BudgetAtRisk): Plain<BudgetAtRiskShape> {
  const { minAvailable, maxUnavailable, currentHealthy = null, disruptionsAllowed = null } = budget;
  return {
    ...budget,
    minAvailable: minAvailable === undefined ? null : String(minAvailable),
    maxUnavailable: maxUnavailable === undefined ? null : String(maxUnavailable),
    currentHealthy,
    disruptionsAllowed,
  };
}
