import { defined } from '../../core/collections/defined.js';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { AcrossClusters } from '../../app/across-clusters.js';
import { EvaluatePlacement, type PlacementView } from '../../app/placements/evaluate-placement.js';
import { EvaluatePlacements } from '../../app/placements/evaluate-placements.js';
import { questionHash, type AdmissionMode } from '../../app/placements/placement-request.js';
import type { PlacementDetail } from '../../app/placements/render-nodes.js';
import { DEFAULT_PAGE_SIZE } from '../../contract/page.js';
import type { RequestContext } from '../../app/request-context.js';
import type { ErrorCode } from '../../contract/error-code.js';
import type { Verdict } from '../../core/placement/placement.js';
import { writtenBy } from '../http/written-body.js';
import { placementText } from '../shapes/placement-text.js';
import { Ctx } from '../request-context.decorator.js';
import { readEnvelope } from '../envelope/read-envelope.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import { BasisShape } from '../shapes/basis-shape.js';
import { PartErrorShape, partErrorShape } from '../shapes/part-error-shape.js';
import { ADMISSION } from '../shapes/admission-mode.js';
import {
  DETAIL,
  nodesWantedOf,
  PlacementAcrossBody,
  PlacementBatchBody,
  PlacementBody,
  PlacementItemBody,
  questionOf,
  RANKING_OPTIONS,
  VERDICT,
  VIEW_PROPERTY,
} from '../shapes/placement-body.js';
import { PlacementShape, placementShape, renderOptionsOf } from '../shapes/placement-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { API_PREFIX } from './api-prefix.js';
import { ManifestQuery } from './manifest-query.js';
import * as examples from './placement-examples.js';
import { PageShape, pageShape } from './page-query.js';
import { AT, MAX_AGE, readAtOf, ReadPageQuery } from './read-at-query.js';

class StoredPodPlacementQuery extends ReadPageQuery {
  @Given(VIEW_PROPERTY)
  view?: PlacementView;

  @Given({ type: DETAIL, optional: true, defaultsTo: 'nodes', description: 'How much is said of the groups or nodes.' })
  detail?: PlacementDetail;

  @Given({ type: VERDICT, optional: true, description: 'List only nodes of this verdict.' })
  verdict?: Verdict;

  @Given({
    type: 'string',
    optional: true,
    description: "List only nodes with these labels, in kubectl's syntax.",
    example: 'pool=gpu',
  })
  nodeSelector?: string;

  @Given({ type: 'string', list: true, optional: true, maximumLength: 50, description: 'Ask only these filters.' })
  rules?: string[];

  @Given(RANKING_OPTIONS.RANKING)
  ranking?: boolean;

  @Given(RANKING_OPTIONS.RANKING_LIMIT)
  rankingLimit?: number;

  @Given(RANKING_OPTIONS.RANKING_FROM)
  rankingFrom?: number;

  @Given(RANKING_OPTIONS.SEED)
  seed?: number;

  @Given({
    type: 'boolean',
    optional: true,
    description: 'Propose changes for refused nodes; by default, where cheap.',
  })
  fixes?: boolean;
}

class BatchItemShape {
  @Shown({ type: 'string', description: 'Your name for the item.', example: 'a' })
  id!: string;

  @Shown({ type: () => PlacementShape, optional: true, description: 'Its answer; null where it has none.' })
  placement!: Plain<PlacementShape> | null;

  @Shown({ type: () => PartErrorShape, optional: true, description: 'Why not.' })
  error!: Plain<PartErrorShape> | null;
}

class BatchShape {
  @Shown({ type: () => BasisShape, description: 'What all answers rest on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: () => BatchItemShape, list: true, description: 'The answers, in the order of the items.' })
  items!: Plain<BatchItemShape>[];
}

class ClusterPlacementShape {
  @Shown({ type: 'string', description: 'The cluster.', example: 'eks-prod' })
  cluster!: string;

  @Shown({ type: () => PlacementShape, optional: true, description: 'Its answer; null where it has none.' })
  placement!: Plain<PlacementShape> | null;

  @Shown({ type: () => PartErrorShape, optional: true, description: 'Why not.' })
  error!: Plain<PartErrorShape> | null;
}

class AcrossShape extends PageShape {
  @Shown({ type: () => ClusterPlacementShape, list: true, description: 'The clusters of this page, by name.' })
  items!: Plain<ClusterPlacementShape>[];
}

class AcrossReadQuery {
  @Given(ADMISSION)
  admission?: AdmissionMode;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;
}

const READ_ERRORS: readonly ErrorCode[] = [
  'cluster-not-found',
  'revision-not-found',
  'no-snapshot',
  'snapshot-too-old',
  'budget-exceeded',
  'invalid-scenario',
];

const EXPLANATION =
  'Answers as the filters of the Kubernetes scheduler (v1.36, default profile) do, for every node: a verdict, every ' +
  'reason with its facts and fields, the first failing filter, untolerated taints by name, which toleration matches ' +
  "which taint, changes that would admit the pod, and Kubernetes' own message where no node is feasible. ";

/** Where a pod can go, and why not elsewhere. */
@Controller(API_PREFIX)
export class PlacementsController {
  constructor(
    private readonly evaluatePlacement: EvaluatePlacement,
    private readonly evaluatePlacements: EvaluatePlacements,
    private readonly acrossClusters: AcrossClusters,
  ) {}

  @Post('clusters/:cluster/placements')
  @HttpCode(200)
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Place a pod',
    description:
      EXPLANATION +
      'A manifest is completed first as the API server and its controllers would; what they add is listed. Fields of ' +
      'the manifest that Kubernetes does not know are counted, not refused.',
    query: ManifestQuery,
    parameters: { cluster: 'example' },
    body: { shape: PlacementBody, description: 'What is placed, and what is told of it.', example: examples.QUESTION },
    answers: [{ status: 200, description: 'The answer.', shape: PlacementShape, example: examples.ANSWER }],
    errors: [...READ_ERRORS, 'invalid-object', 'admission-refused', 'object-not-found', 'invalid-continue-token'],
  })
  async place(
    @Param('cluster') cluster: string,
    @Query() query: ManifestQuery,
    @Body() body: PlacementBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PlacementShape>> {
    const telling = renderOptionsOf(body, nodesWantedOf(body), 'nodes');
    const request = { cluster, readAt: readAtOf(query, body.scenario), ...questionOf(body, query) };
    const answer = await this.evaluatePlacement.run(request, edge, telling);
    return writtenBy(await placementShape(this.evaluatePlacement, answer, telling, edge), placementText);
  }

  @Get('clusters/:cluster/pods/:namespace/:pod/placement')
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Place a stored pod',
    description:
      EXPLANATION +
      'The pod is taken as it is stored; one that is on a node is placed as if it were not, and what it holds there ' +
      'counts as free.',
    query: StoredPodPlacementQuery,
    parameters: { cluster: 'example', namespace: 'default', pod: 'web', limit: 10 },
    answers: [{ status: 200, description: 'The answer.', shape: PlacementShape, example: examples.ANSWER }],
    errors: [...READ_ERRORS, 'object-not-found', 'invalid-continue-token'],
  })
  async placeStored(
    @Param('cluster') cluster: string,
    @Param('namespace') namespace: string,
    @Param('pod') name: string,
    @Query() query: StoredPodPlacementQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PlacementShape>> {
    const { rules, nodeSelector, verdict } = query;
    const wanted = {
      ...defined({ labelSelector: nodeSelector, verdict }),
    };
    const telling = renderOptionsOf(query, wanted, 'nodes');
    const question = { podRef: { namespace, name }, ...defined({ rules }) };
    const answer = await this.evaluatePlacement.run({ cluster, readAt: readAtOf(query), ...question }, edge, telling);
    return writtenBy(await placementShape(this.evaluatePlacement, answer, telling, edge), placementText);
  }

  @Post('clusters/:cluster/placements/batch')
  @HttpCode(200)
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Place many pods',
    description:
      'Answers many questions on one state of a cluster, each for itself: a bad item fails alone. Pods of one batch do ' +
      'not see each other. By default an item is answered by its summary.',
    query: ManifestQuery,
    parameters: { cluster: 'example' },
    body: { shape: PlacementBatchBody, description: 'The questions.', example: examples.BATCH_QUESTION },
    answers: [{ status: 200, description: 'The answers.', shape: BatchShape, example: examples.BATCH_ANSWER }],
    errors: READ_ERRORS,
  })
  async placeMany(
    @Param('cluster') cluster: string,
    @Query() query: ManifestQuery,
    @Body() body: PlacementBatchBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<BatchShape>> {
    const found = await this.evaluatePlacements.run(
      {
        cluster,
        readAt: readAtOf(query, body.scenario),
        items: body.items.map((item, index) => batchItem(item, index, query)),
      },
      edge,
      (answer, item) =>
        placementShape(this.evaluatePlacement, answer, renderOptionsOf(item.body, item.wanted, 'summary'), edge),
    );
    return {
      basis: found.basis,
      items: found.items.map(({ id, answer, error }) => ({
        id,
        placement: answer,
        error: error === null ? null : partErrorShape(error),
      })),
    };
  }

  @Post('placements')
  @HttpCode(200)
  @RequirePermission('evaluate', 'each')
  @Operation({
    summary: 'Place a pod in many clusters',
    description:
      'Asks one question of every cluster that a selector picks. Each answers for itself, or says why it cannot. Unless ' +
      'told, a cluster answers by its summary.',
    query: AcrossReadQuery,
    body: { shape: PlacementAcrossBody, description: 'Which clusters, and what.', example: examples.ACROSS_QUESTION },
    answers: [{ status: 200, description: 'The answers.', shape: AcrossShape, example: examples.ACROSS_ANSWER }],
    errors: ['invalid-continue-token', 'budget-exceeded'],
  })
  async placeAcross(
    @Query() query: AcrossReadQuery,
    @Body() body: PlacementAcrossBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<AcrossShape>> {
    const { clusterSelector, limit, perCluster, continue: after, view, detail, fixes } = body;
    const question = questionOf(body, query);
    const wanted = nodesWantedOf(body);
    const telling = renderOptionsOf(
      {
        ...defined({ view, detail, fixes, limit: perCluster }),
      },
      wanted,
      'summary',
    );
    const readAt = readAtOf(query, body.scenario);
    EvaluatePlacement.check(question, wanted);
    const page = await this.acrossClusters.run(
      {
        clusterSelector,
        page: {
          size: limit ?? DEFAULT_PAGE_SIZE,
          afterName: 'continue',
          ...defined({ after }),
        },
        question: ['placement', questionHash(question), readAt.scenario?.hash, readAt.intents],
        needs: 'evaluate',
      },
      async ({ name }) => {
        const answer = await this.evaluatePlacement.run({ cluster: name, readAt, ...question }, edge, telling);
        return placementShape(this.evaluatePlacement, answer, telling, edge);
      },
      edge,
    );
    return pageShape(page, ({ cluster, answer, error }) => ({
      cluster: cluster.name,
      placement: answer,
      error: error === null ? null : partErrorShape(error),
    }));
  }
}

/** An item as it arrived: its envelope is read when its turn comes, so that a bad one fails alone. */
function batchItem(given: unknown, index: number, query: ManifestQuery) {
  const { id } = (typeof given === 'object' && given !== null ? given : {}) as { readonly id?: unknown };
  return {
    id: typeof id === 'string' ? id : String(index),
    read: () => {
      const body = readEnvelope(PlacementItemBody, given);
      return { ...questionOf(body, query), body, wanted: nodesWantedOf(body) };
    },
  };
}
