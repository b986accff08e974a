import { Controller, Get, Param, Query } from '@nestjs/common';
import type { RequestContext } from '../../app/request-context.js';
import { ReadTrailHead } from '../../app/taint-trail/read-trail-head.js';
import { VerifyTrail } from '../../app/taint-trail/verify-trail.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import { TRAIL } from '../shapes/filter-options.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { CheckpointArguments, trailWish, verifyRequest } from '../shapes/trail-request.js';
import {
  TrailHeadShape,
  trailHeadShape,
  TrailVerificationShape,
  trailVerificationShape,
} from '../shapes/trail-shape.js';
import { API_PREFIX } from './api-prefix.js';
import * as examples from './taint-trail-examples.js';

class VerifyQuery extends CheckpointArguments {
  @Given(TRAIL)
  trail?: number;
}

class HeadQuery {
  @Given(TRAIL)
  trail?: number;
}

const TRAIL_ERRORS = ['cluster-not-found', 'trail-not-found'] as const;

/** Whether a trail is as it was written. */
@Controller(`${API_PREFIX}/clusters/:cluster/taint-trail`)
export class TrailEvidenceController {
  constructor(
    private readonly verifyTrail: VerifyTrail,
    private readonly readTrailHead: ReadTrailHead,
  ) {}

  @Get('verify')
  @RequirePermission('audit')
  @Operation({
    summary: 'Verify a trail',
    description:
      'Walks the chain from its first record to its last and names the first that does not hold: its place, its hash, what it is ' +
      'searched by, and whether it is kept as superseded; then whether the changes made here are stored as their records say. With a ' +
      'checkpoint (see `head`) a rewritten chain, an end that was cut off, and a trail that was removed altogether (with 0 for ' +
      '`clusterId` unless `trail` names it) are found, too.',
    query: VerifyQuery,
    parameters: { cluster: 'example' },
    answers: [
      { status: 200, description: 'What holds.', shape: TrailVerificationShape, example: examples.VERIFICATION },
    ],
    errors: TRAIL_ERRORS,
  })
  async verify(
    @Param('cluster') cluster: string,
    @Query() { trail, ...checkpoint }: VerifyQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TrailVerificationShape>> {
    return trailVerificationShape(
      await this.verifyTrail.run(verifyRequest(trailWish(cluster, trail), checkpoint), edge),
    );
  }

  @Get('head')
  @RequirePermission('audit')
  @Operation({
    summary: 'Read the head of a trail',
    description:
      'The last record by number and hash, a checkpoint to keep elsewhere; signed where the service has a key for it.',
    query: HeadQuery,
    parameters: { cluster: 'example' },
    answers: [{ status: 200, description: 'The checkpoint.', shape: TrailHeadShape, example: examples.HEAD }],
    errors: TRAIL_ERRORS,
  })
  async head(
    @Param('cluster') cluster: string,
    @Query() { trail }: HeadQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TrailHeadShape>> {
    return trailHeadShape(await this.readTrailHead.run(trailWish(cluster, trail), edge));
  }
}
