import { Body, Controller, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { ScheduleEvictions } from '../../app/evictions/schedule-evictions.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RouteConfig } from '@nestjs/platform-fastify';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import { EvictionScheduleInputBody, scheduleRequest } from '../shapes/eviction-schedule-body.js';
import { EvictionScheduleHeadShape, ScheduledPodShape } from '../shapes/eviction-schedule-shape.js';
import type { Plain } from '../shapes/plain.js';
import { wordsType } from '../shapes/property-type.js';
import { Given, Shown } from '../shapes/property.js';
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { API_PREFIX } from './api-prefix.js';
import * as examples from './eviction-schedule-examples.js';
import { CONTINUE, LIMIT, pageRequest, pageShape } from './page-query.js';
import { readAtOf, StateQuery } from './read-at-query.js';
import { READ_ERRORS } from './read-errors.js';

const FORMAT = wordsType('EvictionScheduleFormat', 'How a schedule is written out.', ['json', 'csv']);

class ScheduleQuery extends StateQuery {
  @Given({
    type: FORMAT,
    optional: true,
    defaultsTo: 'json',
    description: '`csv`: every pod that is asked for as a line of a table, and nothing else.',
  })
  format?: string;
}

class EvictionScheduleBody extends EvictionScheduleInputBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;

  @Given({ ...LIMIT, description: 'At most so many pods in this page.' })
  limit?: number;

  @Given({ ...CONTINUE, description: 'The `continue` of the page before; the rest, and `asOf`, as there.' })
  continue?: string;
}

class EvictionScheduleShape extends EvictionScheduleHeadShape {
  @Shown({
    type: () => ScheduledPodShape,
    list: true,
    description:
      'The pods of nodes that have NoExecute taints: being deleted, then those that leave by when, then the others.',
  })
  pods!: Plain<ScheduledPodShape>[];

  @Shown({ type: 'string', optional: true, description: 'For the next page; null when this is the last one.' })
  continue!: string | null;

  @Shown({ type: 'integer', description: 'How many pods follow after this page.', example: 0 })
  remainingItemCount!: number;
}

@Controller(`${API_PREFIX}/clusters/:cluster/eviction-schedules`)
export class EvictionSchedulesController {
  constructor(private readonly scheduleEvictions: ScheduleEvictions) {}

  @Post()
  @HttpCode(200)
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Ask who is evicted by NoExecute taints, when, and why',
    description:
      'For each pod on a node with NoExecute taints: whether it is marked for deletion now, at some time, or never; which toleration ' +
      'is used for each taint, which of them decides, and from when its seconds count. The taints are those that stand, with the timers ' +
      'that run by what is stored of the past; those of a `scenario`; those that `events` bring; and those that the node lifecycle ' +
      'controller sets when nodes fail (`outages`). Nothing is stored.',
    query: ScheduleQuery,
    parameters: { cluster: 'example' },
    body: { shape: EvictionScheduleBody, description: 'What is asked.', example: examples.QUESTION },
    answers: [{ status: 200, description: 'The schedule.', shape: EvictionScheduleShape, example: examples.ANSWER }],
    errors: [...READ_ERRORS, 'invalid-continue-token', 'budget-exceeded'],
  })
  async schedule(
    @Param('cluster') cluster: string,
    @Query() query: ScheduleQuery,
    @Body() body: EvictionScheduleBody,
    @Ctx() edge: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<EvictionScheduleShape> | Readable> {
    const page = pageRequest(body);
    const request = scheduleRequest(cluster, readAtOf(query, body.scenario), body, { page, root: '' });
    if (query.format === 'csv') {
      const text = await this.scheduleEvictions.export(request, edge);
      reply.header('content-type', 'text/csv; charset=utf-8; header=present');
      reply.header('content-disposition', `attachment; filename="eviction-schedule-${cluster}.csv"`);
      return Readable.from(text, { objectMode: false });
    }
    const { pods, ...head } = await this.scheduleEvictions.run(request, edge);
    const { items, ...rest } = pageShape(pods, (pod) => pod);
    return { ...head, pods: items, ...rest };
  }
}
