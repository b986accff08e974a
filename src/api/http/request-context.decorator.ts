import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../app/clock.js';
import type { RequestContext } from '../../app/request-context.js';
import { WithheldValues } from '../../app/withheld-values.js';
import { Access } from '../../auth/access.js';
import type { Authenticated } from '../../auth/authenticator.js';
import { ANONYMOUS, type Caller } from '../../auth/caller.js';

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: RequestContext;
  }
}

class HttpRequestContext implements RequestContext {
  private controller: AbortController | undefined;
  readonly decisionIds: string[] = [];
  caller: Caller = ANONYMOUS;
  access: Access = Access.nothing;
  again: (() => Promise<void>) | undefined;
  readonly withheld = new WithheldValues();

  constructor(
    readonly now: Date,
    readonly requestId: string,
    readonly address: string,
    private readonly response: ServerResponse,
  ) {}

  nextDecisionId(): string {
    const id = randomUUID();
    this.decisionIds.push(id);
    return id;
  }

  /** Created on first use: most requests are answered before a caller could disconnect. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      const { response } = this;
      const controller = (this.controller = new AbortController());
      // A question about many clusters waits for the states of many, and the listeners end with the request.
      setMaxListeners(0, controller.signal);
      const gone = (): void => {
        if (!response.writableFinished) controller.abort();
      };
      if (response.destroyed) gone();
      else response.once('close', gone);
    }
    return this.controller.signal;
  }
}

/** Reads the clock once for each request, before any other hook. */
export function installRequestContext(fastify: FastifyInstance, clock: Clock): void {
  // Declared before it is set, so that all requests have the same hidden class.
  fastify.decorateRequest('requestContext', null as unknown as RequestContext);
  fastify.addHook('onRequest', (request, reply, done) => {
    request.requestContext = new HttpRequestContext(clock.now(), request.id, request.ip, reply.raw);
    reply.header('x-request-id', request.id);
    done();
  });
}

/**
 * Sets the authenticated caller; until then the request has no permissions.
 * @param again see `RequestContext`
 */
export function admit(
  { requestContext }: FastifyRequest,
  { caller, access }: Authenticated,
  again?: RequestContext['again'],
): void {
  if (requestContext instanceof HttpRequestContext) Object.assign(requestContext, { caller, access, again });
}

/** Injects the request context into a method of a controller or resolver. */
export const Ctx = createParamDecorator((_: unknown, context: ExecutionContext): RequestContext => {
  if (context.getType<string>() === 'http') return context.switchToHttp().getRequest<FastifyRequest>().requestContext;
  return context.getArgByIndex<{ requestContext: RequestContext }>(2).requestContext;
});
