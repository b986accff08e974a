import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { AcrossClusters } from '../../app/across-clusters.js';
import { FindFindings, type FoundFindings } from '../../app/findings/find-findings.js';
import { FindManifestFindings } from '../../app/findings/find-manifest-findings.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission, RequireCaller } from '../require-permission.js';
import { Operation } from '../operation.js';
import { FINDING_FILTERS } from '../shapes/filter-options.js';
import {
  ClusterManifestFindingsBody,
  FindingCountsShape,
  FindingShape,
  ManifestFindingsBody,
  ManifestFindingsShape,
} from '../shapes/finding-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { acrossRequest, askEach, ClusterAnswerShape } from './across-answer.js';
import { AcrossQuery } from './across-query.js';
import { API_PREFIX } from './api-prefix.js';
import * as examples from './inventory-examples.js';
import { PageShape, pageShape } from './page-query.js';
import { ManifestQuery } from './manifest-query.js';
import { listRequest, readAtOf, ReadPageQuery } from './read-at-query.js';
import { LIST_ERRORS, READ_ERRORS } from '../../contract/errors.js';
import { ReadPageShape, readPageShape } from './read-page-shape.js';

class FindingsQuery extends ReadPageQuery {
  @Given(FINDING_FILTERS.severity)
  severity?: string;

  @Given(FINDING_FILTERS.code)
  code?: string;

  @Given(FINDING_FILTERS.namespace)
  namespace?: string;

  @Given(FINDING_FILTERS.workload)
  workload?: string;

  @Given(FINDING_FILTERS.workloadKind)
  workloadKind?: string;
}

class FindingsAcrossQuery extends AcrossQuery {
  @Given(FINDING_FILTERS.severity)
  severity?: string;

  @Given(FINDING_FILTERS.code)
  code?: string;

  @Given(FINDING_FILTERS.namespace)
  namespace?: string;

  @Given(FINDING_FILTERS.workload)
  workload?: string;

  @Given(FINDING_FILTERS.workloadKind)
  workloadKind?: string;
}

class FindingListShape extends ReadPageShape {
  @Shown({ type: () => FindingCountsShape, description: 'How many of each severity, on all pages together.' })
  counts!: Plain<FindingCountsShape>;

  @Shown({ type: () => FindingShape, list: true, description: 'The findings, errors first.' })
  items!: Plain<FindingShape>[];
}

class ClusterFindingsShape extends ClusterAnswerShape {
  @Shown({ type: () => FindingListShape, optional: true, description: 'What this cluster says; null with an error.' })
  answer!: Plain<FindingListShape> | null;
}

class FindingsAcrossShape extends PageShape {
  @Shown({ type: () => ClusterFindingsShape, list: true, description: 'Cluster by cluster, by name.' })
  items!: Plain<ClusterFindingsShape>[];
}

const LIST = { basis: examples.BASIS, counts: examples.COUNTS, items: [examples.FINDING], ...examples.END };
const OF_MANIFEST = {
  basis: examples.BASIS,
  counts: examples.COUNTS,
  findings: [examples.FINDING],
  unknownFields: [],
};
const MANIFEST_BODY = {
  shape: ManifestFindingsBody,
  description: 'The manifest. What the API server would refuse is explained, not refused.',
  example: { manifest: examples.MANIFEST },
};

@Controller(API_PREFIX)
export class FindingsController {
  constructor(
    private readonly findFindings: FindFindings,
    private readonly findManifestFindings: FindManifestFindings,
    private readonly acrossClusters: AcrossClusters,
  ) {}

  @Get('clusters/:cluster/findings')
  @RequirePermission('read')
  @Operation({
    summary: 'Find what tolerations and taints say that was likely not meant',
    description:
      'The findings on a revision, errors first, by workload: tolerations that match nothing, that tolerate more than was ' +
      'likely meant, that attract no pod to its pool, legacy keys, early evictions; pods whose node is absent, and nodes ' +
      'without a status.',
    query: FindingsQuery,
    parameters: { cluster: 'example', severity: 'warning' },
    answers: [{ status: 200, description: 'A page of findings.', shape: FindingListShape, example: LIST }],
    errors: LIST_ERRORS,
  })
  async list(
    @Param('cluster') cluster: string,
    @Query() query: FindingsQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<FindingListShape>> {
    return listShape(await this.findFindings.run({ ...listRequest(cluster, query), filter: query }, edge));
  }

  @Post('clusters/:cluster/findings')
  @HttpCode(200)
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Find what a manifest says that was likely not meant, in a cluster',
    description:
      'The findings on a manifest of a pod or of a workload, held against the taints and labels of a cluster.',
    query: ManifestQuery,
    parameters: { cluster: 'example' },
    body: { ...MANIFEST_BODY, shape: ClusterManifestFindingsBody },
    answers: [{ status: 200, description: 'All of them.', shape: ManifestFindingsShape, example: OF_MANIFEST }],
    errors: READ_ERRORS,
  })
  async ofManifest(
    @Param('cluster') cluster: string,
    @Query() query: ManifestQuery,
    @Body() body: ClusterManifestFindingsBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<ManifestFindingsShape>> {
    return this.findManifestFindings.run(
      {
        cluster,
        readAt: readAtOf(query, body.scenario),
        manifest: body.manifest,
        admission: body.admission ?? query.admission,
      },
      edge,
    );
  }

  @Post('findings')
  @HttpCode(200)
  @RequireCaller()
  @Operation({
    summary: 'Find what a manifest says that was likely not meant',
    description: 'The findings on a manifest of a pod or of a workload by itself, without a cluster.',
    body: MANIFEST_BODY,
    answers: [
      {
        status: 200,
        description: 'All of them.',
        shape: ManifestFindingsShape,
        example: { ...OF_MANIFEST, basis: null },
      },
    ],
    errors: [],
  })
  async ofManifestAlone(
    @Body() { manifest }: ManifestFindingsBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<ManifestFindingsShape>> {
    return this.findManifestFindings.run({ readAt: {}, manifest }, edge);
  }

  @Get('findings')
  @RequirePermission('read', 'each')
  @Operation({
    summary: 'Find what tolerations and taints of several clusters say',
    description: 'The findings of each cluster that a selector picks, with its own basis, or with its own error.',
    query: FindingsAcrossQuery,
    parameters: { clusterSelector: 'env=prod', severity: 'warning' },
    answers: [
      {
        status: 200,
        description: 'A page of clusters.',
        shape: FindingsAcrossShape,
        example: { items: [{ cluster: 'example', answer: LIST, error: null }], ...examples.END },
      },
    ],
    errors: ['invalid-continue-token'],
  })
  async across(@Query() query: FindingsAcrossQuery, @Ctx() edge: RequestContext): Promise<Plain<FindingsAcrossShape>> {
    const { severity, code, namespace, workload, workloadKind } = query;
    const name = ['findings', severity, code, namespace, workload, workloadKind];
    const { request, each } = acrossRequest(query, name);
    const page = await askEach(this.acrossClusters, request, edge, async (cluster) =>
      listShape(await this.findFindings.run({ cluster, ...each, filter: query }, edge)),
    );
    return pageShape(page, (answer) => answer);
  }
}

function listShape(found: FoundFindings): Plain<FindingListShape> {
  return { ...readPageShape(found), counts: found.counts };
}
