import { Args, ArgsType, Field, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { ListDisruptionBudgets } from '../../app/disruptions/list-disruption-budgets.js';
import { PlanDrain } from '../../app/disruptions/plan-drain.js';
import { RankEvictions } from '../../app/disruptions/rank-evictions.js';
import { ReadDisruptionKinds } from '../../app/disruptions/read-disruption-kinds.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission, RequireCaller } from '../require-permission.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import { DisruptionBudgetShape } from '../shapes/disruption-budget-shape.js';
import { DisruptionKindShape } from '../shapes/disruption-kind-shape.js';
import { DrainQuestionBody } from '../shapes/drain-body.js';
import { DrainedPodShape, DrainHeadShape } from '../shapes/drain-shape.js';
import { EvictionRankHeadShape, EvictionRankQuestionBody, RankedPodShape } from '../shapes/eviction-rank-shape.js';
import { BUDGET_FILTERS } from '../shapes/filter-options.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { connection, connectionOf, type Connection } from './connection.js';
import {
  readConnection,
  ReadConnectionArguments,
  readConnectionOf,
  readRequest,
  type ReadConnection,
} from './read-connection.js';

@ObjectType({ description: 'PodDisruptionBudgets, by namespace and name.' })
class DisruptionBudgetConnection extends readConnectionOf(DisruptionBudgetShape, 'DisruptionBudget') {}

@ObjectType({ description: 'Pods of nodes that are drained, by node, namespace and name.' })
class DrainedPodConnection extends connectionOf(DrainedPodShape, 'DrainedPod') {}

@ObjectType({ description: 'Pods in the order of eviction.' })
class RankedPodConnection extends connectionOf(RankedPodShape, 'RankedPod') {}

@ObjectType('Drain', { description: 'What a drain would do, beside a NoExecute taint.' })
class DrainShape extends DrainHeadShape {
  @Field(() => DrainedPodConnection, { description: 'The pods: the page that was asked for.' })
  pods!: Connection<Plain<DrainedPodShape>>;
}

@ObjectType('EvictionRank', { description: 'In which order a kubelet would evict the pods of its node.' })
class EvictionRankShape extends EvictionRankHeadShape {
  @Field(() => RankedPodConnection, { description: 'The pods: the page that was asked for.' })
  pods!: Connection<Plain<RankedPodShape>>;
}

@ArgsType()
class DrainArguments extends ReadConnectionArguments {
  @Given({ type: () => DrainQuestionBody, description: 'Which nodes, and how.' })
  question!: DrainQuestionBody;
}

@ArgsType()
class DisruptionBudgetsArguments extends ReadConnectionArguments {
  @Given(BUDGET_FILTERS.namespace)
  namespace?: string;

  @Given(BUDGET_FILTERS.name)
  name?: string;
}

@ArgsType()
class EvictionRankArguments extends ReadConnectionArguments {
  @Given({ type: () => EvictionRankQuestionBody, description: 'The node, and what its pods use.' })
  question!: EvictionRankQuestionBody;
}

/** How pods are taken away, and what their budgets say of it. */
@Resolver(() => ClusterShape)
export class DisruptionsResolver {
  constructor(
    private readonly planDrain: PlanDrain,
    private readonly listDisruptionBudgets: ListDisruptionBudgets,
    private readonly rankEvictions: RankEvictions,
  ) {}

  @ResolveField(() => DrainShape, {
    description: 'What a drain would do, beside a NoExecute taint; `first` and `after` choose among its pods.',
  })
  @RequirePermission('evaluate', 'parent')
  async drain(
    @Parent() { name }: ClusterShape,
    @Args() args: DrainArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DrainShape>> {
    const request = { ...readRequest(name, args), drain: args.question };
    const { page, ...head } = await this.planDrain.run(request, edge);
    return { ...head, pods: connection(page, args, (pod) => pod) };
  }

  @ResolveField(() => DisruptionBudgetConnection, {
    description: 'Its PodDisruptionBudgets, as they are stored and as the disruption controller would have them now.',
  })
  @RequirePermission('read', 'parent')
  async disruptionBudgets(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: DisruptionBudgetsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<DisruptionBudgetShape>>> {
    const { namespace, name } = args;
    const request = { ...readRequest(cluster, args), namespace, name };
    return readConnection(await this.listDisruptionBudgets.run(request, edge), args);
  }

  @ResolveField(() => EvictionRankShape, {
    description: 'In which order the kubelet of a node would evict its pods; `first` and `after` choose among them.',
  })
  @RequirePermission('evaluate', 'parent')
  async evictionRank(
    @Parent() { name }: ClusterShape,
    @Args() args: EvictionRankArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<EvictionRankShape>> {
    const { signal, node, usage } = args.question;
    const request = { ...readRequest(name, args), signal, node, usage };
    const { page, ...head } = await this.rankEvictions.run(request, edge);
    return { ...head, pods: connection(page, args, (pod) => pod) };
  }
}

/** What holds for all clusters. */
@Resolver()
export class DisruptionKindsResolver {
  constructor(private readonly readDisruptionKinds: ReadDisruptionKinds) {}

  @Query(() => [DisruptionKindShape], { description: 'The ways in which Kubernetes takes a pod away, told apart.' })
  @RequireCaller()
  disruptionKinds(): readonly Plain<DisruptionKindShape>[] {
    return this.readDisruptionKinds.run();
  }
}
