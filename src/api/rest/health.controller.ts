import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readiness } from '../../app/readiness.js';
import { Public } from '../access/require-permission.js';
import { Operation } from '../docs/operation.js';
import type { Plain } from '../contract/plain.js';
import { Shown } from '../contract/field-decorators.js';

class HealthShape {
  @Shown({ type: 'string', description: '`ok`.', example: 'ok' })
  status!: string;
}

class ReadinessCheckShape {
  @Shown({ type: 'string', description: 'What must hold.', example: 'database' })
  name!: string;

  @Shown({ type: 'boolean', description: 'Whether it does.', example: true })
  ok!: boolean;
}

class ReadinessShape {
  @Shown({ type: 'boolean', description: 'Whether requests make sense now.', example: true })
  ready!: boolean;

  @Shown({ type: () => ReadinessCheckShape, list: true, description: 'What was looked at.' })
  checks!: Plain<ReadinessCheckShape>[];
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
    answers: [{ status: 200, description: 'Alive.', shape: HealthShape, example: { status: 'ok' } }],
    errors: [],
  })
  health(): Plain<HealthShape> {
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
        shape: ReadinessShape,
        example: { ready: true, checks: [{ name: 'database', ok: true }] },
      },
      {
        status: 503,
        description: 'Not ready.',
        shape: ReadinessShape,
        example: { ready: false, checks: [{ name: 'database', ok: false }] },
      },
    ],
    errors: [],
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Plain<ReadinessShape>> {
    const { ready, checks } = await this.readiness.report();
    reply.code(ready ? 200 : 503);
    return { ready, checks: [...checks] };
  }
}
