import type { AnswerTo } from '../../contract/question.js';
import type { listTaintSets } from '../../contract/taints/questions.js';
import { listTaintSets as taintSetsOf } from '../../core/inventory/taint-sets.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { taintResponse } from './taint-response.js';

/** Lists the distinct taint lists of a revision's nodes, most frequent first. */
export class ListTaintSets {
  constructor(private readonly readState: ReadState) {}

  async run(
    { cluster, readAt, page }: RequestOf<typeof listTaintSets>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof listTaintSets>> {
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, ['taint-sets'], page, context);
    const sets = pageByPosition(taintSetsOf(state), page, list, basis.revision);
    return { basis, page: mapPage(sets, ({ taints, ...set }) => ({ ...set, taints: taints.map(taintResponse) })) };
  }
}
