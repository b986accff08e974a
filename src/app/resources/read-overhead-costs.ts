import type { overheadShare, overheadSum } from '../../contract/resources/allocation.js';
import type { readOverheadCosts } from '../../contract/resources/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { OverheadCost, OverheadShare, OverheadSum } from '../../core/allocation/step-overhead-cost.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { compare } from '../../core/json/compare.js';
import { mapPage } from '../paging/page-by-position.js';
import { pageOf } from '../paging/page.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';

type OverheadSumResponse = Response<typeof overheadSum>;
type OverheadShareResponse = Response<typeof overheadShare>;

/** Calculates the cost of pod overhead for the cluster, and for each runtime class, namespace or node. */
export class ReadOverheadCosts {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} as `ReadState.runPage` */
  async run(
    { cluster, readAt, page, by = 'runtimeClass' }: RequestOf<typeof readOverheadCosts>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readOverheadCosts>> {
    const reading = await this.readState.runPage(cluster, readAt, ['overhead-costs', by], page, context);
    const { basis, state, list } = reading;
    const cost = await this.digests.overheadCost(state);
    const found = pageOf(sharesBy(cost, by, state), ({ name }) => name, page, list, basis.revision);
    return {
      basis,
      by,
      cluster: shareResponse(cost.cluster),
      page: mapPage(found, ({ name, ...share }) => ({ name, ...shareResponse(share) })),
    };
  }
}

const NONE: OverheadSum = { pods: 0, amounts: new Map() };

function sharesBy(
  { nodes, namespaces, runtimeClasses }: OverheadCost,
  by: AnswerTo<typeof readOverheadCosts>['by'],
  state: ClusterState,
): readonly (OverheadShare & { readonly name: string })[] {
  if (by === 'namespace') return namespaces;
  if (by === 'runtimeClass') return runtimeClasses;
  return nodes.map(({ node, scheduled }) => ({ name: state.nodes.name(node), scheduled, waiting: NONE }));
}

export const shareResponse = ({ scheduled, waiting }: OverheadShare): OverheadShareResponse => ({
  scheduled: sumResponse(scheduled),
  waiting: sumResponse(waiting),
});

const sumResponse = ({ pods, amounts }: OverheadSum): OverheadSumResponse => ({
  pods,
  amounts: [...amounts]
    .map(([resource, amount]) => ({ resource, amount }))
    .sort((a, b) => compare(a.resource, b.resource)),
});
