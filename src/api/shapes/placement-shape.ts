import { defined } from '../../core/collections/defined.js';
import { nodePlacement, placement, placementGroup, placementResponse } from '../../contract/placements/placement.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { GroupsPage, NodesPage, PlacementAnswer, PlacementView } from '../../app/placements/evaluate-placement.js';
import { EvaluatePlacement, type NodesWanted } from '../../app/placements/evaluate-placement.js';
import type { RankingRequest } from '../../app/placements/ranking-view.js';
import { PlacementSummary } from '../../app/placements/placement-summary.js';
import { renderGroups } from '../../app/placements/render-groups.js';
import { renderNodes, type PlacementDetail } from '../../app/placements/render-nodes.js';
import { DEFAULT_PAGE_SIZE, type PageRequest } from '../../contract/page.js';
import type { RequestContext } from '../../app/request-context.js';
import { rankingRequestOf, type RankingOptions } from './placement-body.js';
import type { Plain } from './plain.js';

export const NodePlacementShape = responseClass(nodePlacement);
export type NodePlacementShape = Response<typeof nodePlacement>;

export const PlacementGroupShape = responseClass(placementGroup);
export type PlacementGroupShape = Response<typeof placementGroup>;

export const PlacementHeadShape = responseClass(placement);
export type PlacementHeadShape = Response<typeof placement>;

export const PlacementShape = responseClass(placementResponse);
export type PlacementShape = Response<typeof placementResponse>;

/** How an answer is to be told. */
export interface RenderOptions {
  readonly wanted: NodesWanted;
  readonly page: PageRequest;
  readonly view: PlacementView;
  readonly detail: PlacementDetail;
  readonly fixes?: boolean;
  readonly ranking?: RankingRequest;
}

export function renderOptionsOf(
  body: RankingOptions & {
    readonly view?: PlacementView;
    readonly detail?: PlacementDetail;
    readonly fixes?: boolean;
    readonly limit?: number;
    readonly continue?: string;
  },
  wanted: NodesWanted,
  detail: PlacementDetail,
): RenderOptions {
  const ranking = rankingRequestOf(body);
  return {
    wanted,
    ...defined({ ranking }),
    view: body.view ?? 'groups',
    detail: body.detail ?? detail,
    page: {
      size: body.limit ?? DEFAULT_PAGE_SIZE,
      afterName: 'continue',
      ...defined({ after: body.continue }),
    },
    ...defined({ fixes: body.fixes }),
  };
}

/** The answer as REST gives it. @throws {ServiceError} `invalid-continue-token`, `cancelled`, `budget-exceeded` */
export async function placementShape(
  evaluatePlacement: EvaluatePlacement,
  answer: PlacementAnswer,
  { wanted, page, view, detail, fixes, ranking }: RenderOptions,
  edge: RequestContext,
): Promise<Plain<PlacementShape>> {
  const head = placementHead(answer);
  const { found, ...listed } = await listedOf(
    evaluatePlacement,
    answer,
    { wanted, page, view, detail, ...defined({ fixes }) },
    edge,
  );
  return {
    ...head,
    ...listed,
    missingNodes: found?.missing ?? [],
    ranking: ranking === undefined ? null : new PlacementSummary(answer).ranking(ranking),
    continue: found?.hasMore === true ? (found.items.at(-1)?.token ?? null) : null,
    remainingItemCount: found?.remaining ?? 0,
  };
}

/** The groups or nodes of the page, and the page that they were found on; none in a summary. */
async function listedOf(
  evaluatePlacement: EvaluatePlacement,
  answer: PlacementAnswer,
  { wanted, page, view, detail, fixes }: RenderOptions,
  edge: RequestContext,
): Promise<Listed> {
  if (detail === 'summary') return { found: undefined, groups: [], nodes: [], fixesOmitted: false };
  if (view === 'groups') {
    const found = evaluatePlacement.groups(answer, wanted, page);
    const groups = found.items.map(({ item }) => item);
    return { found, nodes: [], ...(await renderGroups(answer.evaluated, groups, detail, fixes, edge)) };
  }
  const found = evaluatePlacement.nodes(answer, wanted, page);
  const nodes = found.items.map(({ item }) => item);
  return { found, groups: [], ...(await renderNodes(answer.evaluated, nodes, detail, fixes, edge)) };
}

interface Listed extends Pick<Plain<PlacementShape>, 'groups' | 'nodes' | 'fixesOmitted'> {
  readonly found: GroupsPage | NodesPage | undefined;
}

function placementHead(answer: PlacementAnswer): Plain<PlacementHeadShape> {
  const head = new PlacementSummary(answer);
  return {
    basis: head.basis,
    pod: head.pod,
    summary: head.summary,
    message: head.message,
    messageNote: head.messageNote,
    rollup: head.rollup,
    added: head.added,
    droppedFields: head.droppedFields,
    unknownFieldCount: head.unknownFieldCount,
    unknownFields: head.unknownFields,
    assumptions: head.assumptions,
    scheduler: head.scheduler,
    ruleDifferences: head.ruleDifferences,
  };
}
