import { budgetStanding } from '../../core/disruption/budget-standing.js';
import { stateScaleSource } from '../../core/disruption/state-scale-source.js';
import { pageByPosition } from '../paging/page-by-position.js';
import type { listDisruptionBudgets } from '../../contract/disruptions/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { budgetResponse, type BudgetResponse } from './budget-response.js';

/**
 * Lists the PodDisruptionBudgets of a revision, each with its stored status and with the status that the disruption
 * controller would compute now.
 */
export class ListDisruptionBudgets {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} as `ReadState.runPage` */
  async run(
    { cluster, readAt, namespace, name, page }: RequestOf<typeof listDisruptionBudgets>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof listDisruptionBudgets>> {
    const identity = ['disruption-budgets', namespace, name];
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const matches = await this.digests.budgetMatches(state);
    const picked = [...matches.budgets.keys()].filter((index) => {
      const { metadata } = matches.budgets[index]!;
      return (
        (namespace === undefined || (metadata.namespace ?? 'default') === namespace) &&
        (name === undefined || metadata.name === name)
      );
    });
    const cut = pageByPosition(picked, page, list, basis.revision);
    const source = stateScaleSource(state);
    const slices = new TimeSlices({ signal: context.signal });
    const items: { item: BudgetResponse; token: string }[] = [];
    for (const { item: index, token } of cut.items) {
      if (slices.due()) await slices.pause();
      items.push({ item: budgetResponse(budgetStanding(state, matches, index, source, context.now.getTime())), token });
    }
    return { basis, page: { ...cut, items } };
  }
}
