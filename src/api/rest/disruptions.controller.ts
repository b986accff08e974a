import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ListDisruptionBudgets } from '../../app/disruptions/list-disruption-budgets.js';
import { PlanDrain } from '../../app/disruptions/plan-drain.js';
import { RankEvictions } from '../../app/disruptions/rank-evictions.js';
import { ReadDisruptionKinds } from '../../app/disruptions/read-disruption-kinds.js';
import type { RequestContext } from '../../app/request-context.js';
import { DISRUPTION_KINDS } from '../../core/disruption/disruption-kinds.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission, RequireCaller } from '../require-permission.js';
import { Operation } from '../operation.js';
import { DisruptionBudgetShape } from '../shapes/disruption-budget-shape.js';
import { DisruptionKindShape } from '../shapes/disruption-kind-shape.js';
import { DrainBody } from '../shapes/drain-body.js';
import { DrainedPodShape, DrainHeadShape } from '../shapes/drain-shape.js';
import { EvictionRankHeadShape, EvictionRankQuestionBody, RankedPodShape } from '../shapes/eviction-rank-shape.js';
import { BUDGET_FILTERS } from '../shapes/filter-options.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { API_PREFIX } from './api-prefix.js';
import * as examples from './disruption-examples.js';
import { pageShape } from './page-query.js';
import { listRequest, ReadPageQuery, StatePageQuery } from './read-at-query.js';
import { LIST_ERRORS } from './read-errors.js';
import { ReadPageShape, readPageShape } from './read-page-shape.js';

class DisruptionBudgetsQuery extends ReadPageQuery {
  @Given(BUDGET_FILTERS.namespace)
  namespace?: string;

  @Given(BUDGET_FILTERS.name)
  name?: string;
}

class DisruptionBudgetListShape extends ReadPageShape {
  @Shown({ type: () => DisruptionBudgetShape, list: true, description: 'The budgets, by namespace and name.' })
  items!: Plain<DisruptionBudgetShape>[];
}

class DrainListShape extends DrainHeadShape {
  @Shown({ type: () => DrainedPodShape, list: true, description: 'The pods, by node, namespace and name.' })
  items!: Plain<DrainedPodShape>[];

  @Shown({ type: 'string', optional: true, description: 'For the next page; null when this is the last one.' })
  continue!: string | null;

  @Shown({ type: 'integer', description: 'How many items follow after this page.', example: 0 })
  remainingItemCount!: number;
}

class EvictionRankBody extends EvictionRankQuestionBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

class EvictionRankListShape extends EvictionRankHeadShape {
  @Shown({ type: () => RankedPodShape, list: true, description: 'The pods, first to be evicted first.' })
  items!: Plain<RankedPodShape>[];

  @Shown({ type: 'string', optional: true, description: 'For the next page; null when this is the last one.' })
  continue!: string | null;

  @Shown({ type: 'integer', description: 'How many items follow after this page.', example: 0 })
  remainingItemCount!: number;
}

class DisruptionKindListShape {
  @Shown({ type: () => DisruptionKindShape, list: true, description: 'The kinds.' })
  items!: readonly Plain<DisruptionKindShape>[];
}

@Controller(API_PREFIX)
export class DisruptionsController {
  constructor(
    private readonly planDrain: PlanDrain,
    private readonly listDisruptionBudgets: ListDisruptionBudgets,
    private readonly rankEvictions: RankEvictions,
    private readonly readDisruptionKinds: ReadDisruptionKinds,
  ) {}

  @Post('clusters/:cluster/drains')
  @HttpCode(200)
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Ask what a drain would do, beside a NoExecute taint',
    description:
      'For nodes by name or by labels: pod by pod what kubectl drain decides in its own words, what the Eviction API would answer now and which budget blocks it, and what a NoExecute taint would do to the same pod; and the nodes drained one after another under the budgets, with what that rests on. Nothing is stored.',
    query: StatePageQuery,
    parameters: { cluster: 'example', limit: 10 },
    body: { shape: DrainBody, description: 'Which nodes, and how.', example: examples.DRAIN_BODY },
    answers: [{ status: 200, description: 'What would happen.', shape: DrainListShape, example: examples.DRAIN }],
    errors: LIST_ERRORS,
  })
  async drains(
    @Param('cluster') cluster: string,
    @Query() query: StatePageQuery,
    @Body() body: DrainBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DrainListShape>> {
    const { scenario, ...drain } = body;
    const { page, ...head } = await this.planDrain.run({ ...listRequest(cluster, query, scenario), drain }, edge);
    return { ...head, ...pageShape(page, (pod) => pod) };
  }

  @Get('clusters/:cluster/disruption-budgets')
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('read')
  @Operation({
    summary: 'List PodDisruptionBudgets with their arithmetic',
    description:
      'Each budget as it is stored, and with the status that the disruption controller would compute now from the stored pods and workloads, its numbers spelled out; or why that is not known.',
    query: DisruptionBudgetsQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [
      { status: 200, description: 'A page of budgets.', shape: DisruptionBudgetListShape, example: examples.BUDGETS },
    ],
    errors: LIST_ERRORS,
  })
  async budgets(
    @Param('cluster') cluster: string,
    @Query() query: DisruptionBudgetsQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DisruptionBudgetListShape>> {
    const { namespace, name } = query;
    return readPageShape(
      await this.listDisruptionBudgets.run({ ...listRequest(cluster, query), namespace, name }, edge),
    );
  }

  @Post('clusters/:cluster/eviction-ranks')
  @HttpCode(200)
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Ask in which order a kubelet would evict the pods of its node',
    description:
      'For a node that runs short of memory, disk, inodes or processes, by usage that comes with the question: the order with the reason for each place, the pods that are passed over, and the one that is evicted.',
    query: StatePageQuery,
    parameters: { cluster: 'example', limit: 10 },
    body: { shape: EvictionRankBody, description: 'The node, and what its pods use.', example: examples.RANK_BODY },
    answers: [{ status: 200, description: 'The order.', shape: EvictionRankListShape, example: examples.RANK }],
    errors: [...LIST_ERRORS, 'object-not-found'],
  })
  async evictionRanks(
    @Param('cluster') cluster: string,
    @Query() query: StatePageQuery,
    @Body() body: EvictionRankBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<EvictionRankListShape>> {
    const { scenario, ...question } = body;
    const { page, ...head } = await this.rankEvictions.run(
      { ...listRequest(cluster, query, scenario), ...question },
      edge,
    );
    return { ...head, ...pageShape(page, (pod) => pod) };
  }

  @Get('disruption-kinds')
  @RequireCaller()
  @Operation({
    summary: 'Tell the ways apart in which Kubernetes takes a pod away',
    description:
      'API-initiated eviction, taint eviction, preemption, termination by the kubelet and garbage collection: who does it, the DisruptionTarget reason that it leaves, what it makes of budgets, grace periods, priority and tolerations, and what it is taken for.',
    answers: [
      {
        status: 200,
        description: 'All of them.',
        shape: DisruptionKindListShape,
        example: { items: DISRUPTION_KINDS.slice(0, 2) },
      },
    ],
    errors: [],
  })
  kinds(): Plain<DisruptionKindListShape> {
    return { items: this.readDisruptionKinds.run() };
  }
}
