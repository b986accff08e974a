import { NOTHING } from '../../core/collections/nothing.js';
import { DEFAULT_PAGE_SIZE, type PageRequest } from '../../contract/page.js';
import type { placementRequest } from '../../contract/placements/placement-request.js';
import type { placementResponse } from '../../contract/placements/placement.js';
import type { Request, Response } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import type { RequestContext } from '../request-context.js';
import type { PlacementResult } from './evaluate-placement.js';
import { newNodesResponse } from './new-nodes-response.js';
import { wholeHead } from './placement-head.js';
import { groupsPage, nodesPage, type GroupsPage, type NodesPage, type NodeSelection } from './placement-pages.js';
import { rankingResponse } from './ranking-response.js';
import { renderGroups } from './render-groups.js';
import { renderNodes } from './render-nodes.js';
import { TimeSlices } from '../states/time-slices.js';
import { smallestFixesResponse } from './smallest-fixes-response.js';

export type PlacementResponse = Response<typeof placementResponse>;

/** Selects the parts of a placement to list. */
export type PlacementOptions = NodeSelection &
  Pick<
    Request<typeof placementRequest>,
    | 'view'
    | 'detail'
    | 'fixes'
    | 'ranking'
    | 'rankingLimit'
    | 'rankingFrom'
    | 'seed'
    | 'newNodes'
    | 'limit'
    | 'continue'
  >;

/**
 * Renders a placement with the groups or nodes of one page. @throws {ServiceError} `invalid-continue-token`,
 * `cancelled`, `budget-exceeded`
 */
export async function renderPlacement(
  result: PlacementResult,
  options: PlacementOptions,
  context: RequestContext,
): Promise<PlacementResponse> {
  const { found, ...listed } = await renderPage(result, options, context);
  const { ranking = false, rankingLimit, rankingFrom, seed, newNodes = false } = options;
  return {
    ...NOTHING,
    ...wholeHead(result),
    ...listed,
    missingNodes: found?.missing ?? [],
    ranking: ranking
      ? await rankingResponse(
          result.evaluated,
          defined({ limit: rankingLimit, from: rankingFrom, seed }),
          new TimeSlices({ signal: context.signal }),
        )
      : null,
    newNodes: newNodes ? await newNodesResponse(result.evaluated, context) : null,
    continue: found?.hasMore === true ? (found.items.at(-1)?.token ?? null) : null,
    remainingItemCount: found?.remaining ?? 0,
    decision: null,
  };
}

export function pageOfOptions({ limit, continue: after }: PlacementOptions): PageRequest {
  return { size: limit ?? DEFAULT_PAGE_SIZE, afterName: 'continue', ...defined({ after }) };
}

interface RenderedPage extends Pick<PlacementResponse, 'groups' | 'items' | 'smallestFixes' | 'fixesOmitted'> {
  readonly found: GroupsPage | NodesPage | undefined;
}

/** The rendered groups or nodes, and their page; none in a summary. */
async function renderPage(
  result: PlacementResult,
  options: PlacementOptions,
  context: RequestContext,
): Promise<RenderedPage> {
  const { evaluated } = result;
  const { view = 'groups', detail = 'nodes', fixes } = options;
  const smallest = async (wanted: boolean): Promise<PlacementResponse['smallestFixes']> =>
    wanted ? smallestFixesResponse(evaluated, context) : null;
  if (detail === 'summary') {
    return {
      found: undefined,
      groups: [],
      items: [],
      smallestFixes: await smallest(fixes === true),
      fixesOmitted: false,
    };
  }
  const page = pageOfOptions(options);
  if (view === 'groups') {
    const found = groupsPage(result, options, page);
    const groups = found.items.map(({ item }) => item);
    const { withFixes, ...rendered } = await renderGroups(evaluated, groups, detail, fixes, context);
    return { found, items: [], ...rendered, smallestFixes: await smallest(withFixes && detail === 'nodes') };
  }
  const found = nodesPage(result, options, page);
  const nodes = found.items.map(({ item }) => item);
  const { withFixes, nodes: items, fixesOmitted } = await renderNodes(evaluated, nodes, detail, fixes, context);
  return { found, groups: [], items, smallestFixes: await smallest(withFixes), fixesOmitted };
}
