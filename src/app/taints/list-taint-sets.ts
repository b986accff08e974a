import { listTaintSets } from '../../core/inventory/taint-sets.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { Page } from '../../contract/page.js';
import type { Basis } from '../reads/basis.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { ListRequest } from '../reads/list-request.js';
import { taintView, type TaintView } from './taint-view.js';

export interface TaintSetView {
  readonly taints: readonly TaintView[];
  readonly nodes: number;
  /** The names of a few of them. */
  readonly examples: readonly string[];
}

/** The distinct lists of taints of a revision's nodes, the most frequent first. */
export class ListTaintSets {
  constructor(private readonly readState: ReadState) {}

  async run(
    { cluster, readAt, page }: ListRequest,
    edge: RequestContext,
  ): Promise<{ basis: Basis; page: Page<TaintSetView> }> {
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, ['taint-sets'], page, edge);
    const sets = pageByPosition(listTaintSets(state), page, list, basis.revision);
    return { basis, page: mapPage(sets, ({ taints, ...set }) => ({ ...set, taints: taints.map(taintView) })) };
  }
}
