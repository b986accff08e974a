import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import type { RequestContext } from '../../app/request-context.js';
import { ExportTrail } from '../../app/taint-trail/export-trail.js';
import { exportTrailRequest } from '../../contract/taint-trail/trail-request.js';
import { requestClass } from '../contract/object-classes.js';
import { Operation } from '../docs/operation.js';
import { Ctx } from '../http/request-context.decorator.js';
import { RequirePermission } from '../access/require-permission.js';
import type { Plain } from '../contract/plain.js';
import { API_PREFIX } from './api-prefix.js';

class ExportQuery extends requestClass(exportTrailRequest) {}

/** Streams an audit trail. */
@Controller(`${API_PREFIX}/clusters/:cluster/taint-trail`)
export class TaintTrailController {
  constructor(private readonly exportTrail: ExportTrail) {}

  @Get('export')
  @RequirePermission('audit')
  @Operation({
    summary: 'Export a trail',
    description:
      'Streams every record, including superseded ones, oldest first. A line of NDJSON is `{"hash":"...","content":{...}}` ' +
      'with the exact text that was hashed, for `npm run verify-audit`; `format=csv` is for spreadsheets.',
    query: ExportQuery,
    parameters: { cluster: 'example', format: 'ndjson' },
    answers: [
      {
        status: 200,
        description: 'The records.',
        mediaType: 'application/x-ndjson',
        example: '{"hash":"3d2f...","content":{"cluster":{"id":1,"name":"example"},"kind":"found","sequence":1}}\n',
      },
    ],
    responseHeaders: ['Content-Disposition'],
    errors: ['cluster-not-found', 'trail-not-found'],
  })
  async export(
    @Param('cluster') cluster: string,
    @Query() query: ExportQuery,
    @Ctx() context: RequestContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const given: Plain<ExportQuery> = query;
    const { format = 'ndjson' } = given;
    const { trail, text } = await this.exportTrail.run({ ...given, cluster, format }, context);
    const type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson';
    const name = `taint-trail-${cluster}-${trail.clusterId}.${format}`;
    await reply
      .header('content-type', type)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(Readable.from(text, { objectMode: false }));
  }
}
