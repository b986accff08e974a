import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { GetNode } from '../../app/nodes/get-node.js';
import { ListNodes } from '../../app/nodes/list-nodes.js';
import { ListPodsAllowed } from '../../app/pods/list-pods-allowed.js';
import type { RequestContext } from '../../app/request-context.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import { NODE_FILTERS } from '../shapes/filter-options.js';
import { NodeAnswerShape, NodeShape } from '../shapes/node-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { API_PREFIX } from './api-prefix.js';
import * as examples from './inventory-examples.js';
import { PodsAllowedListShape, podsAllowedListShape, PodsAllowedQuery } from './pods-allowed-list.js';
import { ReadPageShape, readPageShape } from './read-page-shape.js';
import { LIST_ERRORS, READ_ERRORS } from './read-errors.js';
import { listRequest, readAtOf, ReadQuery, SCENARIO_TEXT, StatePageQuery } from './read-at-query.js';

class SearchNodesQuery extends StatePageQuery {
  @Given(NODE_FILTERS.labelSelector)
  labelSelector?: string;

  @Given(NODE_FILTERS.fieldSelector)
  fieldSelector?: string;

  @Given(NODE_FILTERS.taint)
  taint?: string[];
}

class ListNodesQuery extends SearchNodesQuery {
  @Given(SCENARIO_TEXT)
  scenario?: ScenarioBody;

  @Given(NODE_FILTERS.untoleratedBy)
  untoleratedBy?: string;
}

class SearchNodesBody {
  @Given({
    type: 'kubernetesObject',
    description:
      'Only nodes with a NoSchedule or NoExecute taint that this pod, or a pod of this workload, does not tolerate.',
  })
  pod!: JsonObject;

  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

class NodeListShape extends ReadPageShape {
  @Shown({ type: () => NodeShape, list: true, description: 'The nodes, by name.' })
  items!: Plain<NodeShape>[];
}

const PAGE = { basis: examples.BASIS, items: [examples.NODE], ...examples.END };

@Controller(`${API_PREFIX}/clusters/:cluster/nodes`)
export class NodesController {
  constructor(
    private readonly listNodes: ListNodes,
    private readonly getNode: GetNode,
    private readonly listPodsAllowed: ListPodsAllowed,
  ) {}

  @Get()
  @RequirePermission('read')
  @Operation({
    summary: 'List nodes',
    description: 'The nodes of a revision by name, those that every given filter picks, page by page.',
    query: ListNodesQuery,
    parameters: { cluster: 'example', taint: 'dedicated', limit: 10 },
    answers: [{ status: 200, description: 'A page of nodes.', shape: NodeListShape, example: PAGE }],
    errors: [...LIST_ERRORS, 'object-not-found'],
  })
  async list(
    @Param('cluster') cluster: string,
    @Query() query: ListNodesQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<NodeListShape>> {
    return readPageShape(await this.listNodes.run({ ...listRequest(cluster, query), filter: query }, edge));
  }

  @Post('search')
  @HttpCode(200)
  @RequirePermission('read')
  @Operation({
    summary: 'Search nodes that a pod does not tolerate',
    description:
      'The nodes of a revision that have a taint which keeps a pod off, for a manifest that need not be stored. What its ' +
      'controller and its RuntimeClass add to its tolerations counts.',
    query: SearchNodesQuery,
    parameters: { cluster: 'example', limit: 10 },
    body: { shape: SearchNodesBody, description: 'The manifest.', example: { pod: examples.MANIFEST } },
    answers: [{ status: 200, description: 'A page of nodes.', shape: NodeListShape, example: PAGE }],
    errors: [...LIST_ERRORS, 'invalid-object', 'admission-refused', 'object-not-found'],
  })
  async search(
    @Param('cluster') cluster: string,
    @Query() query: SearchNodesQuery,
    @Body() body: SearchNodesBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<NodeListShape>> {
    const { labelSelector, fieldSelector, taint } = query;
    const filter = { labelSelector, fieldSelector, taint, untoleratedByManifest: body.pod };
    const request = listRequest(cluster, query, body.scenario);
    return readPageShape(await this.listNodes.run({ ...request, filter }, edge));
  }

  @Get(':node')
  @RequirePermission('read')
  @Operation({
    summary: 'Read a node',
    description: 'One node of a revision: its taints explained, its resources and what its pods request of them.',
    query: ReadQuery,
    parameters: { cluster: 'example', node: 'node-1' },
    answers: [
      {
        status: 200,
        description: 'The node.',
        shape: NodeAnswerShape,
        example: { basis: examples.BASIS, node: examples.NODE },
      },
    ],
    errors: [...READ_ERRORS, 'object-not-found'],
  })
  async get(
    @Param('cluster') cluster: string,
    @Param('node') name: string,
    @Query() query: ReadQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<NodeAnswerShape>> {
    return this.getNode.run(cluster, name, readAtOf(query), edge);
  }

  @Get(':node/pods-allowed')
  @RequirePermission('read')
  @Operation({
    summary: 'Ask which pods tolerate a node',
    description:
      'Which pods of the cluster, by workload, tolerate the taints of this node, its cordon included, and what the others ' +
      'lack. Whether they would fit it otherwise is not asked.',
    query: PodsAllowedQuery,
    parameters: { cluster: 'example', node: 'node-1', allowed: false },
    answers: [
      { status: 200, description: 'By workload.', shape: PodsAllowedListShape, example: examples.PODS_ALLOWED },
    ],
    errors: [...LIST_ERRORS, 'object-not-found'],
  })
  async podsAllowed(
    @Param('cluster') cluster: string,
    @Param('node') node: string,
    @Query() query: PodsAllowedQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PodsAllowedListShape>> {
    const { allowed, namespace } = query;
    const request = { ...listRequest(cluster, query), on: { node }, allowed, namespace };
    return podsAllowedListShape(await this.listPodsAllowed.run(request, edge));
  }
}
