import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { operationOf } from '../docs/operation.js';
import { readQuery } from './read-query.js';

/** Rejects query parameters of handwritten operations that take none; the envelope pipe validates those of others. */
@Injectable()
export class QueryGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType<string>() !== 'http') return true;
    const operation = operationOf(context.getHandler());
    if (operation !== undefined && operation.query === undefined && operation.readsRequest !== true) {
      await readQuery(undefined, context.switchToHttp().getRequest<FastifyRequest>().query as Record<string, unknown>);
    }
    return true;
  }
}
