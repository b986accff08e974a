import { NOTHING } from '../../core/collections/nothing.js';
import type { taintKey } from '../../contract/common/taint.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { takeTaintInventory } from '../../contract/taints/questions.js';
import type { TaintKeyEntry } from '../../core/inventory/taint-inventory.js';
import { pageByPosition } from '../paging/page-by-position.js';
import type { Basis } from '../reads/basis.js';
import { ReadDigest, WHOLE, type BasedDigest, type SelectedPage } from '../reads/read-digest.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import type { Digest } from '../states/kept-digests.js';
import type { TimeSlices } from '../states/time-slices.js';
import { knownKeyResponse, nodeTaintResponse } from './taint-response.js';

type TaintKeyResponse = Response<typeof taintKey>;

const INVENTORY: Digest<null, TaintKeyResponse> = { name: 'taints', readAhead: 64 * 1024 };

type InventoryRequest = RequestOf<typeof takeTaintInventory>;
type Answer = AnswerTo<typeof takeTaintInventory>;

interface KeptInventory {
  readonly selected: SelectedPage;
  readonly found: BasedDigest<null, TaintKeyResponse> | undefined;
}

/** Lists the taints of a revision's nodes by key: values, effects, nodes, and which pods tolerate them. */
export class TakeTaintInventory {
  constructor(
    private readonly readDigest: ReadDigest,
    private readonly digests: DerivedStateCache,
  ) {}

  /** Reads what is kept of the revision. @throws {ServiceError} as `ReadDigest.select` */
  async read({ cluster, readAt, page }: InventoryRequest, context: RequestContext): Promise<KeptInventory> {
    const selected = await this.readDigest.select(cluster, readAt, ['taints'], page, context);
    return { selected, found: await this.readDigest.find(INVENTORY, selected, context) };
  }

  async run(request: InventoryRequest, context: RequestContext, kept?: KeptInventory): Promise<Answer> {
    const { selected, found } = kept ?? (await this.read(request, context));
    const { basis, items } = await this.inventory(selected, found, context);
    return { basis, page: pageByPosition(items, request.page, selected.list, basis.revision) };
  }

  /**
   * Keeps the inventory of the head, for when its state is no longer in memory.
   * @param slices of all that is computed for it
   * @throws {ServiceError} as `run`
   */
  async keepOfHead(cluster: string, context: RequestContext, slices: TimeSlices): Promise<void> {
    const selected = await this.readDigest.select(cluster, {}, [], WHOLE, context);
    await this.inventory(selected, await this.readDigest.find(INVENTORY, selected, context), context, slices);
  }

  private async inventory(
    selected: SelectedPage,
    found: KeptInventory['found'],
    context: RequestContext,
    slices?: TimeSlices,
  ): Promise<{ readonly basis: Basis; readonly items: readonly TaintKeyResponse[] }> {
    const kept = await found?.items();
    if (found !== undefined && kept !== undefined) return { basis: found.basis, items: kept };
    const compute = async (state: ClusterState): Promise<TaintKeyResponse[]> =>
      (await this.digests.taintInventory(state, slices)).map((entry) => taintKeyResponse(entry, state));
    const { basis, content, keep } = await this.readDigest.compute(selected, compute, context, slices);
    await keep(INVENTORY, () => Promise.resolve({ head: null, items: content }));
    return { basis, items: content };
  }
}

function taintKeyResponse({ taints, ...entry }: TaintKeyEntry, state: ClusterState): TaintKeyResponse {
  return {
    ...NOTHING,
    ...entry,
    wellKnown: knownKeyResponse(entry.key),
    taints: taints.map(({ taint, ...counts }) => ({ taint: nodeTaintResponse(taint, state), ...counts })),
  };
}
