import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import type { RequestContext } from '../../app/request-context.js';
import { ExplainPodResources } from '../../app/resources/explain-pod-resources.js';
import { ListAllocations } from '../../app/resources/list-allocations.js';
import { ReadNodeAllocation } from '../../app/resources/read-node-allocation.js';
import type { OverheadGroup } from '../../app/resources/read-overhead-costs.js';
import { ReadOverheadCosts } from '../../app/resources/read-overhead-costs.js';
import { WriteStateMetrics } from '../../app/resources/write-state-metrics.js';
import type { ErrorCode } from '../../contract/error-code.js';
import { METRIC_FAMILY_NAMES } from '../../core/metrics/kube-state-metrics.js';
import type { AdmissionMode } from '../../app/placements/placement-request.js';
import { Ctx } from '../request-context.decorator.js';
import { preferredType } from '../http/preferred-type.js';
import { maskedTextFor } from '../masking/install-masking.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import { ADMISSION } from '../shapes/admission-mode.js';
import {
  ALLOCATION_FILTERS,
  NamedOverheadShape,
  NodeAllocationHeadShape,
  NodeAllocationShape,
  OVERHEAD_BY,
  OverheadCostsHeadShape,
  PodAllocationShape,
} from '../shapes/allocation-shape.js';
import { METRIC_FAMILIES } from '../shapes/cluster-metrics-shape.js';
import type { Plain } from '../shapes/plain.js';
import {
  PodResourcesQuestionBody,
  ResourcesOptions,
  resourcesOptionsOf,
  resourcesQuestionOf,
} from '../shapes/pod-resources-body.js';
import { PodResourcesShape } from '../shapes/pod-resources-shape.js';
import { wordsType } from '../shapes/property-type.js';
import { Given, Shown } from '../shapes/property.js';
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { API_PREFIX } from './api-prefix.js';
import { BASIS, END } from './inventory-examples.js';
import { pageShape } from './page-query.js';
import {
  AT,
  INTENTS,
  listRequest,
  MAX_AGE,
  readAtOf,
  ReadPageQuery,
  ReadQuery,
  REVISION,
  SCENARIO_TEXT,
  StateQuery,
} from './read-at-query.js';
import { POD_RESOURCES } from './pod-resources-example.js';
import { LIST_ERRORS, READ_ERRORS } from './read-errors.js';
import { ReadPageShape, readPageShape } from './read-page-shape.js';
import * as examples from './resources-examples.js';

const FORMAT = wordsType('DescriptionFormat', 'How an answer is written.', ['json', 'describe']);

const FORMAT_PARAMETER = {
  type: FORMAT,
  optional: true,
  description: '`describe`: as kubectl describe prints it. Unless told, `Accept` decides.',
} as const;

class PodResourcesBody extends PodResourcesQuestionBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

class PodResourcesQuery extends StateQuery {
  @Given(ADMISSION)
  admission?: AdmissionMode;
}

class StoredPodResourcesQuery extends ResourcesOptions {
  @Given(REVISION)
  revision?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: 'include' | 'exclude';

  @Given(SCENARIO_TEXT)
  scenario?: ScenarioBody;

  @Given(FORMAT_PARAMETER)
  format?: string;
}

class NodeAllocationQuery extends ReadPageQuery {
  @Given(FORMAT_PARAMETER)
  format?: string;
}

class AllocationsQuery extends ReadPageQuery {
  @Given(ALLOCATION_FILTERS.labelSelector)
  labelSelector?: string;

  @Given(ALLOCATION_FILTERS.freest)
  freest?: string;
}

class OverheadCostsQuery extends ReadPageQuery {
  @Given(OVERHEAD_BY)
  by?: OverheadGroup;
}

class ClusterMetricsQuery extends ReadQuery {
  @Given(METRIC_FAMILIES)
  families?: string[];
}

class NodeAllocationAnswerShape extends NodeAllocationHeadShape {
  @Shown({ type: () => PodAllocationShape, list: true, description: 'The pods, by namespace and name.' })
  items!: Plain<PodAllocationShape>[];

  @Shown({ type: 'string', optional: true, description: 'For the next page; null when this is the last one.' })
  continue!: string | null;

  @Shown({ type: 'integer', description: 'How many items follow after this page.', example: 0 })
  remainingItemCount!: number;
}

class AllocationListShape extends ReadPageShape {
  @Shown({ type: () => NodeAllocationShape, list: true, description: 'The nodes.' })
  items!: Plain<NodeAllocationShape>[];
}

class OverheadCostListShape extends OverheadCostsHeadShape {
  @Shown({ type: () => NamedOverheadShape, list: true, description: 'What overhead costs each, by name.' })
  items!: Plain<NamedOverheadShape>[];

  @Shown({ type: 'string', optional: true, description: 'For the next page; null when this is the last one.' })
  continue!: string | null;

  @Shown({ type: 'integer', description: 'How many items follow after this page.', example: 0 })
  remainingItemCount!: number;
}

const TEXT = 'text/plain; charset=utf-8';
const OPENMETRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

const POD_ERRORS: readonly ErrorCode[] = [...READ_ERRORS, 'invalid-object', 'object-not-found'];

/** What pods cost: their resources at every place that counts them, their nodes, and their overhead. */
@Controller(`${API_PREFIX}/clusters/:cluster`)
export class ResourcesController {
  constructor(
    private readonly explainPodResources: ExplainPodResources,
    private readonly readNodeAllocation: ReadNodeAllocation,
    private readonly listAllocations: ListAllocations,
    private readonly readOverheadCosts: ReadOverheadCosts,
    private readonly writeStateMetrics: WriteStateMetrics,
  ) {}

  @Post('pod-resources')
  @HttpCode(200)
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Ask what a pod costs, from admission to its cgroup',
    description:
      'For a manifest, a stored pod or a workload: the overhead that admission puts in, effective requests and limits with every sum spelled out, the class of quality of service and why, a resize in place, what the scheduler counts, the line in the table of its node, the charge to quotas, the files and the place of its cgroup, and its metrics. Nothing is stored.',
    query: PodResourcesQuery,
    parameters: { cluster: 'example' },
    body: { shape: PodResourcesBody, description: 'Which pod, on what a kubelet.', example: examples.QUESTION },
    answers: [{ status: 200, description: 'What it costs.', shape: PodResourcesShape, example: POD_RESOURCES }],
    errors: [...POD_ERRORS, 'admission-refused'],
  })
  async podResources(
    @Param('cluster') cluster: string,
    @Query() query: PodResourcesQuery,
    @Body() body: PodResourcesBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PodResourcesShape>> {
    const request = { cluster, readAt: readAtOf(query, body.scenario), ...resourcesQuestionOf(body, query) };
    return this.explainPodResources.run(request, edge);
  }

  @Get('pods/:namespace/:pod/resources')
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('read')
  @Operation({
    summary: 'Ask what a stored pod costs',
    description:
      'The same for a stored pod; `format=describe`, or `Accept: text/plain`, gives its tolerations as kubectl describe prints them.',
    query: StoredPodResourcesQuery,
    parameters: { cluster: 'example', namespace: 'default', pod: 'web' },
    answers: [
      { status: 200, description: 'What it costs.', shape: PodResourcesShape, example: POD_RESOURCES },
      {
        status: 200,
        description: 'Its tolerations as text.',
        mediaType: 'text/plain',
        example: examples.POD_TEXT,
      },
    ],
    errors: POD_ERRORS,
  })
  async storedPodResources(
    @Param('cluster') cluster: string,
    @Param('namespace') namespace: string,
    @Param('pod') name: string,
    @Query() query: StoredPodResourcesQuery,
    @Headers('accept') accept: string | undefined,
    @Ctx() edge: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<PodResourcesShape> | string> {
    const subject = { cluster, readAt: readAtOf(query), podRef: { namespace, name } };
    if (asText(query.format, accept, reply)) {
      return maskedTextFor(edge, await this.explainPodResources.describe(subject, edge));
    }
    return this.explainPodResources.run({ ...subject, ...resourcesOptionsOf(query) }, edge);
  }

  @Get('nodes/:node/allocation')
  @RequirePermission('read')
  @Operation({
    summary: 'Read what the pods of a node hold of it',
    description:
      "The tables of kubectl describe node as numbers, and what is free as the scheduler counts it. `format=describe`, or `Accept: text/plain`, gives the node's taints and both tables as kubectl prints them.",
    query: NodeAllocationQuery,
    parameters: { cluster: 'example', node: 'node-1', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'What they hold.',
        shape: NodeAllocationAnswerShape,
        example: { basis: BASIS, ...examples.ALLOCATION, items: [examples.POD_ALLOCATION], ...END },
      },
      { status: 200, description: 'The same as text.', mediaType: 'text/plain', example: examples.NODE_TEXT },
    ],
    errors: [...LIST_ERRORS, 'object-not-found'],
  })
  async nodeAllocation(
    @Param('cluster') cluster: string,
    @Param('node') node: string,
    @Query() query: NodeAllocationQuery,
    @Headers('accept') accept: string | undefined,
    @Ctx() edge: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<NodeAllocationAnswerShape> | string> {
    const request = { ...listRequest(cluster, query), node };
    if (asText(query.format, accept, reply)) {
      return maskedTextFor(edge, await this.readNodeAllocation.describe(request, edge));
    }
    const { page, ...head } = await this.readNodeAllocation.run(request, edge);
    return { ...head, ...pageShape(page, (pod) => pod) };
  }

  @Get('allocations')
  @RequirePermission('read')
  @Operation({
    summary: 'List what the pods of each node hold of it',
    description: 'The nodes with the sums of their pods and what is free, by name, or the freest of a resource first.',
    query: AllocationsQuery,
    parameters: { cluster: 'example', freest: 'cpu', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'A page of nodes.',
        shape: AllocationListShape,
        example: { basis: BASIS, items: [examples.ALLOCATION], ...END },
      },
    ],
    errors: LIST_ERRORS,
  })
  async allocations(
    @Param('cluster') cluster: string,
    @Query() query: AllocationsQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<AllocationListShape>> {
    const { labelSelector, freest } = query;
    return readPageShape(
      await this.listAllocations.run({ ...listRequest(cluster, query), labelSelector, freest }, edge),
    );
  }

  @Get('overhead-costs')
  @RequirePermission('read')
  @Operation({
    summary: 'Read what the overhead of pods costs',
    description: 'What overhead costs the cluster, and each runtime class, namespace or node.',
    query: OverheadCostsQuery,
    parameters: { cluster: 'example', by: 'namespace', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'What it costs.',
        shape: OverheadCostListShape,
        example: {
          basis: BASIS,
          by: 'runtimeClass',
          cluster: examples.SHARE,
          items: [{ name: 'kata-fc', ...examples.SHARE }],
          ...END,
        },
      },
    ],
    errors: LIST_ERRORS,
  })
  async overheadCosts(
    @Param('cluster') cluster: string,
    @Query() query: OverheadCostsQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<OverheadCostListShape>> {
    const { page, ...head } = await this.readOverheadCosts.run({ ...listRequest(cluster, query), by: query.by }, edge);
    return { ...head, ...pageShape(page, (item) => item) };
  }

  @Get('metrics')
  @RequirePermission('read')
  @Operation({
    summary: 'Read a cluster as kube-state-metrics would export it',
    description: `Overhead, runtime classes, taints, tolerations and quotas in the names, types and labels of kube-state-metrics, as a stream: OpenMetrics where \`Accept\` asks for it, else the text format of Prometheus. Families: ${METRIC_FAMILY_NAMES.join(', ')}.`,
    query: ClusterMetricsQuery,
    parameters: { cluster: 'example' },
    answers: [
      { status: 200, description: 'The metrics.', mediaType: 'text/plain', example: examples.METRICS },
      {
        status: 200,
        description: 'The same as OpenMetrics.',
        mediaType: 'application/openmetrics-text',
        example: `${examples.METRICS}# EOF\n`,
      },
    ],
    errors: READ_ERRORS,
  })
  async metrics(
    @Param('cluster') cluster: string,
    @Query() query: ClusterMetricsQuery,
    @Headers('accept') accept: string | undefined,
    @Ctx() edge: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const openMetrics = preferredType(accept, ['text/plain', 'application/openmetrics-text']) !== 'text/plain';
    const { families } = query;
    const { text } = await this.writeStateMetrics.run(
      { cluster, readAt: readAtOf(query), families, openMetrics },
      edge,
    );
    reply.header('content-type', openMetrics ? OPENMETRICS : PROMETHEUS).header('vary', 'accept');
    return Readable.from(text, { objectMode: false });
  }
}

/** Whether the answer is to be text; if so, the reply says so. */
function asText(format: string | undefined, accept: string | undefined, reply: FastifyReply): boolean {
  reply.header('vary', 'accept');
  const isText =
    format === undefined
      ? preferredType(accept, ['application/json', 'text/plain']) === 'text/plain'
      : format === 'describe';
  if (isText) reply.header('content-type', TEXT);
  return isText;
}
