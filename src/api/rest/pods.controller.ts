import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { GetPod } from '../../app/pods/get-pod.js';
import { ListPods } from '../../app/pods/list-pods.js';
import { ListPodsAllowed } from '../../app/pods/list-pods-allowed.js';
import { ListTolerationSets } from '../../app/pods/list-toleration-sets.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import { POD_FILTERS } from '../shapes/filter-options.js';
import type { Plain } from '../shapes/plain.js';
import { PodAnswerShape, PodShape, TolerationSetShape } from '../shapes/pod-shape.js';
import { PodsAllowedBody } from '../shapes/pods-allowed-shape.js';
import { Given, Shown } from '../shapes/property.js';
import { API_PREFIX } from './api-prefix.js';
import * as examples from './inventory-examples.js';
import { PodsAllowedListShape, podsAllowedListShape, TaintsAllowedQuery } from './pods-allowed-list.js';
import { listRequest, readAtOf, ReadPageQuery, ReadQuery } from './read-at-query.js';
import { LIST_ERRORS, READ_ERRORS } from './read-errors.js';
import { ReadPageShape, readPageShape } from './read-page-shape.js';

class ListPodsQuery extends ReadPageQuery {
  @Given(POD_FILTERS.labelSelector)
  labelSelector?: string;

  @Given(POD_FILTERS.fieldSelector)
  fieldSelector?: string;

  @Given(POD_FILTERS.namespace)
  namespace?: string;

  @Given(POD_FILTERS.nodeName)
  nodeName?: string;

  @Given(POD_FILTERS.phase)
  phase?: string;

  @Given(POD_FILTERS.workload)
  workload?: string;

  @Given(POD_FILTERS.workloadKind)
  workloadKind?: string;

  @Given(POD_FILTERS.toleratesTaint)
  toleratesTaint?: string[];
}

class PodListShape extends ReadPageShape {
  @Shown({ type: () => PodShape, list: true, description: 'The pods, by namespace and name.' })
  items!: Plain<PodShape>[];
}

class TolerationSetListShape extends ReadPageShape {
  @Shown({ type: () => TolerationSetShape, list: true, description: 'The lists, the most frequent first.' })
  items!: Plain<TolerationSetShape>[];
}

@Controller(`${API_PREFIX}/clusters/:cluster`)
export class PodsController {
  constructor(
    private readonly listPods: ListPods,
    private readonly getPod: GetPod,
    private readonly listTolerationSets: ListTolerationSets,
    private readonly listPodsAllowed: ListPodsAllowed,
  ) {}

  @Get('pods')
  @RequirePermission('read')
  @Operation({
    summary: 'List pods',
    description: 'The pods of a revision by namespace and name, those that every given filter picks, page by page.',
    query: ListPodsQuery,
    parameters: { cluster: 'example', phase: 'Running', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'A page of pods.',
        shape: PodListShape,
        example: { basis: examples.BASIS, items: [examples.POD], ...examples.END },
      },
    ],
    errors: LIST_ERRORS,
  })
  async list(
    @Param('cluster') cluster: string,
    @Query() query: ListPodsQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PodListShape>> {
    return readPageShape(await this.listPods.run({ ...listRequest(cluster, query), filter: query }, edge));
  }

  @Get('pods/:namespace/:pod')
  @RequirePermission('read')
  @Operation({
    summary: 'Read a pod',
    description: 'One pod of a revision: where it is, what it tolerates, what it requests.',
    query: ReadQuery,
    parameters: { cluster: 'example', namespace: 'default', pod: 'web-0' },
    answers: [
      {
        status: 200,
        description: 'The pod.',
        shape: PodAnswerShape,
        example: { basis: examples.BASIS, pod: examples.POD },
      },
    ],
    errors: [...READ_ERRORS, 'object-not-found'],
  })
  async get(
    @Param('cluster') cluster: string,
    @Param('namespace') namespace: string,
    @Param('pod') name: string,
    @Query() query: ReadQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PodAnswerShape>> {
    return this.getPod.run(cluster, { namespace, name }, readAtOf(query), edge);
  }

  @Get('toleration-sets')
  @RequirePermission('read')
  @Operation({
    summary: 'List the distinct lists of tolerations',
    description: 'Each distinct list of tolerations with the number of pods and workloads that have exactly it.',
    query: ReadPageQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'A page of them, the most frequent first.',
        shape: TolerationSetListShape,
        example: { basis: examples.BASIS, items: [examples.TOLERATION_SET], ...examples.END },
      },
    ],
    errors: LIST_ERRORS,
  })
  async tolerationSets(
    @Param('cluster') cluster: string,
    @Query() query: ReadPageQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TolerationSetListShape>> {
    return readPageShape(await this.listTolerationSets.run(listRequest(cluster, query), edge));
  }

  @Post('pods-allowed')
  @HttpCode(200)
  @RequirePermission('read')
  @Operation({
    summary: 'Ask which pods tolerate taints before anybody sets them',
    description:
      'Which pods of the cluster, by workload, would tolerate a node with these taints, and what the others lack.',
    query: TaintsAllowedQuery,
    parameters: { cluster: 'example', allowed: false },
    body: { shape: PodsAllowedBody, description: 'The taints.', example: { taints: ['dedicated=gpu:NoSchedule'] } },
    answers: [
      { status: 200, description: 'By workload.', shape: PodsAllowedListShape, example: examples.PODS_ALLOWED },
    ],
    errors: [...LIST_ERRORS, 'invalid-object'],
  })
  async podsAllowed(
    @Param('cluster') cluster: string,
    @Query() query: TaintsAllowedQuery,
    @Body() body: PodsAllowedBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PodsAllowedListShape>> {
    const { allowed, namespace } = query;
    const list = listRequest(cluster, query, body.scenario);
    const request = { ...list, on: { taints: body.taints }, allowed, namespace };
    return podsAllowedListShape(await this.listPodsAllowed.run(request, edge));
  }
}
