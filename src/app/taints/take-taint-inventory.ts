import type { taintKey } from '../../contract/common/taint.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { takeTaintInventory } from '../../contract/taints/questions.js';
import type { TaintKeyEntry } from '../../core/inventory/taint-inventory.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { knownKeyResponse, nodeTaintResponse } from './taint-response.js';

/** Lists the taints of a revision's nodes by key: values, effects, nodes, and which pods tolerate them. */
export class TakeTaintInventory {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  async run(
    { cluster, readAt, page }: RequestOf<typeof takeTaintInventory>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof takeTaintInventory>> {
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, ['taints'], page, context);
    const inventory = await this.digests.taintInventory(state);
    return {
      basis,
      page: mapPage(pageByPosition(inventory, page, list, basis.revision), (entry) => taintKeyResponse(entry, state)),
    };
  }
}

function taintKeyResponse({ taints, ...entry }: TaintKeyEntry, state: ClusterState): Response<typeof taintKey> {
  return {
    ...entry,
    wellKnown: knownKeyResponse(entry.key),
    taints: taints.map(({ taint, ...counts }) => ({ taint: nodeTaintResponse(taint, state), ...counts })),
  };
}
