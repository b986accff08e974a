import { Body, Controller, Delete, Get, Headers, Param, Put, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DeletePool } from '../../app/pools/delete-pool.js';
import { GetPool } from '../../app/pools/get-pool.js';
import { ListPools } from '../../app/pools/list-pools.js';
import { PutPool } from '../../app/pools/put-pool.js';
import type { RequestEdge } from '../../app/request-edge.js';
import { AtEdge } from '../edge.js';
import { Needs } from '../needs.js';
import { Operation } from '../operation.js';
import type { Plain } from '../shapes/plain.js';
import {
  DeletePoolAnswerShape,
  PoolAnswerShape,
  PoolBody,
  PoolShape,
  PutPoolAnswerShape,
  putPoolRequest,
} from '../shapes/pool-shape.js';
import { Given, Shown } from '../shapes/property.js';
import { API_PREFIX } from './api-prefix.js';
import * as examples from './pool-examples.js';
import { listRequest, readAtOf, ReadPageQuery, ReadQuery } from './read-at-query.js';
import { LIST_ERRORS, READ_ERRORS } from './read-errors.js';
import { ReadPageShape, readPageShape } from './read-page-shape.js';

class PoolListShape extends ReadPageShape {
  @Shown({ type: () => PoolShape, list: true, description: 'The pools, by name.' })
  items!: Plain<PoolShape>[];
}

class DeletePoolQuery {
  @Given({ type: 'boolean', optional: true, defaultsTo: false, description: 'Only say what would happen.' })
  dryRun?: boolean;
}

const HEADERS = [{ name: 'If-Match', description: 'Refuse with 412 unless the cluster is at this revision (`"7"`).' }];

const CHANGE_ERRORS = ['cluster-not-found', 'no-snapshot', 'precondition-failed', 'too-many-changes'] as const;

/** Dedicated nodes and special hardware: what is declared of them. */
@Controller(`${API_PREFIX}/clusters/:cluster/pools`)
export class PoolsController {
  constructor(
    private readonly listPools: ListPools,
    private readonly getPool: GetPool,
    private readonly putPool: PutPool,
    private readonly deletePool: DeletePool,
  ) {}

  @Get()
  @Needs('read')
  @Operation({
    summary: 'List pools',
    description: 'The pools that are declared of a cluster, each with how many of its nodes lack a taint or a label.',
    query: ReadPageQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [{ status: 200, description: 'A page of pools.', shape: PoolListShape, example: examples.LIST }],
    errors: LIST_ERRORS,
  })
  async list(
    @Param('cluster') cluster: string,
    @Query() query: ReadPageQuery,
    @AtEdge() edge: RequestEdge,
  ): Promise<Plain<PoolListShape>> {
    return readPageShape(await this.listPools.run(listRequest(cluster, query), edge));
  }

  @Get(':pool')
  @Needs('read')
  @Operation({
    summary: 'Read a pool',
    description: 'What is declared of one pool.',
    query: ReadQuery,
    parameters: { cluster: 'example', pool: 'ml' },
    answers: [{ status: 200, description: 'The pool.', shape: PoolAnswerShape, example: examples.ONE }],
    errors: [...READ_ERRORS, 'object-not-found'],
  })
  async get(
    @Param('cluster') cluster: string,
    @Param('pool') name: string,
    @Query() query: ReadQuery,
    @AtEdge() edge: RequestEdge,
  ): Promise<Plain<PoolAnswerShape>> {
    return this.getPool.run({ cluster, name, readAt: readAtOf(query) }, edge);
  }

  @Put(':pool')
  @Needs('evaluate')
  @Operation({
    summary: 'Declare a pool',
    description:
      'Declares dedicated nodes: which they are, the taints and labels that they are to carry, and who may use them. From it follow ' +
      'the changes still to make, what the webhooks add to pods and whom they refuse, and findings. A change makes a revision with ' +
      'its author; a dry run needs the right `evaluate` alone, a change needs `change`.',
    parameters: { cluster: 'example', pool: 'ml' },
    headers: HEADERS,
    body: { shape: PoolBody, description: 'The pool.', example: examples.BODY },
    answers: [
      {
        status: 200,
        description: 'It was declared before, or it is a dry run.',
        shape: PutPoolAnswerShape,
        example: examples.PUT,
      },
      { status: 201, description: 'Declared.', shape: PutPoolAnswerShape, example: examples.PUT },
    ],
    errors: CHANGE_ERRORS,
  })
  async put(
    @Param('cluster') cluster: string,
    @Param('pool') name: string,
    @Body() body: PoolBody,
    @Headers('if-match') ifMatch: string | undefined,
    @AtEdge() edge: RequestEdge,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<PutPoolAnswerShape>> {
    const answer = await this.putPool.run(putPoolRequest(cluster, name, body, { ifMatch, root: '' }), edge);
    reply.code(answer.outcome === 'created' && !answer.dryRun ? 201 : 200);
    return answer;
  }

  @Delete(':pool')
  @Needs('evaluate')
  @Operation({
    summary: 'Take the declaration of a pool back',
    description:
      'The nodes keep their taints and labels; the webhooks add nothing for the pool and refuse nobody any more.',
    query: DeletePoolQuery,
    parameters: { cluster: 'example', pool: 'ml' },
    headers: HEADERS,
    answers: [
      { status: 200, description: 'The pool as it was.', shape: DeletePoolAnswerShape, example: examples.DELETED },
    ],
    errors: [...CHANGE_ERRORS, 'object-not-found'],
  })
  async delete(
    @Param('cluster') cluster: string,
    @Param('pool') name: string,
    @Query() { dryRun }: DeletePoolQuery,
    @Headers('if-match') ifMatch: string | undefined,
    @AtEdge() edge: RequestEdge,
  ): Promise<Plain<DeletePoolAnswerShape>> {
    return this.deletePool.run({ cluster, name, dryRun: dryRun ?? false, ifMatch }, edge);
  }
}
