import { NOTHING } from '../../core/collections/nothing.js';
import type { VIEW } from '../../contract/placements/placement-request.js';
import type { Page, PageRequest } from '../../contract/page.js';
import { allNodes } from '../../core/cluster/all-nodes.js';
import type { PlacementGroup } from '../../core/placement/node-groups.js';
import { ServiceError } from '../errors/service-error.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import { pageOf } from '../paging/page.js';
import { pageByPosition } from '../paging/page-by-position.js';
import { readPageToken, type ListIdentity } from '../paging/page-token.js';
import type { ReadAt } from '../reads/read-at.js';
import type { PlacementRequest, PlacementResult } from './evaluate-placement.js';
import type { EvaluatedPlacement } from './evaluated-placement.js';
import type { PlacementQuestion } from './placement-request.js';

/** Whether nodes that are equal for the pod are listed in groups or individually. */
export type PlacementResponse = (typeof VIEW)['values'][number];

/** Selects the nodes to list; a node must match every given part. */
export type NodeSelection = Pick<PlacementQuestion, 'nodes' | 'verdict'>;

/** A page of the requested nodes, sorted by name. */
export interface NodesPage extends Page<number> {
  /** Requested names that no node has. */
  readonly missing: readonly string[];
}

/** A page of the groups of the requested nodes. */
export interface GroupsPage extends Page<PlacementGroup> {
  readonly missing: readonly string[];
}

/**
 * Returns a page of the nodes of a placement, sorted by name.
 * @throws {ServiceError} `invalid-continue-token` for a token of another request, of other nodes, or another revision
 */
export function nodesPage(result: PlacementResult, selection: NodeSelection, page: PageRequest): NodesPage {
  const { basis, evaluated } = result;
  const { nodes } = evaluated.placement.state;
  const list = listOf(result, selection, 'nodes', page);
  const { picked, missing } = pick(evaluated, selection);
  return { ...NOTHING, ...pageOf(picked, (node) => nodes.name(node), page, list, basis.revision), missing };
}

/**
 * Returns a page of the groups of the requested nodes.
 * @throws {ServiceError} as `nodesPage`; `budget-exceeded`
 */
export function groupsPage(result: PlacementResult, selection: NodeSelection, page: PageRequest): GroupsPage {
  const { basis, evaluated } = result;
  const list = listOf(result, selection, 'groups', page);
  const { picked, missing } = pick(evaluated, selection);
  return { ...NOTHING, ...pageByPosition(evaluated.groupsOf(picked), page, list, basis.revision), missing };
}

/** The pages of a list are based on one revision: the token contains it, unless the request names one. */
export function readAtOfPage(request: PlacementRequest, hash: string, page: PageRequest): ReadAt {
  const { cluster, readAt, view = 'groups' } = request;
  if (page.after === undefined || readAt.revision !== undefined || readAt.at !== undefined) return readAt;
  const rest = { view, scenario: readAt.scenario?.hash, intents: readAt.intents !== 'exclude' };
  const { revision } = readPageToken(listIdentity(cluster, hash, request, rest), page.after, page.afterName);
  return revision === undefined ? readAt : { ...readAt, revision };
}

/** @throws {ServiceError} `invalid-continue-token` for the token of another list, or of another revision */
function listOf(
  { basis, hash }: PlacementResult,
  selection: NodeSelection,
  view: PlacementResponse,
  page: PageRequest,
): ListIdentity {
  const list = listIdentity(basis.cluster, hash, selection, {
    view,
    scenario: basis.scenario?.hash,
    intents: basis.intents.included,
  });
  if (page.after !== undefined) {
    const { revision } = readPageToken(list, page.after, page.afterName);
    if (revision !== basis.revision) throw anotherRevision(page.afterName, revision, basis.revision);
  }
  return list;
}

function listIdentity(
  cluster: string,
  hash: string,
  { nodes, verdict }: NodeSelection,
  {
    view,
    scenario,
    intents,
  }: { readonly view: PlacementResponse; readonly scenario: string | undefined; readonly intents: boolean },
): ListIdentity {
  return [
    view === 'nodes' ? 'placement' : 'placement-groups',
    cluster,
    hash,
    nodes?.names?.join(','),
    nodes?.labelSelector,
    verdict,
    scenario,
    intents,
  ];
}

function anotherRevision(parameter: string, of: number | undefined, now: number): ServiceError {
  const message = `its list is based on revision ${of ?? 'none'}, but this response on revision ${now}; set revision to that number`;
  return new ServiceError('invalid-continue-token', `${parameter} cannot be used: ${message}.`, {
    details: [{ field: parameter, code: 'invalid-continue-token', message }],
  });
}

function pick(
  { placement }: EvaluatedPlacement,
  { nodes: selection = {}, verdict }: NodeSelection,
): { readonly picked: readonly number[]; readonly missing: readonly string[] } {
  const { nodes } = placement.state;
  const { names } = selection;
  const selector = readLabelSelector(selection.labelSelector, 'nodes.labelSelector');
  if (names === undefined && selector === undefined && verdict === undefined) {
    return { picked: allNodes(placement.state), missing: [] };
  }
  const missing: string[] = [];
  const candidates = new Set<number>();
  for (const name of names ?? []) {
    const node = nodes.indexOf(name);
    if (node < 0) missing.push(name);
    else candidates.add(node);
  }
  const picked: number[] = [];
  for (let node = 0; node < nodes.count; node++) {
    if (names !== undefined && !candidates.has(node)) continue;
    if (verdict !== undefined && placement.verdict(node) !== verdict) continue;
    if (selector?.matches(nodes.labels(node)) === false) continue;
    picked.push(node);
  }
  return { picked, missing };
}
