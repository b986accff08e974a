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
  @ResponseField({ type: 'string', description: 'What must hold.', example: 'database' })
  name!: string;

  @ResponseField({ type: 'boolean', description: 'Whether it does.', example: true })
  ok!: boolean;
}

class ReadinessResponse {
  @ResponseField({ type: 'boolean', description: 'Whether requests make sense now.', example: true })
  ready!: boolean;

  @ResponseField({ type: () => ReadinessCheckResponse, list: true, description: 'What was looked at.' })
  checks!: Plain<ReadinessCheckResponse>[];
}

/** For those who run the service: is it alive, and may it be sent requests? */
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('healthz')
  @Public()
  @Operation({
    summary: 'Liveness',
    description: 'Answers as long as the process can; says nothing of the database, so that its loss restarts nobody.',
    answers: [{ status: 200, description: 'Alive.', shape: HealthResponse, example: { status: 'ok' } }],
    errors: [],
  })
  health(): Plain<HealthResponse> {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Public()
  @Operation({
    summary: 'Readiness',
    description: 'Whether the database answers and its schema is up to date.',
    answers: [
      {
        status: 200,
        description: 'Ready.',
        shape: ReadinessResponse,
        example: { ready: true, checks: [{ name: 'database', ok: true }] },
      },
      {
        status: 503,
        description: 'Not ready.',
        shape: ReadinessResponse,
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
