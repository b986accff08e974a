import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import type { RequestContext } from '../../app/request-context.js';
import { WriteStateMetrics } from '../../app/resources/write-state-metrics.js';
import { READ_ERRORS } from '../../contract/errors.js';
import { METRIC_FAMILIES } from '../../contract/resources/cluster-metrics.js';
import { METRIC_FAMILY_NAMES } from '../../core/metrics/kube-state-metrics.js';
import { Ctx } from '../http/request-context.decorator.js';
import { preferredType } from '../http/preferred-type.js';
import { RequirePermission } from '../access/require-permission.js';
import { Operation } from '../docs/operation.js';
import { RequestField } from '../contract/field-decorators.js';
import { API_PREFIX } from './api-prefix.js';
import { readAtOf } from '../../app/reads/given-read-at.js';
import { ReadQuery } from './read-at-query.js';

class ClusterMetricsQuery extends ReadQuery {
  @RequestField(METRIC_FAMILIES)
  families?: string[];
}

const OPENMETRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

const LABELS = 'namespace="default",pod="test-pod",uid="1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11"';

const EXAMPLE = `# HELP kube_pod_overhead_memory_bytes The pod overhead in regards to memory associated with running a pod.
# TYPE kube_pod_overhead_memory_bytes gauge
kube_pod_overhead_memory_bytes{${LABELS}} 1.2582912e+08
`;

/** Streams the metrics of a cluster. */
@Controller(`${API_PREFIX}/clusters/:cluster`)
export class ResourcesController {
  constructor(private readonly writeStateMetrics: WriteStateMetrics) {}

  @Get('metrics')
  @RequirePermission('read')
  @Operation({
    summary: "Read a cluster's kube-state-metrics",
    description: `Streams overhead, runtime classes, taints, tolerations and quotas with the names, types and labels of kube-state-metrics: as OpenMetrics if \`Accept\` requests it, otherwise in the Prometheus text format. Families: ${METRIC_FAMILY_NAMES.join(', ')}.`,
    query: ClusterMetricsQuery,
    parameters: { cluster: 'example' },
    answers: [
      { status: 200, description: 'The metrics.', mediaType: 'text/plain', example: EXAMPLE },
      {
        status: 200,
        description: 'The metrics as OpenMetrics.',
        mediaType: 'application/openmetrics-text',
        example: `${EXAMPLE}# EOF\n`,
      },
    ],
    errors: READ_ERRORS,
  })
  async metrics(
    @Param('cluster') cluster: string,
    @Query() query: ClusterMetricsQuery,
    @Headers('accept') accept: string | undefined,
    @Ctx() requestContext: RequestContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const openMetrics = preferredType(accept, ['text/plain', 'application/openmetrics-text']) !== 'text/plain';
    const { families } = query;
    const { text } = await this.writeStateMetrics.run(
      { cluster, readAt: readAtOf(query), families, openMetrics },
      requestContext,
    );
    reply.header('content-type', openMetrics ? OPENMETRICS : PROMETHEUS).header('vary', 'accept');
    return Readable.from(text, { objectMode: false });
  }
}
