import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readiness } from '../../app/readiness.js';
import { Public } from '../access/require-permission.js';
import { Operation } from '../docs/operation.js';
import type { Plain } from '../contract/plain.js';
import { ResponseField } from '../contract/field-decorators.js';

class HealthResponse {
  @ResponseField({ type: 'string', description: '`ok`.', example: 'ok' })
  status!: string;
}

class ReadinessCheckResponse {
  @ResponseField({ type: 'string', description: 'Name of the check.', example: 'database' })
  name!: string;

  @ResponseField({ type: 'boolean', description: 'Whether the check passed.', example: true })
  ok!: boolean;
}

class ReadinessResponse {
  @ResponseField({ type: 'boolean', description: 'Whether the service can handle requests.', example: true })
  ready!: boolean;

  @ResponseField({ type: () => ReadinessCheckResponse, list: true, description: 'The results of the checks.' })
  checks!: Plain<ReadinessCheckResponse>[];
}

/** Liveness and readiness probes. */
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('healthz')
  @Public()
  @Operation({
    summary: 'Liveness',
    description:
      'Succeeds while the process can respond. It does not check the database, so a database outage does not cause restarts.',
    answers: [{ status: 200, description: 'Alive.', schema: HealthResponse, example: { status: 'ok' } }],
    errors: [],
  })
  health(): Plain<HealthResponse> {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Public()
  @Operation({
    summary: 'Readiness',
    description: 'Whether the database is reachable and its schema is up to date.',
    answers: [
      {
        status: 200,
        description: 'Ready.',
        schema: ReadinessResponse,
        example: { ready: true, checks: [{ name: 'database', ok: true }] },
      },
      {
        status: 503,
        description: 'The service is not ready.',
        schema: ReadinessResponse,
        example: { ready: false, checks: [{ name: 'database', ok: false }] },
      },
    ],
    errors: [],
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Plain<ReadinessResponse>> {
    const { ready, checks } = await this.readiness.report();
    reply.code(ready ? 200 : 503);
    return { ready, checks: [...checks] };
  }
}
