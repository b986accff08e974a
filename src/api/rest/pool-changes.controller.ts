import { Controller, Get, Param, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { PlanPool } from '../../app/pools/plan-pool.js';
import type { RequestEdge } from '../../app/request-edge.js';
import { AtEdge } from '../edge.js';
import { Needs } from '../needs.js';
import { Operation } from '../operation.js';
import type { Plain } from '../shapes/plain.js';
import { RemainingPoolChangesShape, remainingShape } from '../shapes/pool-shape.js';
import { API_PREFIX } from './api-prefix.js';
import * as examples from './pool-examples.js';
import { readAtOf, ReadQuery } from './read-at-query.js';
import { READ_ERRORS } from './read-errors.js';

/** What is still to be made of the nodes of pools. */
@Controller(`${API_PREFIX}/clusters/:cluster/pools/:pool`)
export class PoolChangesController {
  constructor(private readonly planPool: PlanPool) {}

  @Get('remaining-changes')
  @RouteConfig({ beyondRevision: true })
  @Needs('evaluate')
  @Operation({
    summary: 'Read what is still to be made of the nodes of a pool',
    description:
      'The nodes of the pool that lack a taint or a label of it, and the one change of taints that gives it to them, with what it ' +
      'would do: its node changes, commands and effects are those of a dry run of `POST taint-changes` with `change` as its body.',
    query: ReadQuery,
    parameters: { cluster: 'example', pool: 'ml' },
    answers: [
      { status: 200, description: 'What is left.', shape: RemainingPoolChangesShape, example: examples.REMAINING },
    ],
    errors: [...READ_ERRORS, 'object-not-found'],
  })
  async remaining(
    @Param('cluster') cluster: string,
    @Param('pool') name: string,
    @Query() query: ReadQuery,
    @AtEdge() edge: RequestEdge,
  ): Promise<Plain<RemainingPoolChangesShape>> {
    return remainingShape(await this.planPool.run({ cluster, name, readAt: readAtOf(query) }, edge));
  }
}
