import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { RequestContext } from '../../app/request-context.js';
import { AnswerChange } from '../../app/taint-changes/answer-change.js';
import { ChangeTaints } from '../../app/taint-changes/change-taints.js';
import { ListTaintChanges } from '../../app/taint-changes/list-taint-changes.js';
import { RevertTaintChange } from '../../app/taint-changes/revert-taint-change.js';
import type { TaintChangeAnswer } from '../../app/taint-changes/taint-change-view.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import type { Plain } from '../shapes/plain.js';
import { Shown } from '../shapes/property.js';
import { changeTaintsRequest, RevertBody, revertRequest, TaintChangeBody } from '../shapes/taint-change-body.js';
import {
  TaintChangeAnswerShape,
  taintChangeAnswerShape,
  TaintChangeShape,
  taintChangeShape,
} from '../shapes/taint-change-shape.js';
import { API_PREFIX } from './api-prefix.js';
import { PageQuery, pageRequest, PageShape, pageShape } from './page-query.js';
import * as examples from './taint-change-examples.js';

class TaintChangeListShape extends PageShape {
  @Shown({ type: () => TaintChangeShape, list: true, description: 'The changes, newest first.' })
  items!: Plain<TaintChangeShape>[];
}

const HEADERS = [
  {
    name: 'If-Match',
    description:
      'Refuse with 412, saying what changed meanwhile, unless the cluster is at this revision (`"7"`), or the one node that is ' +
      'named at this version (`"9f86d081884c7d659a2feaa0c55ad015"`, from a dry run).',
  },
  {
    name: 'Idempotency-Key',
    description: 'The same request said again under the same key is answered as it was, and made once.',
  },
];

const CHANGE_ERRORS = [
  'cluster-not-found',
  'no-snapshot',
  'object-not-found',
  'taint-change-refused',
  'precondition-failed',
  'idempotency-key-reused',
  'too-many-changes',
  'budget-exceeded',
] as const;

interface ChangeHeaders {
  readonly 'if-match'?: string;
  readonly 'idempotency-key'?: string;
}

/** Changes of taints, cordons and labels, on the record. */
@Controller(`${API_PREFIX}/clusters/:cluster/taint-changes`)
export class TaintChangesController {
  constructor(
    private readonly changeTaints: ChangeTaints,
    private readonly revertTaintChange: RevertTaintChange,
    private readonly listTaintChanges: ListTaintChanges,
    private readonly answerChange: AnswerChange,
  ) {}

  @Post()
  @HttpCode(201)
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Change taints',
    description:
      'Adds, overwrites and removes taints, cordons and uncordons, sets and removes labels, exactly as kubectl and the API ' +
      'server would, in one change of all nodes or none. It is an intent until a snapshot of the cluster, or an audit event, ' +
      'says what became of it. Answers 200 where nothing was stored: a dry run (which needs the right `evaluate` alone, a ' +
      'change needs `change`), the same request once more, or no node that changes.',
    parameters: { cluster: 'example' },
    headers: HEADERS,
    body: { shape: TaintChangeBody, description: 'Which nodes, and what to make of them.', example: examples.BODY },
    answers: [
      { status: 201, description: 'Made.', shape: TaintChangeAnswerShape, example: examples.ANSWER },
      { status: 200, description: 'Nothing was stored.', shape: TaintChangeAnswerShape, example: examples.ANSWER },
    ],
    errors: CHANGE_ERRORS,
  })
  async change(
    @Param('cluster') cluster: string,
    @Body() body: TaintChangeBody,
    @Headers() headers: ChangeHeaders,
    @Ctx() edge: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<TaintChangeAnswerShape>> {
    const request = changeTaintsRequest(cluster, body, conditions(headers));
    return answered(cluster, await this.changeTaints.run(request, edge), reply);
  }

  @Get()
  @RequirePermission('read')
  @Operation({
    summary: 'List taint changes',
    description:
      'The changes that were made to a cluster through this service, newest first. What else happened to taints is in its trail.',
    query: PageQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'A page of changes.',
        shape: TaintChangeListShape,
        example: { items: [examples.CHANGE], continue: null, remainingItemCount: 0 },
      },
    ],
    errors: ['cluster-not-found', 'invalid-continue-token'],
  })
  async list(@Param('cluster') cluster: string, @Query() query: PageQuery): Promise<Plain<TaintChangeListShape>> {
    return pageShape(await this.listTaintChanges.run({ cluster, page: pageRequest(query) }), taintChangeShape);
  }

  @Get(':id')
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('read')
  @Operation({
    summary: 'Read a taint change',
    description: 'One change: what was asked, what became of each node, and what snapshots say of it since.',
    parameters: { cluster: 'example', id: examples.CHANGE.id },
    answers: [{ status: 200, description: 'The change.', shape: TaintChangeAnswerShape, example: examples.ANSWER }],
    errors: ['cluster-not-found', 'no-snapshot', 'change-not-found'],
  })
  async get(
    @Param('cluster') cluster: string,
    @Param('id') id: string,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TaintChangeAnswerShape>> {
    return taintChangeAnswerShape(await this.answerChange.stored(cluster, id, edge));
  }

  @Post(':id/revert')
  @HttpCode(201)
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Take a taint change back',
    description:
      'Makes the inverse of a change, on the record. Refused, naming what and who, where somebody changed the same since, ' +
      'unless `force` says to override it.',
    parameters: { cluster: 'example', id: examples.CHANGE.id },
    headers: HEADERS,
    body: { shape: RevertBody, description: 'Why, and how.', example: examples.REVERT_BODY },
    answers: [
      { status: 201, description: 'Taken back.', shape: TaintChangeAnswerShape, example: examples.ANSWER },
      { status: 200, description: 'Nothing was stored.', shape: TaintChangeAnswerShape, example: examples.ANSWER },
    ],
    errors: [...CHANGE_ERRORS, 'change-not-found', 'already-reverted', 'revert-conflict'],
  })
  async revert(
    @Param('cluster') cluster: string,
    @Param('id') id: string,
    @Body() body: RevertBody,
    @Headers() headers: ChangeHeaders,
    @Ctx() edge: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<TaintChangeAnswerShape>> {
    const request = revertRequest(cluster, id, body, conditions(headers));
    return answered(cluster, await this.revertTaintChange.run(request, edge), reply);
  }
}

function conditions(headers: ChangeHeaders) {
  return { ifMatch: headers['if-match'], idempotencyKey: headers['idempotency-key'], root: '' as const };
}

function answered(cluster: string, answer: TaintChangeAnswer, reply: FastifyReply): Plain<TaintChangeAnswerShape> {
  const { change, replayed } = answer;
  if (change === null || replayed) reply.code(200);
  if (change !== null) reply.header('location', `/${API_PREFIX}/clusters/${cluster}/taint-changes/${change.id}`);
  return taintChangeAnswerShape(answer);
}
