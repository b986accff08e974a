import { Controller, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '../../app/request-context.js';
import { TakeSnapshot } from '../../app/snapshots/take-snapshot.js';
import { exampleOf } from '../../contract/example-of.js';
import type { Request, Response } from '../../contract/schema.js';
import { takenSnapshot } from '../../contract/snapshots/snapshot.js';
import { snapshotParameters } from '../../contract/snapshots/take-snapshot.js';
import { requestClass, responseClass } from '../contract/object-classes.js';
import { noteResponseType } from '../masking/install-masking.js';
import { StreamedBody } from '../http/streamed-body.js';
import { Operation } from '../docs/operation.js';
import { Ctx } from '../http/request-context.decorator.js';
import { RequirePermission } from '../access/require-permission.js';
import { API_PREFIX } from './api-prefix.js';

class SnapshotQuery extends requestClass(snapshotParameters) {}

/** A body that can be sent unchanged. */
const EXAMPLE = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-1', labels: { 'kubernetes.io/hostname': 'node-1' } },
      spec: { taints: [{ key: 'nvidia.com/gpu', value: 'true', effect: 'NoSchedule' }] },
      status: {
        allocatable: { cpu: '4', memory: '16Gi', pods: '110' },
        conditions: [{ type: 'Ready', status: 'True' }],
        nodeInfo: { kubeletVersion: 'v1.34.1' },
      },
    },
  ],
};

/** Receives snapshots of a cluster as streams. */
@Controller(`${API_PREFIX}/clusters/:cluster/snapshots`)
export class SnapshotsController {
  constructor(private readonly takeSnapshot: TakeSnapshot) {}

  @Post()
  @HttpCode(201)
  @RouteConfig({ streamBody: true })
  @RequirePermission('change')
  @Operation({
    summary: 'Take a snapshot',
    description:
      'Stores a dump of a cluster as its next revision, atomically. The body is the output of kubectl: one or more Lists as ' +
      'JSON, YAML documents, or NDJSON; gzip-compressed or not. It is read as a stream, and its format is detected from its ' +
      'content. A snapshot replaces every kind that it contains; objects missing from those kinds are removed, other kinds ' +
      'carry over. The content type must be one that web pages cannot send without a preflight; application/octet-stream ' +
      "always works. Example: `kubectl get nodes,pods,namespaces -A -o json | curl -H 'content-type: " +
      "application/octet-stream' --data-binary @- '.../snapshots?createCluster=true'`.",
    query: SnapshotQuery,
    parameters: { cluster: 'example', createCluster: true },
    body: {
      description:
        'Kubernetes objects of any kind; objects of kinds that the service does not use are counted and dropped.',
      example: EXAMPLE,
      mediaTypes: ['application/json', 'application/yaml', 'application/x-ndjson', 'application/octet-stream'],
    },
    answers: [
      { status: 201, description: 'Stored.', schema: responseClass(takenSnapshot), example: exampleOf(takenSnapshot) },
    ],
    responseHeaders: ['Location'],
    errors: [
      'cluster-not-found',
      'invalid-object',
      'not-an-object',
      'api-server-error',
      'incomplete-list',
      'nothing-to-store',
      'body-required',
      'body-incomplete',
      'malformed-gzip',
      'unsupported-text-encoding',
      'snapshot-limit-exceeded',
      'request-timeout',
      'snapshot-older-than-head',
      'too-many-removals',
      'snapshot-aborted',
      'snapshot-base-gone',
      'too-many-snapshots',
      'too-many-uploads',
    ],
  })
  async take(
    @Param('cluster') cluster: string,
    @Query() query: SnapshotQuery,
    @Ctx() requestContext: RequestContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Response<typeof takenSnapshot>> {
    const given: Request<typeof snapshotParameters> = query;
    const bytes = new StreamedBody(request.raw);
    const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.headers;
    try {
      const body = { bytes, contentType, contentEncoding, signal: requestContext.signal };
      const taken = await this.takeSnapshot.run({ ...given, cluster, body }, requestContext);
      noteResponseType(requestContext, takenSnapshot);
      reply.header('location', `/${API_PREFIX}/clusters/${cluster}/snapshots/${taken.revision}`);
      return taken;
    } finally {
      bytes.discard();
    }
  }
}
