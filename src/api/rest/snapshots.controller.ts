import type { Intents } from '../../app/reads/read-at.js';
import { defined } from '../../core/collections/defined.js';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '../../app/request-context.js';
import { ApplyRetention } from '../../app/snapshots/apply-retention.js';
import type { ReadAt } from '../../app/reads/read-at.js';
import { CorrectCaptureTimes } from '../../app/snapshots/correct-capture-times.js';
import { DiffRevisions } from '../../app/snapshots/diff-revisions.js';
import { GetRevision } from '../../app/snapshots/get-revision.js';
import { ListRevisions } from '../../app/snapshots/list-revisions.js';
import { TakeSnapshot } from '../../app/snapshots/take-snapshot.js';
import { pageOf } from '../../app/paging/page.js';
import { readPageToken } from '../../app/paging/page-token.js';
import { Ctx } from '../request-context.decorator.js';
import { StreamedBody } from '../http/streamed-body.js';
import { maxAgeSeconds, readMoment } from '../moment.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import {
  DifferenceHeadShape,
  differenceHeadShape,
  diffRequest,
  NodeDifferenceShape,
  WorkloadDifferenceShape,
} from '../shapes/difference-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import {
  CaptureTimeCorrectionBody,
  CaptureTimeCorrectionShape,
  captureTimeCorrectionShape,
} from '../shapes/capture-times-shape.js';
import { RetentionBody, retentionRequest } from '../shapes/retention-shape.js';
import {
  RetentionResultShape,
  retentionResultShape,
  SnapshotDetailsShape,
  snapshotDetailsShape,
  SnapshotShape,
  snapshotShape,
  TakenSnapshotShape,
  takenSnapshotShape,
} from '../shapes/snapshot-shape.js';
import { DIFF_SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { SnapshotParameters, snapshotRequest } from '../shapes/take-snapshot-shape.js';
import { API_PREFIX } from './api-prefix.js';
import { PageQuery, pageRequest, PageShape, pageShape } from './page-query.js';
import { INTENTS, SCENARIO_TEXT } from './read-at-query.js';
import * as examples from './snapshot-examples.js';

class SnapshotListShape extends PageShape {
  @Shown({ type: () => SnapshotShape, list: true, description: 'The revisions, newest first.' })
  items!: Plain<SnapshotShape>[];
}

class SnapshotQuery {
  @Given({
    type: 'string',
    optional: true,
    maximumLength: 40,
    description: 'Refuse to answer from a state that was captured longer ago than this: `90` (seconds), `5m`, `1h`.',
  })
  maxAge?: string;
}

class DiffQuery extends PageQuery {
  @Given({
    type: 'string',
    optional: true,
    maximumLength: 40,
    description: 'What to compare with: a revision, `head` or a time. By default the revision before `to`.',
  })
  from?: string;

  @Given({
    type: 'string',
    optional: true,
    maximumLength: 40,
    defaultsTo: 'head',
    description: 'What to compare: a revision, `head` or a time.',
  })
  to?: string;

  @Given({
    type: 'string',
    optional: true,
    maximumLength: 40,
    description: 'Refuse to answer where `to` was captured longer ago than this: `90` (seconds), `5m`, `1h`.',
  })
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;

  @Given({ ...SCENARIO_TEXT, description: DIFF_SCENARIO })
  scenario?: ScenarioBody;
}

class DifferenceShape extends DifferenceHeadShape {
  @Shown({ type: () => NodeDifferenceShape, list: true, description: 'Nodes of this page that differ, by name.' })
  nodes!: Plain<NodeDifferenceShape>[];

  @Shown({
    type: () => WorkloadDifferenceShape,
    list: true,
    description: 'Workloads of this page whose pods differ, by namespace, kind and name; they follow after all nodes.',
  })
  workloads!: Plain<WorkloadDifferenceShape>[];

  @Shown({ type: 'string', optional: true, description: 'For the next page; null when this is the last one.' })
  continue!: string | null;

  @Shown({ type: 'integer', description: 'How many nodes and workloads follow after this page.', example: 0 })
  remainingItemCount!: number;
}

/** The states of a cluster: taking them in, listing, comparing and removing them. */
@Controller(`${API_PREFIX}/clusters/:cluster`)
export class SnapshotsController {
  constructor(
    private readonly takeSnapshot: TakeSnapshot,
    private readonly listRevisions: ListRevisions,
    private readonly getRevision: GetRevision,
    private readonly diffRevisions: DiffRevisions,
    private readonly applyRetention: ApplyRetention,
    private readonly correctCaptureTimes: CorrectCaptureTimes,
  ) {}

  @Post('snapshots')
  @HttpCode(201)
  @RouteConfig({ streamBody: true })
  @RequirePermission('change')
  @Operation({
    summary: 'Take a snapshot',
    description:
      'Stores a dump of a cluster as its next revision, whole or not at all. The body is what kubectl prints: a List as ' +
      'JSON, several of them, YAML documents, NDJSON; gzip or not; read as a stream, and by what it holds. It replaces every ' +
      'kind that it contains; objects missing from those kinds are removed, other kinds carry over. Its content type must be ' +
      'one that no web page can send unasked: application/octet-stream will always do. `kubectl get ' +
      "nodes,pods,namespaces -A -o json | curl -H 'content-type: application/octet-stream' --data-binary @- " +
      "'.../snapshots?createCluster=true'` is all it takes.",
    query: SnapshotParameters,
    parameters: { cluster: 'example', createCluster: true },
    body: {
      description: 'Kubernetes objects of any kind; those of kinds that have no meaning here are counted and left out.',
      example: examples.SNAPSHOT_BODY,
      mediaTypes: ['application/json', 'application/yaml', 'application/x-ndjson', 'application/octet-stream'],
    },
    answers: [{ status: 201, description: 'Stored.', shape: TakenSnapshotShape, example: examples.TAKEN_SNAPSHOT }],
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
    @Query() query: SnapshotParameters,
    @Ctx() edge: RequestContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<TakenSnapshotShape>> {
    const bytes = new StreamedBody(request.raw);
    const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.headers;
    try {
      const body = { bytes, contentType, contentEncoding, signal: edge.signal };
      const taken = await this.takeSnapshot.run(snapshotRequest(cluster, query, body), edge);
      reply.header('location', `/${API_PREFIX}/clusters/${cluster}/snapshots/${taken.revision}`);
      return takenSnapshotShape(taken);
    } finally {
      bytes.discard();
    }
  }

  @Get('snapshots')
  @RequirePermission('read')
  @Operation({
    summary: 'List snapshots',
    description: 'The revisions of a cluster, newest first, page by page, without their reports.',
    query: PageQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [{ status: 200, description: 'A page of revisions.', shape: SnapshotListShape, example: examples.LIST }],
    errors: ['cluster-not-found', 'invalid-continue-token'],
  })
  async list(@Param('cluster') cluster: string, @Query() query: PageQuery): Promise<Plain<SnapshotListShape>> {
    return pageShape(await this.listRevisions.run({ cluster, page: pageRequest(query) }), snapshotShape);
  }

  @Get('snapshots/:revision')
  @RequirePermission('read')
  @Operation({
    summary: 'Read a snapshot',
    description: 'One revision of a cluster, with the report of the snapshot that made it and its findings.',
    query: SnapshotQuery,
    parameters: { cluster: 'example', revision: 'head' },
    answers: [{ status: 200, description: 'The revision.', shape: SnapshotDetailsShape, example: examples.DETAILS }],
    errors: ['cluster-not-found', 'revision-not-found', 'no-snapshot', 'snapshot-too-old'],
  })
  async get(
    @Param('cluster') cluster: string,
    @Param('revision') revision: string,
    @Query() { maxAge }: SnapshotQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<SnapshotDetailsShape>> {
    const readAt = { ...readMoment(revision, 'revision'), ...maxAgeSeconds(maxAge) };
    return snapshotDetailsShape(await this.getRevision.run(cluster, readAt, edge));
  }

  @Get('diff')
  @RequirePermission('read')
  @Operation({
    summary: 'Compare two revisions',
    description:
      'What changed from one revision to another: nodes (taints, labels, allocatable amounts, cordon, readiness, kubelet) ' +
      'and pods by workload (added, removed, moved, scheduled). Nodes come first, then workloads, page by page.',
    query: DiffQuery,
    parameters: { cluster: 'example', from: '1', to: 'head' },
    answers: [{ status: 200, description: 'What changed.', shape: DifferenceShape, example: examples.DIFFERENCE }],
    errors: [
      'cluster-not-found',
      'revision-not-found',
      'no-snapshot',
      'snapshot-too-old',
      'invalid-scenario',
      'invalid-continue-token',
      'budget-exceeded',
    ],
  })
  async diff(
    @Param('cluster') cluster: string,
    @Query() query: DiffQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DifferenceShape>> {
    const { from, to } = query;
    const request = diffRequest(cluster, query, edge);
    const list = ['diff', cluster, from, to, request.to?.scenario?.hash, request.intents];
    const pages = pageRequest(query);
    // The pages of one list all rest on the state of the first one, wherever the head is by now.
    const pinned = pages.after === undefined ? undefined : readPageToken(list, pages.after, pages.afterName).revision;
    const found = await this.diffRevisions.run(
      pinned === undefined ? request : { ...request, to: pinnedTo(request.to, pinned) },
      edge,
    );
    const { nodes, workloads } = found.difference;
    const items = [
      ...nodes.map((node) => ({ key: `0${node.node}`, node, workload: undefined })),
      ...workloads.map((workload) => ({
        key: `1${workload.namespace}\0${workload.kind}\0${workload.name}`,
        node: undefined,
        workload,
      })),
    ];
    const page = pageOf(items, ({ key }) => key, pages, list, found.basis.revision);
    return {
      ...differenceHeadShape(found),
      nodes: page.items.flatMap(({ item }) => item.node ?? []),
      workloads: page.items.flatMap(({ item }) => item.workload ?? []),
      continue: page.hasMore ? (page.items.at(-1)?.token ?? null) : null,
      remainingItemCount: page.remaining,
    };
  }

  @Post('retention')
  @HttpCode(200)
  @RequirePermission('admin')
  @Operation({
    summary: 'Remove old revisions',
    description:
      'Removes the oldest revisions of a cluster by number, by age or by both, and says what went. The head stays.',
    parameters: { cluster: 'example' },
    body: { shape: RetentionBody, description: 'What is old.', example: { keepRevisions: 100, dryRun: true } },
    answers: [{ status: 200, description: 'What went.', shape: RetentionResultShape, example: examples.RETENTION }],
    errors: ['cluster-not-found'],
  })
  async retention(
    @Param('cluster') cluster: string,
    @Body() body: RetentionBody,
    @Ctx() { now }: RequestContext,
  ): Promise<Plain<RetentionResultShape>> {
    return retentionResultShape(await this.applyRetention.run(retentionRequest(cluster, body), now));
  }

  @Post('capture-time-corrections')
  @HttpCode(200)
  @RequirePermission('admin')
  @Operation({
    summary: 'Correct capture times in the future',
    description:
      'After a clock was ahead: sets the capture time of every revision that lies in the future to now, so that new snapshots ' +
      'are no longer older than the head. A new revision restates the former head, and says who did it, why, and what the ' +
      'times were; without such a revision nothing changes. The audit trail is added to, never changed.',
    parameters: { cluster: 'example' },
    body: {
      shape: CaptureTimeCorrectionBody,
      description: 'Why.',
      example: { reason: 'the clock of the host was ahead' },
    },
    answers: [
      {
        status: 200,
        description: 'What was corrected.',
        shape: CaptureTimeCorrectionShape,
        example: examples.CAPTURE_TIME_CORRECTION,
      },
    ],
    errors: ['cluster-not-found'],
  })
  async correctTimes(
    @Param('cluster') cluster: string,
    @Body() { reason }: CaptureTimeCorrectionBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<CaptureTimeCorrectionShape>> {
    return captureTimeCorrectionShape(await this.correctCaptureTimes.run(cluster, reason, edge));
  }
}

/** The same wish for a revision that is known by now. */
function pinnedTo(wished: ReadAt | undefined, revision: number): ReadAt {
  const { maxAgeSeconds, scenario } = wished ?? {};
  return {
    revision,
    ...defined({ maxAgeSeconds, scenario }),
  };
}
