import type { Workload } from '../../core/cluster/pod-table.js';
import { listTolerationSets } from '../../core/inventory/toleration-sets.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { Page } from '../../contract/page.js';
import type { Basis } from '../reads/basis.js';
import type { ListRequest } from '../reads/list-request.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { tolerationView, type TolerationView } from './toleration-view.js';

export interface TolerationSetView {
  readonly tolerations: readonly TolerationView[];
  readonly pods: number;
  readonly workloads: number;
  /** A few of the workloads. */
  readonly examples: readonly Workload[];
}

/** The distinct lists of tolerations of a revision's pods, the most frequent first. */
export class ListTolerationSets {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  async run(
    { cluster, readAt, page }: ListRequest,
    edge: RequestContext,
  ): Promise<{ basis: Basis; page: Page<TolerationSetView> }> {
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, ['toleration-sets'], page, edge);
    const all = listTolerationSets(state, await this.digests.podGroups(state));
    const sets = pageByPosition(all, page, list, basis.revision);
    const render = ({ tolerations, ...set }: (typeof all)[number]): TolerationSetView => ({
      ...set,
      tolerations: tolerations.map(tolerationView),
    });
    return { basis, page: mapPage(sets, render) };
  }
}
