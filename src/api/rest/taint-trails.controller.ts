import { Controller, Get, Query } from '@nestjs/common';
import type { RequestContext } from '../../app/request-context.js';
import { ListRecordsAcross } from '../../app/taint-trail/list-records-across.js';
import { ListTrails } from '../../app/taint-trail/list-trails.js';
import { defined } from '../../core/collections/defined.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import { TRAIL_CLUSTERS } from '../shapes/filter-options.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { TrailRecordShape, trailRecordShape } from '../shapes/trail-record-shape.js';
import { OrderedRecordFilters, recordsRequest } from '../shapes/trail-request.js';
import { TRAIL_EXAMPLE, TrailShape } from '../shapes/trail-shape.js';
import { API_PREFIX } from './api-prefix.js';
import { CONTINUE, LIMIT, PageQuery, pageRequest, PageShape, pageShape } from './page-query.js';
import * as examples from './taint-trail-examples.js';
import { UncountedPageShape, uncountedPageShape } from './uncounted-page.js';

class TrailListShape extends PageShape {
  @Shown({ type: () => TrailShape, list: true, description: 'By cluster; the oldest of a name first.' })
  items!: Plain<TrailShape>[];
}

class RecordsAcrossQuery extends OrderedRecordFilters {
  @Given(TRAIL_CLUSTERS)
  clusterSelector?: string;

  @Given(LIMIT)
  limit?: number;

  @Given(CONTINUE)
  continue?: string;
}

class RecordsAcrossShape extends UncountedPageShape {
  @Shown({
    type: () => TrailRecordShape,
    list: true,
    description: 'The records of all of them, by when they happened.',
  })
  items!: Plain<TrailRecordShape>[];
}

/** All trails, those of clusters that were deleted too. */
@Controller(API_PREFIX)
export class TaintTrailsController {
  constructor(
    private readonly listTrails: ListTrails,
    private readonly listRecordsAcross: ListRecordsAcross,
  ) {}

  @Get('taint-trails')
  @RequirePermission('audit', 'each')
  @Operation({
    summary: 'List the trails',
    description:
      'The trail of every cluster that the caller may audit. That of a deleted cluster is closed and stays; `trail=` selects it, ' +
      'since its name may have been used again.',
    query: PageQuery,
    parameters: { limit: 10 },
    answers: [
      {
        status: 200,
        description: 'A page of trails.',
        shape: TrailListShape,
        example: { items: [TRAIL_EXAMPLE], continue: null, remainingItemCount: 0 },
      },
    ],
    errors: ['invalid-continue-token'],
  })
  async trails(@Query() query: PageQuery, @Ctx() edge: RequestContext): Promise<Plain<TrailListShape>> {
    return pageShape(await this.listTrails.run(pageRequest(query), edge), (trail) => trail);
  }

  @Get('taint-trail/records')
  @RequirePermission('audit', 'each')
  @Operation({
    summary: 'List the records of several trails',
    description:
      'The records of every trail that the caller may audit, by when things happened, newest first; with a selector those of ' +
      'clusters that are there and have these labels.',
    query: RecordsAcrossQuery,
    parameters: { clusterSelector: 'env=prod', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'A page of records.',
        shape: RecordsAcrossShape,
        example: { items: [examples.RECORD], continue: null },
      },
    ],
    errors: ['invalid-continue-token'],
  })
  async records(@Query() query: RecordsAcrossQuery, @Ctx() edge: RequestContext): Promise<Plain<RecordsAcrossShape>> {
    const { clusterSelector } = query;
    const request = {
      ...defined({ clusterSelector }),
      ...recordsRequest(query),
      page: pageRequest(query),
    };
    return uncountedPageShape(await this.listRecordsAcross.run(request, edge), ({ record }) =>
      trailRecordShape(record),
    );
  }
}
