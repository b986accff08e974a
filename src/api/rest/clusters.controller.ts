import { Body, Controller, Delete, Get, Param, Put, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DeleteCluster } from '../../app/clusters/delete-cluster.js';
import { GetCluster } from '../../app/clusters/get-cluster.js';
import { ListClusters } from '../../app/clusters/list-clusters.js';
import { PutCluster } from '../../app/clusters/put-cluster.js';
import type { RequestContext } from '../../app/request-context.js';
import { defined } from '../../core/collections/defined.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import {
  ClusterShape,
  clusterShape,
  DeletedClusterShape,
  deletedClusterShape,
  PutClusterBody,
} from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { API_PREFIX } from './api-prefix.js';
import { PageQuery, pageRequest, PageShape, pageShape } from './page-query.js';

class ListClustersQuery extends PageQuery {
  @Given({
    type: 'string',
    optional: true,
    description: "Only clusters with these labels, in kubectl's syntax.",
    example: 'env=prod,region in (eu,us)',
  })
  labelSelector?: string;
}

class ClusterListShape extends PageShape {
  @Shown({ type: () => ClusterShape, list: true, description: 'The clusters, by name.' })
  items!: Plain<ClusterShape>[];
}

const EXAMPLE = { name: 'example', labels: { env: 'prod' }, createdAt: '2026-05-04T03:02:01.000Z', headRevision: null };

@Controller(`${API_PREFIX}/clusters`)
export class ClustersController {
  constructor(
    private readonly putCluster: PutCluster,
    private readonly listClusters: ListClusters,
    private readonly getCluster: GetCluster,
    private readonly deleteCluster: DeleteCluster,
  ) {}

  @Put(':cluster')
  @RequirePermission('admin')
  @Operation({
    summary: 'Create a cluster, or label it',
    description: 'Names a cluster, or gives an existing one other labels. Saying the same twice changes nothing.',
    parameters: { cluster: 'example' },
    body: { shape: PutClusterBody, description: 'Its labels.', example: { labels: { env: 'prod' } }, required: false },
    answers: [
      { status: 200, description: 'The cluster was there.', shape: ClusterShape, example: EXAMPLE },
      { status: 201, description: 'The cluster was created.', shape: ClusterShape, example: EXAMPLE },
    ],
    errors: [],
  })
  async put(
    @Param('cluster') name: string,
    @Body() { labels }: PutClusterBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<ClusterShape>> {
    const { cluster, created } = await this.putCluster.run({ name, ...defined({ labels }) });
    reply.code(created ? 201 : 200);
    return clusterShape(cluster);
  }

  @Get()
  @RequirePermission('read', 'each')
  @Operation({
    summary: 'List clusters',
    description: 'The clusters by name, page by page.',
    query: ListClustersQuery,
    parameters: { labelSelector: 'env=prod', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'A page of clusters.',
        shape: ClusterListShape,
        example: { items: [EXAMPLE], continue: null, remainingItemCount: 0 },
      },
    ],
    errors: ['invalid-continue-token'],
  })
  async list(@Query() query: ListClustersQuery, @Ctx() edge: RequestContext): Promise<Plain<ClusterListShape>> {
    const { labelSelector } = query;
    const request = { page: pageRequest(query), ...defined({ labelSelector }) };
    const page = await this.listClusters.run(request, edge);
    return pageShape(page, clusterShape);
  }

  @Get(':cluster')
  @RequirePermission('read')
  @Operation({
    summary: 'Read a cluster',
    description: 'One cluster, with its labels and its newest revision.',
    parameters: { cluster: 'example' },
    answers: [{ status: 200, description: 'The cluster.', shape: ClusterShape, example: EXAMPLE }],
    errors: ['cluster-not-found'],
  })
  async get(@Param('cluster') name: string): Promise<Plain<ClusterShape>> {
    return clusterShape(await this.getCluster.run(name));
  }

  @Delete(':cluster')
  @RequirePermission('admin')
  @Operation({
    summary: 'Delete a cluster',
    description: 'Deletes a cluster with all of its revisions, and says what was removed.',
    parameters: { cluster: 'example' },
    answers: [
      {
        status: 200,
        description: 'What was removed.',
        shape: DeletedClusterShape,
        example: { name: 'example', revisions: 0, objectVersions: 0 },
      },
    ],
    errors: ['cluster-not-found'],
  })
  async delete(@Param('cluster') name: string, @Ctx() edge: RequestContext): Promise<Plain<DeletedClusterShape>> {
    return deletedClusterShape(await this.deleteCluster.run(name, edge));
  }
}
