import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { ExportObjects } from '../../app/snapshots/export-objects.js';
import { RequirePermission } from '../access/require-permission.js';
import { Operation } from '../docs/operation.js';
import { API_PREFIX } from './api-prefix.js';

/** Streams what a sender of deltas needs to go on after a restart. */
@Controller(`${API_PREFIX}/clusters/:cluster/deltas`)
export class DeltasController {
  constructor(private readonly exportObjects: ExportObjects) {}

  @Get('objects')
  @RequirePermission('read')
  @Operation({
    summary: 'Export the versions of the stored objects',
    description:
      'Streams which objects the head has, in which versions, by kind and name: a line of NDJSON each, without the content. With it ' +
      'and the positions, a sender of deltas goes on after a restart without a list of the API server. What is stored meanwhile may ' +
      'be there or not: the objects of a kind are those of its position if their number and hash are.',
    parameters: { cluster: 'example' },
    answers: [
      {
        status: 200,
        description: 'The objects.',
        mediaType: 'application/x-ndjson',
        example:
          '{"kind":"Node","namespace":"","name":"node-1","uid":"8c2f0f0e-4c5e-4c8b-9c66-0a4d6b1c2d3e","resourceVersion":"10245",' +
          '"hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}\n',
      },
    ],
    errors: ['cluster-not-found'],
  })
  async objects(@Param('cluster') cluster: string, @Res() reply: FastifyReply): Promise<void> {
    const lines = await this.exportObjects.run(cluster);
    await reply.header('content-type', 'application/x-ndjson').send(Readable.from(lines, { objectMode: false }));
  }
}
