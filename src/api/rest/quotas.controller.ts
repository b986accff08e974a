import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { GetQuota } from '../../app/quotas/get-quota.js';
import { ListQuotaCapacity } from '../../app/quotas/list-quota-capacity.js';
import { ListQuotas } from '../../app/quotas/list-quotas.js';
import { MOST_REVIEWED, ReviewQuotas } from '../../app/quotas/review-quotas.js';
import type { QuotaPodCounting } from '../../app/quotas/quota-pod-view.js';
import type { RequestContext } from '../../app/request-context.js';
import type { CapacityHolds } from '../../core/quota-capacity/namespace-capacity.js';
import type { QuotaStanding } from '../../core/quota/quota-standing.js';
import { readEnvelope } from '../envelope/read-envelope.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import { QUOTA_FILTERS } from '../shapes/filter-options.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { ASSUMPTIONS, QuotaCapacityShape } from '../shapes/quota-capacity-shape.js';
import {
  QUOTA_BASIS,
  quotaQuestionOf,
  QuotaReviewAnswerShape,
  quotaReviewAnswer,
  QuotaReviewItemBody,
  type QuotaBasis,
} from '../shapes/quota-review-shape.js';
import { NOT_LOADED, QuotaPodShape, QuotaShape } from '../shapes/quota-shape.js';
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { API_PREFIX } from './api-prefix.js';
import { pageShape } from './page-query.js';
import * as examples from './quota-examples.js';
import { listRequest, readAtOf, ReadPageQuery, StateQuery } from './read-at-query.js';
import { LIST_ERRORS, READ_ERRORS } from './read-errors.js';
import { ReadPageShape } from './read-page-shape.js';

class QuotasQuery extends ReadPageQuery {
  @Given(QUOTA_FILTERS.namespace)
  namespace?: string;

  @Given(QUOTA_FILTERS.standing)
  standing?: QuotaStanding[];

  @Given(QUOTA_FILTERS.threshold)
  threshold?: number;
}

class QuotaQuery extends ReadPageQuery {
  @Given(QUOTA_FILTERS.counting)
  counting?: QuotaPodCounting[];

  @Given(QUOTA_FILTERS.threshold)
  threshold?: number;
}

class QuotaListShape extends ReadPageShape {
  @Shown(NOT_LOADED)
  notLoaded!: readonly string[];

  @Shown({ type: () => QuotaShape, list: true, description: 'The quotas, by namespace and name.' })
  items!: Plain<QuotaShape>[];
}

class QuotaAnswerShape extends ReadPageShape {
  @Shown(NOT_LOADED)
  notLoaded!: readonly string[];

  @Shown({ type: () => QuotaShape, description: 'The quota.' })
  quota!: Plain<QuotaShape>;

  @Shown({ type: () => QuotaPodShape, list: true, description: 'The pods of its namespace, by name.' })
  items!: Plain<QuotaPodShape>[];
}

class QuotaCapacityQuery extends ReadPageQuery {
  @Given(QUOTA_FILTERS.namespace)
  namespace?: string;

  @Given(QUOTA_FILTERS.holds)
  holds?: CapacityHolds[];
}

class QuotaCapacityListShape extends ReadPageShape {
  @Shown(NOT_LOADED)
  notLoaded!: readonly string[];

  @Shown(ASSUMPTIONS)
  assumptions!: readonly string[];

  @Shown({ type: () => QuotaCapacityShape, list: true, description: 'The namespaces, by name.' })
  items!: Plain<QuotaCapacityShape>[];
}

class QuotaReviewBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;

  @Given(QUOTA_BASIS)
  usage?: QuotaBasis;

  @Given({
    type: () => QuotaReviewItemBody,
    list: true,
    maximumLength: MOST_REVIEWED,
    readApart: true,
    description: `What is asked for, in order, at most ${MOST_REVIEWED}: each item sees the charges of those before; a bad one fails alone.`,
  })
  items!: QuotaReviewItemBody[];
}

/** What ResourceQuotas allow, and what is used of it. */
@Controller(`${API_PREFIX}/clusters/:cluster`)
export class QuotasController {
  constructor(
    private readonly listQuotas: ListQuotas,
    private readonly getQuota: GetQuota,
    private readonly reviewQuotas: ReviewQuotas,
    private readonly listQuotaCapacity: ListQuotaCapacity,
  ) {}

  @Get('quotas')
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('read')
  @Operation({
    summary: 'List ResourceQuotas with what is used of them',
    description:
      'Each quota with what it allows, what the pods and other objects of its namespace add up to now, counted as the resource quota controller does, and what its status says, with the difference explained; its scopes with what they mean. A pod that is being deleted counts until its deletion is overdue by its grace period, so the answer changes with the moment. `standing` and `threshold` pick those at risk.',
    query: QuotasQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [{ status: 200, description: 'A page of quotas.', shape: QuotaListShape, example: examples.QUOTAS }],
    errors: LIST_ERRORS,
  })
  async list(
    @Param('cluster') cluster: string,
    @Query() query: QuotasQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<QuotaListShape>> {
    const { namespace, standing, threshold } = query;
    const request = { ...listRequest(cluster, query), namespace, standing, threshold };
    const { page, ...head } = await this.listQuotas.run(request, edge);
    return { ...head, ...pageShape(page, (quota) => quota) };
  }

  @Get('quotas/:namespace/:quota')
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('read')
  @Operation({
    summary: 'Read a ResourceQuota with the pods that make up its usage',
    description:
      'One quota as the list has it, and the pods of its namespace page by page: what each is charged, and of those that do not count why not.',
    query: QuotaQuery,
    parameters: { cluster: 'example', namespace: 'default', quota: 'team-quota', limit: 10 },
    answers: [
      { status: 200, description: 'The quota and its pods.', shape: QuotaAnswerShape, example: examples.ONE_QUOTA },
    ],
    errors: [...LIST_ERRORS, 'object-not-found'],
  })
  async get(
    @Param('cluster') cluster: string,
    @Param('namespace') namespace: string,
    @Param('quota') name: string,
    @Query() query: QuotaQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<QuotaAnswerShape>> {
    const { counting, threshold } = query;
    const request = { ...listRequest(cluster, query), namespace, name, counting, threshold };
    const { page, ...head } = await this.getQuota.run(request, edge);
    return { ...head, ...pageShape(page, (pod) => pod) };
  }

  @Get('quota-capacity')
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('read')
  @Operation({
    summary: 'Compare quotas with the nodes that their namespaces can use',
    description:
      'For each namespace with a quota on what nodes hold: the nodes that its pods can use by taints and cordons, told apart by tolerations, what they have and what is free on them beside what the quota allows and leaves; and the pods that wait for a node, with the scheduler\'s words. The question behind "quota is free, and pods are Pending".',
    query: QuotaCapacityQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [
      { status: 200, description: 'A page of namespaces.', shape: QuotaCapacityListShape, example: examples.CAPACITY },
    ],
    errors: [...LIST_ERRORS, 'budget-exceeded'],
  })
  async capacity(
    @Param('cluster') cluster: string,
    @Query() query: QuotaCapacityQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<QuotaCapacityListShape>> {
    const { namespace, holds } = query;
    const request = { ...listRequest(cluster, query), namespace, holds };
    const { page, ...head } = await this.listQuotaCapacity.run(request, edge);
    return { ...head, ...pageShape(page, (one) => one) };
  }

  @Post('quota-reviews')
  @HttpCode(200)
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Ask whether quotas let pods in',
    description:
      "Pods, replicas of them, workloads, and changes of a stored workload's replicas, one after another, each of which sees the charges of those before: taken through the cluster's whole admission; the refusal to the letter where there is one; how many fit before which quota stops them; and which numbers would have to be raised to what. Nothing is stored.",
    query: StateQuery,
    parameters: { cluster: 'example' },
    body: { shape: QuotaReviewBody, description: 'What is asked for.', example: examples.REVIEW_BODY },
    answers: [
      { status: 200, description: 'The answers.', shape: QuotaReviewAnswerShape, example: examples.REVIEW_ANSWER },
    ],
    errors: [...READ_ERRORS, 'budget-exceeded'],
  })
  async review(
    @Param('cluster') cluster: string,
    @Query() query: StateQuery,
    @Body() body: QuotaReviewBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<QuotaReviewAnswerShape>> {
    const items = body.items.map(reviewItem);
    const readAt = readAtOf(query, body.scenario);
    const request = { cluster, readAt, basis: body.usage ?? 'reported', items };
    return quotaReviewAnswer(await this.reviewQuotas.run(request, edge));
  }
}

/** An item as it arrived: its envelope is read when its turn comes, so that a bad one fails alone. */
function reviewItem(given: unknown, index: number) {
  const { id } = (typeof given === 'object' && given !== null ? given : {}) as { readonly id?: unknown };
  return {
    id: typeof id === 'string' ? id : String(index),
    read: () => quotaQuestionOf(readEnvelope(QuotaReviewItemBody, given)),
  };
}
