import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperationTypeNode, type GraphQLResolveInfo } from 'graphql';
import type { Logger } from 'pino';
import { ServiceError } from '../../app/errors/service-error.js';
import type { RequestContext } from '../../app/request-context.js';
import { subscriptionError } from '../graphql/subscription-error.js';
import { AllowedMethods } from '../http/allowed-methods.js';
import { logFailure } from '../logging/log-failure.js';
import { sendProblem } from './send-problem.js';
import { transportErrorOf } from './transport-error-of.js';

/** Renders errors of REST requests as problem documents. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly log: Logger,
    private readonly allowedMethods: AllowedMethods,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    // GraphQL formats all errors of a response together; a subscription has no such step.
    if (host.getType<string>() !== 'http') throw graphqlError(thrown, host);
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const error = this.withMethods(transportErrorOf(thrown), request, reply);
    logFailure(this.log, error, request.id);
    sendProblem(reply, error);
  }

  /** Reports 405 instead of 404 if the path exists under another method. */
  private withMethods(error: ServiceError, request: FastifyRequest, reply: FastifyReply): ServiceError {
    if (error.code !== 'route-not-found') return error;
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = this.allowedMethods.of(path);
    if (methods.length === 0 || methods.includes(request.method)) {
      const near = this.allowedMethods.near(path);
      const hint = near === undefined ? 'See / for an overview.' : `Did you mean ${near.slice(0, 300)}?`;
      return new ServiceError('route-not-found', `Nothing is served at ${path.slice(0, 200)}. ${hint}`);
    }
    reply.header('allow', methods.join(', '));
    return new ServiceError(
      'method-not-allowed',
      `${request.method} is not allowed for this path. Allowed methods: ${methods.join(', ')}.`,
    );
  }
}

function graphqlError(thrown: unknown, host: ArgumentsHost): unknown {
  const [, , { requestContext }, { operation }] =
    host.getArgs<[unknown, unknown, { readonly requestContext: RequestContext }, GraphQLResolveInfo]>();
  return operation.operation === OperationTypeNode.SUBSCRIPTION
    ? subscriptionError([thrown], requestContext.requestId)
    : thrown;
}
