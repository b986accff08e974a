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
import { RequirePermission } from '../access/require-permission.js';
import { Operation } from '../docs/operation.js';
import { API_PREFIX } from './api-prefix.js';

class AuditEventsQuery extends requestClass(auditEventsQueryRequest) {}

/** What API servers say of their requests. */
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
      'Takes in what an API server says of its requests, as its webhook sends it (an EventList of audit.k8s.io/v1) or as ' +
      'its log file has it (one event on each line); gzip or not, of any length. Events about writes to nodes are kept, ' +
      'each once, and the trail says from then on who did what they tell; bodies, annotations and headers of requests ' +
      'are not kept. An event that cannot be read is named in the answer, and the others are taken in all the same. ' +
      'They are stored 4,000 at a time: where a larger body breaks off, the error says what was stored, and it can be ' +
      'sent again.',
    query: AuditEventsQuery,
    parameters: { cluster: 'example' },
    body: {
      description: 'Events, whatever they are about; those about something else than writes to nodes are counted.',
      example: AUDIT_EVENTS_EXAMPLE,
      mediaTypes: ['application/json', 'application/x-ndjson', 'application/octet-stream'],
    },
    answers: [
      {
        status: 200,
        description: 'Taken in.',
        shape: responseClass(takenAuditEvents),
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
      const body = { bytes, contentType, contentEncoding };
      return await this.takeAuditEvents.run({ cluster, body }, context);
    } finally {
      bytes.discard();
    }
  }
}
