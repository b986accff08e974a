import type { TaintKeyEntry, Tolerators } from '../../core/inventory/taint-inventory.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { Page } from '../../contract/page.js';
import type { Basis } from '../reads/basis.js';
import type { ListRequest } from '../reads/list-request.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { knownKeyView, taintView, type KnownKeyView, type TaintView } from './taint-view.js';

export interface TaintKeyView {
  readonly key: string;
  readonly wellKnown: KnownKeyView | null;
  readonly nodes: number;
  readonly examples: readonly string[];
  readonly values: readonly string[];
  readonly effects: readonly string[];
  readonly taints: readonly { readonly taint: TaintView; readonly nodes: number; readonly toleratedBy: Tolerators }[];
  readonly toleratedBy: Tolerators;
}

/** The taints of a revision's nodes by key: values, effects, nodes, and who tolerates them. */
export class TakeTaintInventory {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  async run(
    { cluster, readAt, page }: ListRequest,
    edge: RequestContext,
  ): Promise<{ basis: Basis; page: Page<TaintKeyView> }> {
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, ['taints'], page, edge);
    const inventory = await this.digests.taintInventory(state);
    return { basis, page: mapPage(pageByPosition(inventory, page, list, basis.revision), taintKeyView) };
  }
}

function taintKeyView({ taints, ...entry }: TaintKeyEntry): TaintKeyView {
  return {
    ...entry,
    wellKnown: knownKeyView(entry.key),
    taints: taints.map(({ taint, ...counts }) => ({ taint: taintView(taint), ...counts })),
  };
}
