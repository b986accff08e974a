import type { taintKey } from '../../contract/common/taint.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { takeTaintInventory } from '../../contract/taints/questions.js';
import type { TaintKeyEntry } from '../../core/inventory/taint-inventory.js';
import { pageByPosition } from '../paging/page-by-position.js';
import type { Basis } from '../reads/basis.js';
import { ReadDigest, WHOLE, type SelectedPage } from '../reads/read-digest.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import type { Digest } from '../states/kept-digests.js';
import { knownKeyResponse, nodeTaintResponse } from './taint-response.js';

type TaintKeyResponse = Response<typeof taintKey>;

const INVENTORY: Digest<null, TaintKeyResponse> = { name: 'taints', readAhead: 1_000_000 };

/** Lists the taints of a revision's nodes by key: values, effects, nodes, and which pods tolerate them. */
export class TakeTaintInventory {
  constructor(
    private readonly readDigest: ReadDigest,
    private readonly digests: DerivedStateCache,
  ) {}

  async run(
    { cluster, readAt, page }: RequestOf<typeof takeTaintInventory>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof takeTaintInventory>> {
    const selected = await this.readDigest.select(cluster, readAt, ['taints'], page, context);
    const { basis, items } = await this.inventory(selected, context);
    return { basis, page: pageByPosition(items, page, selected.list, basis.revision) };
  }

  /** Keeps the inventory of the head, for when its state is no longer in memory. @throws {ServiceError} as `run` */
  async keepOfHead(cluster: string, context: RequestContext): Promise<void> {
    await this.inventory(await this.readDigest.select(cluster, {}, [], WHOLE, context), context);
  }

  private async inventory(
    selected: SelectedPage,
    context: RequestContext,
  ): Promise<{ readonly basis: Basis; readonly items: readonly TaintKeyResponse[] }> {
    const found = await this.readDigest.find(INVENTORY, selected, context);
    const kept = await found?.items();
    if (found !== undefined && kept !== undefined) return { basis: found.basis, items: kept };
    const compute = async (state: ClusterState): Promise<TaintKeyResponse[]> =>
      (await this.digests.taintInventory(state)).map((entry) => taintKeyResponse(entry, state));
    const { basis, content, keep } = await this.readDigest.compute(selected, compute, context);
    await keep(INVENTORY, () => Promise.resolve({ head: null, items: content }));
    return { basis, items: content };
  }
}

function taintKeyResponse({ taints, ...entry }: TaintKeyEntry, state: ClusterState): TaintKeyResponse {
  return {
    ...entry,
    wellKnown: knownKeyResponse(entry.key),
    taints: taints.map(({ taint, ...counts }) => ({ taint: nodeTaintResponse(taint, state), ...counts })),
  };
}
