import { Controller, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '../../app/request-context.js';
import { TakeAuditEvents, type TakenAuditEvents } from '../../app/taint-trail/take-audit-events.js';
import { exampleOf } from '../../contract/example-of.js';
import {
  AUDIT_EVENTS_EXAMPLE,
  auditEventsQueryRequest,
  takenAuditEvents,
} from '../../contract/taint-trail/audit-events.js';
import { requestClass, responseClass } from '../contract/object-classes.js';
import { Ctx } from '../http/request-context.decorator.js';
import { StreamedBody } from '../http/streamed-body.js';
import { noteResponseType } from '../masking/install-masking.js';
import { RequirePermission } from '../access/require-permission.js';
import { Operation } from '../docs/operation.js';
import { API_PREFIX } from './api-prefix.js';

class AuditEventsQuery extends requestClass(auditEventsQueryRequest) {}

/** Receives the audit events of API servers. */
@Controller(`${API_PREFIX}/clusters/:cluster/audit-events`)
export class AuditEventsController {
  constructor(private readonly takeAuditEvents: TakeAuditEvents) {}

  @Post()
  @HttpCode(200)
  @RouteConfig({ streamBody: true })
  @RequirePermission('audit')
  @Operation({
    summary: 'Send Kubernetes audit events',
    description:
      "Stores audit events in the format that the API server's webhook backend sends (an EventList of audit.k8s.io/v1) or " +
      'its log backend writes (one event per line); gzip-compressed or not, of any length. Events about writes to nodes are ' +
      'stored, each once, and the audit trail then names the users behind those writes. Bodies, annotations and headers of ' +
      'requests are not stored. Events that cannot be parsed are listed in the response; the others are stored nevertheless. ' +
      'Events are stored in batches of 4,000: if a longer body is interrupted, the error says what was stored, and the body ' +
      'can be sent again.',
    query: AuditEventsQuery,
    parameters: { cluster: 'example' },
    body: {
      description: 'Audit events of any kind; those that are not about writes to nodes are only counted.',
      example: AUDIT_EVENTS_EXAMPLE,
      mediaTypes: ['application/json', 'application/x-ndjson', 'application/octet-stream'],
    },
    answers: [
      {
        status: 200,
        description: 'The events were stored.',
        schema: responseClass(takenAuditEvents),
        example: exampleOf(takenAuditEvents),
      },
    ],
    errors: [
      'cluster-not-found',
      'body-required',
      'body-incomplete',
      'not-an-object',
      'malformed-gzip',
      'unsupported-text-encoding',
      'audit-events-limit-exceeded',
      'request-timeout',
      'too-many-snapshots',
      'too-many-uploads',
    ],
  })
  async take(
    @Param('cluster') cluster: string,
    @Query() _query: AuditEventsQuery,
    @Ctx() context: RequestContext,
    @Req() request: FastifyRequest,
  ): Promise<TakenAuditEvents> {
    const bytes = new StreamedBody(request.raw);
    const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.headers;
    try {
      noteResponseType(context, takenAuditEvents);
      const body = { bytes, contentType, contentEncoding };
      return await this.takeAuditEvents.run({ cluster, body }, context);
    } finally {
      bytes.discard();
    }
  }
}
