import { MOST_ITEMS } from '../../contract/limits.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { serviceErrorOf } from '../errors/service-error-of.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import { EvaluatePlacement, type PlacementAnswer } from './evaluate-placement.js';
import type { PlacementQuestion } from './placement-request.js';

export { MOST_ITEMS };

/** How long a batch may take, in milliseconds. */
const BUDGET = 60_000;

/** One question of a batch; `read` gives it, or throws what is wrong with it. */
export interface BatchItem<Item extends PlacementQuestion> {
  /** The caller's name for it. */
  readonly id: string;
  readonly read: () => Item;
}

export interface BatchRequest<Item extends PlacementQuestion> {
  readonly cluster: string;
  readonly readAt: ReadAt;
  readonly items: readonly BatchItem<Item>[];
}

/** An item's answer, or why it has none. */
export type ItemAnswer<Answer> =
  | { readonly id: string; readonly answer: Answer; readonly error: null }
  | { readonly id: string; readonly answer: null; readonly error: ServiceError };

/** Many questions on one state of one cluster, each answered for itself: a bad one fails alone. */
export class EvaluatePlacements {
  constructor(
    private readonly readState: ReadState,
    private readonly evaluatePlacement: EvaluatePlacement,
  ) {}

  /**
   * @param render makes the answer of one item
   * @throws {ServiceError} as `ReadState` does; `cancelled` when the caller has gone; `budget-exceeded`
   */
  async run<Item extends PlacementQuestion, Answer>(
    { cluster, readAt, items }: BatchRequest<Item>,
    edge: RequestContext,
    render: (answer: PlacementAnswer, item: Item) => Promise<Answer>,
  ): Promise<{ readonly basis: Basis; readonly items: readonly ItemAnswer<Answer>[] }> {
    const reading = await this.readState.run(cluster, readAt, edge);
    const slices = new TimeSlices({ budgetMs: BUDGET, signal: edge.signal });
    const answers: ItemAnswer<Answer>[] = [];
    for (const [index, { id, read }] of items.entries()) {
      if (slices.due()) await slices.pause();
      try {
        const item = read();
        answers.push({
          id,
          answer: await render(this.evaluatePlacement.answer(item, reading), item),
          error: null,
        });
      } catch (thrown) {
        const error = serviceErrorOf(thrown);
        if (error.code === 'cancelled') throw error;
        answers.push({ id, answer: null, error: inItem(error, `/items/${index}`) });
      }
    }
    return { basis: reading.basis, items: answers };
  }
}

/** The same error with pointers that lead from the whole batch. */
function inItem(error: ServiceError, pointer: string): ServiceError {
  const details = error.details.map((detail) =>
    detail.pointer === undefined ? detail : { ...detail, pointer: pointer + detail.pointer },
  );
  if (error instanceof InvalidRequestError) return new InvalidRequestError(details);
  return new ServiceError(error.code, error.message, { details, cause: error.cause });
}
