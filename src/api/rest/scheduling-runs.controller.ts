import { Body, Controller, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { ComparePlacements } from '../../app/scheduling/compare-placements.js';
import { FindCapacity } from '../../app/scheduling/find-capacity.js';
import { followRun, type RunNews } from '../../app/scheduling/follow-run.js';
import type { QueueAnswer } from '../../app/scheduling/queue-view.js';
import { RunQueue } from '../../app/scheduling/run-queue.js';
import type { RequestContext } from '../../app/request-context.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { RunDifference } from '../../core/scheduling/comparison/compare-runs.js';
import { DEFAULT_SCHEDULER } from '../../core/scheduling/queue/queued-work.js';
import { Ctx } from '../request-context.decorator.js';
import { preferredType } from '../http/preferred-type.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
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
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { API_PREFIX } from './api-prefix.js';
import { pageShape } from './page-query.js';
import { listRequest, readAtOf, StatePageQuery } from './read-at-query.js';
import { LIST_ERRORS } from './read-errors.js';
import { ReadPageShape } from './read-page-shape.js';
import * as examples from './scheduling-run-examples.js';

const NDJSON = 'application/x-ndjson';

class QueueRunRequestBody extends QueueRunBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

class QueueRunAnswerShape extends ReadPageShape {
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

  @Shown({ type: () => QueueDecisionShape, list: true, description: 'The decisions, in the order of the queue.' })
  items!: Plain<QueueDecisionShape>[];
}

class CapacityRequestBody extends CapacityBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

class CapacityAnswerShape extends ReadPageShape {
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

  @Shown({ type: () => NodeRoomShape, list: true, description: 'The nodes, those with most room first.' })
  items!: Plain<NodeRoomShape>[];
}

class ComparisonRequestBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;

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

class ComparisonAnswerShape extends ReadPageShape {
  @Shown({ type: () => BasisShape, description: 'What the other side rests on.' })
  against!: Plain<BasisShape>;

  @Shown(SCHEDULER)
  scheduler!: Plain<PlacingSchedulerShape> | null;

  @Shown({ ...SCHEDULER, description: 'The same of the other side.' })
  againstScheduler!: Plain<PlacingSchedulerShape> | null;

  @Shown({ type: COMPLETENESS, description: 'Whether every pod had its turn on both sides.', example: 'complete' })
  outcome!: string;

  @Shown({ type: 'integer', description: 'Pods that were placed.', example: 1 })
  pods!: number;

  @Shown({ type: () => ComparisonCountsShape, description: 'All of them, by what differs.' })
  counts!: Plain<ComparisonCountsShape>;

  @Shown({
    type: () => ComparedPodShape,
    list: true,
    description: 'Those that are asked for, in the order of the queue.',
  })
  items!: Plain<ComparedPodShape>[];
}

/** Many pods placed one after another: the queue, the room for replicas, and what differs between two states. */
@Controller(`${API_PREFIX}/clusters/:cluster`)
export class SchedulingRunsController {
  constructor(
    private readonly runQueue: RunQueue,
    private readonly findCapacity: FindCapacity,
    private readonly comparePlacements: ComparePlacements,
  ) {}

  @Post('queue-runs')
  @HttpCode(200)
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Place pending pods one after another',
    description:
      'The pods that wait in the cluster, and those that you bring, in the order in which the scheduler takes them (priority, then time), each seeing those before: the node, or the message, of every one; and on request which single change lets how many of those go that found none. It ends when its time is over and says what it did not come to. With `Accept: application/x-ndjson` it tells its progress, a line of JSON each, and the answer in the last line. Preemption does not take place. Nothing is stored.',
    query: StatePageQuery,
    parameters: { cluster: 'example', limit: 10 },
    body: { shape: QueueRunRequestBody, description: 'What is in the queue.', example: examples.QUEUE_BODY },
    answers: [
      { status: 200, description: 'What became of them.', shape: QueueRunAnswerShape, example: examples.QUEUE_ANSWER },
      {
        status: 200,
        description: 'The same, with progress.',
        mediaType: NDJSON,
        example: `{"progress":{"waiting":1,"totals":{"placed":1,"unplaced":0,"gated":0,"error":0,"notTried":0}}}\n`,
      },
    ],
    errors: [...LIST_ERRORS, 'invalid-object', 'budget-exceeded'],
  })
  async queue(
    @Param('cluster') cluster: string,
    @Query() query: StatePageQuery,
    @Body() body: QueueRunRequestBody,
    @Headers('accept') accept: string | undefined,
    @Ctx() edge: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<QueueRunAnswerShape> | Readable> {
    const request = { ...listRequest(cluster, query, body.scenario), ...queueQuestionOf(body), root: '' as const };
    reply.header('vary', 'accept');
    if (preferredType(accept, ['application/json', NDJSON]) !== NDJSON) {
      return queueAnswer(await this.runQueue.run(request, edge));
    }
    const news = await followRun((told) => this.runQueue.run({ ...request, told }, edge));
    reply.header('content-type', NDJSON);
    return Readable.from(linesOf(news), { objectMode: false });
  }

  @Post('capacities')
  @HttpCode(200)
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Ask how many replicas of a pod fit',
    description:
      'How many replicas of a pod fit on the nodes as they are, exactly as if they were placed one after another; where; what stops the next one, counted over all nodes and by pool, taints and labels; and on request what the taints cost that the pod does not tolerate. Nothing is stored.',
    query: StatePageQuery,
    parameters: { cluster: 'example', limit: 10 },
    body: { shape: CapacityRequestBody, description: 'The pod.', example: examples.CAPACITY_BODY },
    answers: [{ status: 200, description: 'The room.', shape: CapacityAnswerShape, example: examples.CAPACITY_ANSWER }],
    errors: [...LIST_ERRORS, 'invalid-object', 'admission-refused', 'object-not-found', 'budget-exceeded'],
  })
  async capacity(
    @Param('cluster') cluster: string,
    @Query() query: StatePageQuery,
    @Body() body: CapacityRequestBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<CapacityAnswerShape>> {
    const request = { ...listRequest(cluster, query, body.scenario), ...capacityQuestionOf(body) };
    const { page, ...head } = await this.findCapacity.run(request, edge);
    return { ...head, ...pageShape(page, (node) => node) };
  }

  @Post('placement-comparisons')
  @HttpCode(200)
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Compare where pods go on two states',
    description:
      'The pods that wait, or a selection that is taken off its nodes too, placed one after another on two states: another revision, a scenario, or both. Who moves, who fits no more, who fits now, with the reasons of both sides. Nothing is stored.',
    query: StatePageQuery,
    parameters: { cluster: 'example', limit: 10 },
    body: { shape: ComparisonRequestBody, description: 'The other side.', example: examples.COMPARISON_BODY },
    answers: [
      { status: 200, description: 'What differs.', shape: ComparisonAnswerShape, example: examples.COMPARISON_ANSWER },
    ],
    errors: [...LIST_ERRORS, 'budget-exceeded'],
  })
  async compare(
    @Param('cluster') cluster: string,
    @Query() query: StatePageQuery,
    @Body() body: ComparisonRequestBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<ComparisonAnswerShape>> {
    const { against, selection, differences, schedulerName = DEFAULT_SCHEDULER, configuration, timeBudgetMs } = body;
    const request = {
      ...listRequest(cluster, query, body.scenario),
      against: readAtOf(against),
      selection,
      differences,
      schedulerName,
      configuration,
      againstConfiguration: against.configuration,
      timeBudgetMs,
    };
    const { page, ...head } = await this.comparePlacements.run(request, edge);
    return { ...head, ...pageShape(page, (pod) => pod) };
  }
}

function queueAnswer({ page, reasons: queueReasons, ...head }: QueueAnswer): Plain<QueueRunAnswerShape> {
  return { ...head, queueReasons, ...pageShape(page, (decision) => decision) };
}

async function* linesOf(news: AsyncGenerator<RunNews<QueueAnswer>>): AsyncGenerator<string, void, undefined> {
  for await (const piece of news) {
    const line = 'answer' in piece ? { answer: queueAnswer(piece.answer) } : piece;
    yield `${stringifyJson(line)}\n`;
  }
}
