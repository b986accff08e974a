import { OVERHEAD_GROUPS } from '../../contract/limits.js';
import type { OverheadCost, OverheadShare, OverheadSum } from '../../core/allocation/step-overhead-cost.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { compare } from '../../core/json/compare.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import { mapPage } from '../paging/page-by-position.js';
import type { Page } from '../../contract/page.js';
import { pageOf } from '../paging/page.js';
import type { Basis } from '../reads/basis.js';
import type { ListRequest } from '../reads/list-request.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';

export { OVERHEAD_GROUPS };

export type OverheadGroup = (typeof OVERHEAD_GROUPS)[number];

export interface OverheadCostsRequest extends ListRequest {
  /** By runtime class unless told. */
  readonly by?: OverheadGroup | undefined;
}

export interface OverheadSumView {
  readonly pods: number;
  readonly amounts: readonly { readonly resource: string; readonly amount: Int64 }[];
}

export interface OverheadShareView {
  readonly held: OverheadSumView;
  readonly waiting: OverheadSumView;
}

export interface NamedOverheadView extends OverheadShareView {
  readonly name: string;
}

export interface OverheadCostsAnswer {
  readonly basis: Basis;
  readonly by: OverheadGroup;
  readonly cluster: OverheadShareView;
  /** Those that overhead costs something, by name. */
  readonly page: Page<NamedOverheadView>;
}

/** What the overhead of pods costs the cluster, and each runtime class, namespace or node. */
export class ReadOverheadCosts {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} as `ReadState.runPage` */
  async run(
    { cluster, readAt, page, by = 'runtimeClass' }: OverheadCostsRequest,
    edge: RequestContext,
  ): Promise<OverheadCostsAnswer> {
    const reading = await this.readState.runPage(cluster, readAt, ['overhead-costs', by], page, edge);
    const { basis, state, list } = reading;
    const cost = await this.digests.overheadCost(state);
    const found = pageOf(sharesBy(cost, by, state), ({ name }) => name, page, list, basis.revision);
    return {
      basis,
      by,
      cluster: shareView(cost.cluster),
      page: mapPage(found, ({ name, ...share }) => ({ name, ...shareView(share) })),
    };
  }
}

const NONE: OverheadSum = { pods: 0, amounts: new Map() };

function sharesBy(
  { nodes, namespaces, runtimeClasses }: OverheadCost,
  by: OverheadGroup,
  state: ClusterState,
): readonly (OverheadShare & { readonly name: string })[] {
  if (by === 'namespace') return namespaces;
  if (by === 'runtimeClass') return runtimeClasses;
  return nodes.map(({ node, held }) => ({ name: state.nodes.name(node), held, waiting: NONE }));
}

const shareView = ({ held, waiting }: OverheadShare): OverheadShareView => ({
  held: sumView(held),
  waiting: sumView(waiting),
});

const sumView = ({ pods, amounts }: OverheadSum): OverheadSumView => ({
  pods,
  amounts: [...amounts]
    .map(([resource, amount]) => ({ resource, amount }))
    .sort((a, b) => compare(a.resource, b.resource)),
});
