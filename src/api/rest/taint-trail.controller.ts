import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import type { RequestContext } from '../../app/request-context.js';
import { ExportTrail } from '../../app/taint-trail/export-trail.js';
import { FindFights } from '../../app/taint-trail/find-fights.js';
import { GetRecord } from '../../app/taint-trail/get-record.js';
import { ListRecords } from '../../app/taint-trail/list-records.js';
import { ReadNodeHistory } from '../../app/taint-trail/read-node-history.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import { TRAIL } from '../shapes/filter-options.js';
import { NodeHistoryShape, nodeHistoryShape } from '../shapes/node-history-shape.js';
import type { Plain } from '../shapes/plain.js';
import { wordsType } from '../shapes/property-type.js';
import { Given, Shown } from '../shapes/property.js';
import { TaintFightsShape, taintFightsShape } from '../shapes/taint-fight-shape.js';
import {
  TrailRecordDetailsShape,
  trailRecordDetailsShape,
  TrailRecordShape,
  trailRecordShape,
} from '../shapes/trail-record-shape.js';
import {
  FightFilters,
  fightsRequest,
  HistoryFilters,
  historyRequest,
  OrderedRecordFilters,
  RecordFilters,
  recordsRequest,
  sequenceIn,
  trailWish,
} from '../shapes/trail-request.js';
import { TRAIL_EXAMPLE, TrailShape } from '../shapes/trail-shape.js';
import { API_PREFIX } from './api-prefix.js';
import { LIMIT, CONTINUE, pageRequest } from './page-query.js';
import * as examples from './taint-trail-examples.js';
import { UncountedPageShape, uncountedPageShape } from './uncounted-page.js';

class RecordsQuery extends OrderedRecordFilters {
  @Given(TRAIL)
  trail?: number;

  @Given(LIMIT)
  limit?: number;

  @Given(CONTINUE)
  continue?: string;
}

class RecordQuery {
  @Given(TRAIL)
  trail?: number;

  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description:
      'Say what the change did to pods and workloads at its time. For a change that was learnt of it is worked out from the ' +
      'snapshot before it, if that is still stored.',
  })
  effects?: boolean;
}

class HistoryQuery extends HistoryFilters {
  @Given(TRAIL)
  trail?: number;
}

class FightsQuery extends FightFilters {
  @Given(TRAIL)
  trail?: number;
}

const FORMAT = wordsType('TrailExportFormat', 'How a trail is written out.', ['ndjson', 'csv']);

class ExportQuery extends RecordFilters {
  @Given(TRAIL)
  trail?: number;

  @Given({ type: FORMAT, optional: true, defaultsTo: 'ndjson', description: 'NDJSON can be verified, CSV be read.' })
  format?: string;
}

class TrailRecordListShape extends UncountedPageShape {
  @Shown({ type: () => TrailShape, description: 'The trail.' })
  trail!: Plain<TrailShape>;

  @Shown({ type: () => TrailRecordShape, list: true, description: 'The records.' })
  items!: Plain<TrailRecordShape>[];
}

const TRAIL_ERRORS = ['cluster-not-found', 'trail-not-found'] as const;

/** Who put this taint here, when, why, and what did it do: the questions of an auditor, on the trail of one cluster. */
@Controller(`${API_PREFIX}/clusters/:cluster/taint-trail`)
export class TaintTrailController {
  constructor(
    private readonly listRecords: ListRecords,
    private readonly getRecord: GetRecord,
    private readonly readNodeHistory: ReadNodeHistory,
    private readonly findFights: FindFights,
    private readonly exportTrail: ExportTrail,
  ) {}

  @Get('records')
  @RequirePermission('audit')
  @Operation({
    summary: 'List the records of a trail',
    description:
      'Every change of taints and cordons that was made here, seen in snapshots or told by audit events, newest first, by ' +
      'node, key, effect, author, channel, kind, change and time. Records that later evidence has replaced are left out unless ' +
      '`current=false`.',
    query: RecordsQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'A page of records.',
        shape: TrailRecordListShape,
        example: { trail: TRAIL_EXAMPLE, items: [examples.RECORD], continue: null },
      },
    ],
    errors: [...TRAIL_ERRORS, 'invalid-continue-token'],
  })
  async records(@Param('cluster') cluster: string, @Query() query: RecordsQuery): Promise<Plain<TrailRecordListShape>> {
    const request = { ...trailWish(cluster, query.trail), ...recordsRequest(query), page: pageRequest(query) };
    const { trail, page } = await this.listRecords.run(request);
    return { trail, ...uncountedPageShape(page, ({ record }) => trailRecordShape(record)) };
  }

  @Get('records/:sequence')
  @RequirePermission('audit')
  @Operation({
    summary: 'Read a record of a trail',
    description: 'One record with what it proves, what it does not, and on request what the change did at its time.',
    query: RecordQuery,
    parameters: { cluster: 'example', sequence: 1 },
    answers: [{ status: 200, description: 'The record.', shape: TrailRecordDetailsShape, example: examples.DETAILS }],
    errors: [...TRAIL_ERRORS, 'record-not-found', 'budget-exceeded'],
  })
  async record(
    @Param('cluster') cluster: string,
    @Param('sequence') sequence: string,
    @Query() { trail, effects = false }: RecordQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TrailRecordDetailsShape>> {
    const request = { ...trailWish(cluster, trail), sequence: sequenceIn(sequence), effects };
    const shown = edge.access.seesTaintValues(cluster);
    return trailRecordDetailsShape(await this.getRecord.run(request, edge), shown);
  }

  @Get('nodes/:node/history')
  @RequirePermission('audit')
  @Operation({
    summary: 'Read the history of a node',
    description:
      'The taints and cordons of a node as intervals: from when, set by whom and why, until when, removed by whom, and how each ' +
      'is known; with `at` those that stood at a moment.',
    query: HistoryQuery,
    parameters: { cluster: 'example', node: 'node-1' },
    answers: [{ status: 200, description: 'The history.', shape: NodeHistoryShape, example: examples.HISTORY }],
    errors: TRAIL_ERRORS,
  })
  async history(
    @Param('cluster') cluster: string,
    @Param('node') node: string,
    @Query() { trail, ...filters }: HistoryQuery,
  ): Promise<Plain<NodeHistoryShape>> {
    return nodeHistoryShape(await this.readNodeHistory.run(historyRequest(trailWish(cluster, trail), node, filters)));
  }

  @Get('fights')
  @RequirePermission('audit')
  @Operation({
    summary: 'Find writers who fight over a taint',
    description:
      'The same taint of one node, or its cordon, added and removed or changed in turns by at least two writers, at least `min` ' +
      'times within `window`.',
    query: FightsQuery,
    parameters: { cluster: 'example', min: 3, window: '1h' },
    answers: [{ status: 200, description: 'The fights.', shape: TaintFightsShape, example: examples.FIGHTS }],
    errors: [...TRAIL_ERRORS, 'budget-exceeded'],
  })
  async fights(
    @Param('cluster') cluster: string,
    @Query() { trail, ...filters }: FightsQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TaintFightsShape>> {
    return taintFightsShape(await this.findFights.run(fightsRequest(trailWish(cluster, trail), filters), edge));
  }

  @Get('export')
  @RequirePermission('audit')
  @Operation({
    summary: 'Export a trail',
    description:
      'Every record, superseded ones too, oldest first, as a stream. A line of NDJSON is `{"hash":"...","content":{...}}` with ' +
      'the very text that the hash is of, for `npm run verify-audit`; `format=csv` is for spreadsheets.',
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
    errors: TRAIL_ERRORS,
  })
  async export(
    @Param('cluster') cluster: string,
    @Query() query: ExportQuery,
    @Ctx() edge: RequestContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const format = query.format === 'csv' ? 'csv' : 'ndjson';
    const { filter } = recordsRequest(query);
    const { trail, text } = await this.exportTrail.run({ ...trailWish(cluster, query.trail), filter, format }, edge);
    const type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson';
    const name = `taint-trail-${cluster}-${trail.clusterId}.${format}`;
    await reply
      .header('content-type', type)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(Readable.from(text, { objectMode: false }));
  }
}
