import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ServiceMetrics } from '../../app/service-metrics.js';
import { RequirePermission } from '../access/require-permission.js';
import { Operation } from '../docs/operation.js';

@Controller()
export class MetricsController {
  constructor(private readonly metrics: ServiceMetrics) {}

  @Get('metrics')
  @RequirePermission('read', 'all')
  @Operation({
    summary: 'Metrics',
    description: 'Metrics of the service in the Prometheus text format.',
    answers: [
      { status: 200, description: 'The metrics.', mediaType: 'text/plain', example: 'process_cpu_seconds_total 1.5' },
    ],
    errors: [],
  })
  async read(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.header('content-type', this.metrics.contentType);
    return this.metrics.render();
  }
}
