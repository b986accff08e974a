import { Controller, Get, Param, Query } from '@nestjs/common';
import { RankPlacedPod } from '../../app/pods/rank-placed-pod.js';
import { MAX_PAGE_SIZE } from '../../contract/page.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import type { Plain } from '../shapes/plain.js';
import { PodRankingShape } from '../shapes/pod-ranking-shape.js';
import { Given } from '../shapes/property.js';
import { API_PREFIX } from './api-prefix.js';
import { BASIS } from './inventory-examples.js';
import { readAtOf, ReadQuery } from './read-at-query.js';
import { READ_ERRORS } from './read-errors.js';

export const AHEAD = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  defaultsTo: 10,
  description: 'At most so many of the nodes that rank before its own.',
  example: 10,
} as const;

class PodRankingQuery extends ReadQuery {
  @Given(AHEAD)
  limit?: number;
}

const PLACE = {
  node: 'node-1',
  rank: 1,
  total: 375,
  scores: [
    {
      plugin: 'TaintToleration',
      weight: 3,
      raw: 0,
      normalized: 100,
      weighted: 300,
      formula:
        'PreferNoSchedule taints that the pod does not tolerate; the node with the most of them gets 0, one without gets 100',
      terms: [],
    },
  ],
};

const EXAMPLE = {
  basis: BASIS,
  scheduler: null,
  node: 'node-1',
  verdict: 'feasible',
  reasons: [],
  place: PLACE,
  nodeCount: 2,
  tied: 1,
  aheadCount: 0,
  ahead: [],
  difference: null,
  uncertain: [],
  assumptions: [],
  changes: null,
};

/** Why running pods are where they are. */
@Controller(`${API_PREFIX}/clusters/:cluster`)
export class PodRankingsController {
  constructor(private readonly rankPlacedPod: RankPlacedPod) {}

  @Get('pods/:namespace/:pod/ranking')
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Tell why a pod is where it is',
    description:
      'How the node of a running pod ranks for it today among all nodes that could take it, with the arithmetic of every score, as if the pod were on none; and what has changed since it came there, as far as stored revisions tell.',
    query: PodRankingQuery,
    parameters: { cluster: 'example', namespace: 'default', pod: 'web' },
    answers: [{ status: 200, description: 'The answer.', shape: PodRankingShape, example: EXAMPLE }],
    errors: [...READ_ERRORS, 'object-not-found', 'budget-exceeded'],
  })
  async rank(
    @Param('cluster') cluster: string,
    @Param('namespace') namespace: string,
    @Param('pod') name: string,
    @Query() query: PodRankingQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PodRankingShape>> {
    const { limit = 10 } = query;
    return this.rankPlacedPod.run({ cluster, namespace, name, readAt: readAtOf(query), limit }, edge);
  }
}
