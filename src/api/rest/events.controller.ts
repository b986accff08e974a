import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { FollowCluster } from '../../app/live/follow-cluster.js';
import type { RequestContext } from '../../app/request-context.js';
import { followParameters } from '../../contract/clusters/follow-request.js';
import type { Request } from '../../contract/schema.js';
import { Ctx } from '../http/request-context.decorator.js';
import { RequirePermission } from '../access/require-permission.js';
import { Operation } from '../docs/operation.js';
import { FollowParameters } from '../live/follow-parameters.js';
import { newsViewOf } from '../live/rendered-news.js';
import { TICKET } from '../../contract/live/stream-ticket.js';
import { RequestField } from '../contract/field-decorators.js';
import { API_PREFIX } from './api-prefix.js';
import { ServerSentEvents } from './server-sent-events.js';

class FollowQuery extends FollowParameters {
  @RequestField(TICKET)
  ticket?: string;
}

const EXAMPLE = [
  'retry: 2000',
  'id: 1-7.0',
  '',
  'event: headChanged',
  'id: 1-8.0',
  'data: {"id":"1-8.0","type":"headChanged","headChanged":{"revision":8,"kind":"snapshot","capturedAt":"2026-05-04T03:02:01.000Z","receivedAt":"2026-05-04T03:02:05.000Z","unconfirmedNodes":0,"counts":[]}}',
  '',
  ': still here',
  'id: 1-8.0',
  '',
  '',
].join('\n');

/** Events of a cluster, as they happen. */
@Controller(`${API_PREFIX}/clusters/:cluster/events`)
export class EventsController {
  constructor(private readonly followCluster: FollowCluster) {}

  @Get()
  @RouteConfig({ takesTicket: true })
  @RequirePermission('read')
  @Operation({
    summary: 'Follow a cluster',
    description:
      'Streams new revisions, recorded taint changes, changes of the eviction schedule and due evictions as server-sent ' +
      'events; the data of each is a `ClusterEvent`, as in GraphQL. After a disconnect, resume with `Last-Event-ID` or ' +
      '`after`: no event is lost or repeated, on any replica. Heartbeats are comments. If the service ends a stream, the ' +
      'last event is `end`, whose data is a problem document with the id to resume from in `resumeAfter`; see docs/live.md.',
    query: FollowQuery,
    parameters: { cluster: 'example', follow: false },
    headers: [
      {
        name: 'last-event-id',
        description:
          'Id of the last event received; takes precedence over `after`, which browsers repeat when they reconnect.',
      },
    ],
    answers: [{ status: 200, description: 'The event stream.', mediaType: 'text/event-stream', example: EXAMPLE }],
    errors: ['cluster-not-found', 'resume-gone', 'too-many-streams', 'shutting-down'],
  })
  async follow(
    @Param('cluster') cluster: string,
    @Query() query: FollowQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Ctx() requestContext: RequestContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const given: Request<typeof followParameters> = query;
    const stream = await this.followCluster.run({ ...given, cluster, lastEventId }, requestContext);
    reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store')
      // Tells proxies not to buffer the events.
      .header('x-accel-buffering', 'no');
    if (reply.request.method === 'HEAD') {
      await stream.return();
      await reply.send('');
      return;
    }
    stream.sever = () => {
      reply.raw.destroy();
    };
    const events = new ServerSentEvents(stream, newsViewOf(requestContext, cluster), requestContext.requestId);
    await reply.send(Readable.from(events, { objectMode: false }));
  }
}
