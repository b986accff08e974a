import type { NodeAllocationSummary } from '../../core/allocation/node-allocation.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import { mapPageInSlices, pageByPosition } from '../paging/page-by-position.js';
import type { AnswerTo } from '../../contract/question.js';
import type { listAllocations } from '../../contract/resources/questions.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { nodeAllocationResponse } from './allocation-response.js';

/** Lists what the pods of each node use, and what is free. */
export class ListAllocations {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {InvalidRequestError} the selector is invalid */
  async run(
    { cluster, readAt, page, labelSelector, freest }: RequestOf<typeof listAllocations>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof listAllocations>> {
    const selector = readLabelSelector(labelSelector);
    const identity = ['allocations', labelSelector, freest];
    const { basis, state, list } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const all = await this.digests.nodeAllocations(state);
    const picked = selector === undefined ? all : all.filter(({ node }) => selector.matches(state.nodes.labels(node)));
    const ordered = freest === undefined ? picked : byRoom(picked, freest);
    const found = pageByPosition(ordered, page, list, basis.revision);
    const slices = new TimeSlices({ signal: context.signal });
    return { basis, page: await mapPageInSlices(found, (summary) => nodeAllocationResponse(state, summary), slices) };
  }
}

/** Sorts by free amount, highest first; equal nodes stay sorted by name. */
function byRoom(summaries: readonly NodeAllocationSummary[], resource: string): readonly NodeAllocationSummary[] {
  const free = summaries.map((summary): readonly [NodeAllocationSummary, Int64] => [
    summary,
    summary.room.find((room) => room.resource === resource)?.free ?? 0,
  ]);
  return free.sort(([, a], [, b]) => (a === b ? 0 : a < b ? 1 : -1)).map(([summary]) => summary);
}
