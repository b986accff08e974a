import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ServiceMetrics } from '../../app/service-metrics.js';
import { RequirePermission } from '../access/require-permission.js';
import { preferredType } from '../http/preferred-type.js';
import { Operation } from '../docs/operation.js';

const OPEN_METRICS = 'application/openmetrics-text';

@Controller()
export class MetricsController {
  constructor(private readonly metrics: ServiceMetrics) {}

  @Get('metrics')
  @RequirePermission('read', 'all')
  @Operation({
    summary: 'Metrics',
    description:
      'Metrics of the service in the Prometheus text format, or as OpenMetrics (`Accept: application/openmetrics-text`), which has the traces of requests as exemplars.',
    answers: [
      { status: 200, description: 'The metrics.', mediaType: 'text/plain', example: 'process_cpu_seconds_total 1.5' },
      {
        status: 200,
        description: 'The metrics.',
        mediaType: OPEN_METRICS,
        example: 'process_cpu_seconds_total 1.5\n# EOF',
      },
    ],
    errors: [],
  })
  async read(
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('accept') accept: string | undefined,
  ): Promise<string> {
    const format = preferredType(accept, ['text/plain', OPEN_METRICS]) === OPEN_METRICS ? 'openMetrics' : 'text';
    const { contentType, text } = await this.metrics.render(format);
    reply.header('content-type', contentType);
    reply.header('vary', 'accept');
    return text;
  }
}
