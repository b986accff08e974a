import { Args, ArgsType, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ComparePlacements } from '../../app/scheduling/compare-placements.js';
import { FindCapacity } from '../../app/scheduling/find-capacity.js';
import { RunQueue } from '../../app/scheduling/run-queue.js';
import type { RequestContext } from '../../app/request-context.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { RunDifference } from '../../core/scheduling/comparison/compare-runs.js';
import { DEFAULT_SCHEDULER } from '../../core/scheduling/queue/queued-work.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { readAtOf } from '../rest/read-at-query.js';
import { BasisShape } from '../shapes/basis-shape.js';
import { CapacityBody, capacityQuestionOf } from '../shapes/capacity-body.js';
import {
  CAPACITY_HEAD,
  CapacityGroupShape,
  CapacityPodShape,
  NextReplicaShape,
  NodeRoomShape,
  TaintCostsShape,
} from '../shapes/capacity-shape.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import {
  AGAINST,
  ComparedPodShape,
  ComparisonCountsShape,
  ComparisonSideBody,
  DIFFERENCES_FILTER,
  PodSelectionBody,
  SELECTION,
} from '../shapes/placement-comparison-shape.js';
import { Given, Shown } from '../shapes/property.js';
import {
  COMPLETENESS,
  CONFIGURATION,
  QUEUE_HEAD,
  QueueDecisionShape,
  queueQuestionOf,
  QueueReasonShape,
  QueueRefusalShape,
  QueueRunBody,
  QueueTaintShape,
  QueueTotalsShape,
  QueueWorkloadShape,
  SCHEDULER_NAME,
  TIME_BUDGET,
  UnblockingShape,
} from '../shapes/queue-run-shape.js';
import { PlacingSchedulerShape, SCHEDULER } from '../shapes/ranking-shape.js';
import {
  readConnection,
  ReadConnectionArguments,
  readConnectionOf,
  readRequest,
  type ReadConnection,
} from './read-connection.js';

@ObjectType({ description: 'Pods placed one after another, in the order of the queue.' })
class QueueDecisionConnection extends readConnectionOf(QueueDecisionShape, 'QueueDecision') {
  @Shown(QUEUE_HEAD.schedulerName)
  schedulerName!: string;

  @Shown(SCHEDULER)
  scheduler!: Plain<PlacingSchedulerShape> | null;

  @Shown(QUEUE_HEAD.outcome)
  outcome!: string;

  @Shown(QUEUE_HEAD.waiting)
  waiting!: number;

  @Shown(QUEUE_HEAD.totals)
  totals!: Plain<QueueTotalsShape>;

  @Shown(QUEUE_HEAD.ofOtherSchedulers)
  ofOtherSchedulers!: number;

  @Shown(QUEUE_HEAD.refused)
  refused!: readonly Plain<QueueRefusalShape>[];

  @Shown(QUEUE_HEAD.queueReasons)
  queueReasons!: readonly Plain<QueueReasonShape>[];

  @Shown(QUEUE_HEAD.taints)
  taints!: readonly Plain<QueueTaintShape>[];

  @Shown(QUEUE_HEAD.workloads)
  workloads!: readonly Plain<QueueWorkloadShape>[];

  @Shown(QUEUE_HEAD.workloadCount)
  workloadCount!: number;

  @Shown(QUEUE_HEAD.unblocking)
  unblocking!: Plain<UnblockingShape> | null;

  @Shown(QUEUE_HEAD.isListed)
  isListed!: boolean;
}

@ObjectType({ description: 'How many replicas of a pod fit, node by node, those with most room first.' })
class NodeRoomConnection extends readConnectionOf(NodeRoomShape, 'NodeRoom') {
  @Shown(CAPACITY_HEAD.pod)
  pod!: Plain<CapacityPodShape>;

  @Shown(SCHEDULER)
  scheduler!: Plain<PlacingSchedulerShape> | null;

  @Shown(CAPACITY_HEAD.replicas)
  replicas!: number;

  @Shown(CAPACITY_HEAD.isComplete)
  isComplete!: boolean;

  @Shown(CAPACITY_HEAD.method)
  method!: string;

  @Shown(CAPACITY_HEAD.next)
  next!: Plain<NextReplicaShape> | null;

  @Shown(CAPACITY_HEAD.groups)
  groups!: readonly Plain<CapacityGroupShape>[];

  @Shown(CAPACITY_HEAD.taints)
  taints!: Plain<TaintCostsShape> | null;
}

@ObjectType({ description: 'What becomes of the same pods on two states.' })
class ComparedPodConnection extends readConnectionOf(ComparedPodShape, 'ComparedPod') {
  @Shown({ type: () => BasisShape, description: 'What the other side rests on.' })
  against!: Plain<BasisShape>;

  @Shown(SCHEDULER)
  scheduler!: Plain<PlacingSchedulerShape> | null;

  @Shown({ ...SCHEDULER, description: 'The same of the other side.' })
  againstScheduler!: Plain<PlacingSchedulerShape> | null;

  @Shown({ type: COMPLETENESS, description: 'Whether every pod had its turn on both sides.' })
  outcome!: string;

  @Shown({ type: 'integer', description: 'Pods that were placed.' })
  pods!: number;

  @Shown({ type: () => ComparisonCountsShape, description: 'All of them, by what differs.' })
  counts!: Plain<ComparisonCountsShape>;
}

@ArgsType()
class QueueRunArguments extends ReadConnectionArguments {
  @Given({ type: () => QueueRunBody, description: 'What is in the queue.' })
  input!: QueueRunBody;
}

@ArgsType()
class CapacityArguments extends ReadConnectionArguments {
  @Given({ type: () => CapacityBody, description: 'The pod.' })
  input!: CapacityBody;
}

@ArgsType()
class ComparisonArguments extends ReadConnectionArguments {
  @Given(AGAINST)
  against!: ComparisonSideBody;

  @Given(SELECTION)
  selection?: PodSelectionBody;

  @Given(DIFFERENCES_FILTER)
  differences?: RunDifference[];

  @Given(SCHEDULER_NAME)
  schedulerName?: string;

  @Given(CONFIGURATION)
  configuration?: JsonObject;

  @Given(TIME_BUDGET)
  timeBudgetMs?: number;
}

/** The answer's own members of a connection. */
type Head<C> = Omit<Plain<C>, keyof ReadConnection<object>>;

/** Many pods placed one after another: the queue, the room for replicas, and what differs between two states. */
@Resolver(() => ClusterShape)
export class SchedulingRunsResolver {
  constructor(
    private readonly runQueue: RunQueue,
    private readonly findCapacity: FindCapacity,
    private readonly comparePlacements: ComparePlacements,
  ) {}

  @ResolveField(() => QueueDecisionConnection, {
    description: 'Pending pods and those of the question, placed one after another in the order of the scheduler.',
  })
  @RequirePermission('evaluate', 'parent')
  async queueRun(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: QueueRunArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<QueueDecisionShape>> & Head<QueueDecisionConnection>> {
    const request = { ...readRequest(cluster, args), ...queueQuestionOf(args.input), root: 'input' as const };
    const { basis, page, reasons: queueReasons, ...head } = await this.runQueue.run(request, edge);
    return { ...head, queueReasons, ...readConnection({ basis, page }, args) };
  }

  @ResolveField(() => NodeRoomConnection, {
    description: 'How many replicas of a pod fit, and what stops the next one.',
  })
  @RequirePermission('evaluate', 'parent')
  async capacity(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: CapacityArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<NodeRoomShape>> & Head<NodeRoomConnection>> {
    const request = { ...readRequest(cluster, args), ...capacityQuestionOf(args.input) };
    const { basis, page, ...head } = await this.findCapacity.run(request, edge);
    return { ...head, ...readConnection({ basis, page }, args) };
  }

  @ResolveField(() => ComparedPodConnection, { description: 'Where the same pods go on this state and on another.' })
  @RequirePermission('evaluate', 'parent')
  async placementComparison(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: ComparisonArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<ComparedPodShape>> & Head<ComparedPodConnection>> {
    const { selection, differences, schedulerName = DEFAULT_SCHEDULER, configuration, timeBudgetMs } = args;
    const against = readAtOf(args.against);
    const asked = { selection, differences, schedulerName, configuration, timeBudgetMs };
    const request = {
      ...readRequest(cluster, args),
      against,
      againstConfiguration: args.against.configuration,
      ...asked,
    };
    const { basis, page, ...head } = await this.comparePlacements.run(request, edge);
    return { ...head, ...readConnection({ basis, page }, args) };
  }
}
