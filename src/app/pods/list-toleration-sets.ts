import type { listTolerationSets } from '../../contract/pods/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { listTolerationSets as tolerationSetsOf } from '../../core/inventory/toleration-sets.js';
import { mapPageInSlices, pageByPosition } from '../paging/page-by-position.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { tolerationResponse } from './toleration-response.js';

/** Lists the distinct toleration lists of a revision's pods, most frequent first. */
export class ListTolerationSets {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  async run(
    { cluster, readAt, page }: RequestOf<typeof listTolerationSets>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof listTolerationSets>> {
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, ['toleration-sets'], page, context);
    const all = tolerationSetsOf(state, await this.digests.podGroups(state));
    const sets = pageByPosition(all, page, list, basis.revision);
    return {
      basis,
      page: await mapPageInSlices(
        sets,
        ({ tolerations, ...set }) => ({ ...set, tolerations: tolerations.map(tolerationResponse) }),
        new TimeSlices({ signal: context.signal }),
      ),
    };
  }
}
